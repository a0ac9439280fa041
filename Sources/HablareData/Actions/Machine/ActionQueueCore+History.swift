extension ActionQueueCore {
    // MARK: What a person asks for

    /// An action was appended. What was undone before cannot be redone any more.
    mutating func appended(_ new: NewAction<Action>, now: Duration) {
        for number in future { forget(number) }
        future = []
        lastNumber += 1
        insert(new, as: ActionRecord(id: new.id, number: lastNumber, position: nextPosition()))
        past.append(lastNumber)
        keepDepth()
        somethingWaits(now: now)
    }

    /// The last action that is wanted is not wanted any more. Where this throws, nothing has changed.
    mutating func undoAsked(now: Duration) throws -> ActionChange<Action> {
        guard let number = past.last, let step = steps[number] else { throw ActionQueueError.nothingToUndo }
        guard step.canBeUndone else { throw ActionQueueError.cannotBeUndone }
        past.removeLast()
        future.append(number)
        return wishChanged(of: step, to: false, now: now)
    }

    /// The action that was undone last is wanted again. Where this throws, nothing has changed.
    mutating func redoAsked(now: Duration) throws -> ActionChange<Action> {
        guard let number = future.last, let step = steps[number] else { throw ActionQueueError.nothingToRedo }
        future.removeLast()
        past.append(number)
        return wishChanged(of: step, to: true, now: now)
    }

    /// Whatever waits has its turn now, also what was to be tried again later.
    ///
    /// - Returns: The last place in line that this is true of.
    @discardableResult
    mutating func commitAsked() -> Int64 {
        for number in lineup {
            change(number) { step in
                step.isDue = true
                step.hasWord = true
                step.retryAt = nil
            }
        }
        quietSince = nil
        return lastPosition
    }

    /// What has failed is tried again, behind what waits by now.
    ///
    /// - Returns: How many those are.
    mutating func retryAsked() -> Int {
        let numbers = failed
        for number in numbers {
            let position = nextPosition()
            change(number) { step in
                step.record.hasGivenUp = false
                step.record.attempt = 0
                step.record.position = position
                if step.record.standing.isKnown { step.place = position }
                step.isDue = true
                step.hasWord = true
                step.retryAt = nil
            }
        }
        return numbers.count
    }

    /// What has failed is given up, and stays as the world has it.
    ///
    /// - Returns: How many those were.
    mutating func discardAsked() -> Int {
        let numbers = failed
        for number in numbers { remove(number) }
        let discarded = Set(numbers)
        past.removeAll { discarded.contains($0) }
        future.removeAll { discarded.contains($0) }
        return numbers.count
    }

    // MARK: The history

    /// Whether the last action can be undone.
    var canUndo: Bool { past.last.flatMap { steps[$0]?.canBeUndone } ?? false }

    /// The oldest actions beyond the depth cannot be undone any more.
    mutating func keepDepth() {
        let excess = past.count - max(0, configuration.undoDepth)
        guard excess > 0 else { return }
        let forgotten = past.prefix(excess)
        past.removeFirst(excess)
        for number in forgotten { forget(number) }
    }

    mutating func forget(_ number: Int64) {
        change(number) { $0.record.isRemembered = false }
    }

    private mutating func wishChanged(
        of step: ActionStep<Action>, to isWanted: Bool, now: Duration
    ) -> ActionChange<Action> {
        let position = nextPosition()
        change(step.record.number) { $0.wishChanged(to: isWanted, position: position) }
        somethingWaits(now: now)
        let changed = steps[step.record.number] ?? step
        let effect: ActionChange<Action>.Effect =
            if case .handedOver = changed.record.standing { .undecided } else { changed.isOpen ? .queued : .immediate }
        return ActionChange(id: step.record.id, action: step.action, effect: effect)
    }

    /// What has failed for good, in the order in which it was asked for.
    var failed: [Int64] {
        troubled.compactMap { steps[$0]?.record }.filter(\.hasGivenUp).sorted { $0.position < $1.position }
            .map(\.number)
    }

    private mutating func nextPosition() -> Int64 {
        lastPosition += 1
        return lastPosition
    }
}
