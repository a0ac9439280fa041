extension ActionQueueCore {
    // MARK: What a person asks for

    /// An action was appended. What was undone before cannot be redone any more.
    ///
    /// - Throws: ``ActionQueueError/Code/conflict``; then nothing has changed.
    mutating func appended(_ new: NewAction<Action>, now: Duration) throws {
        if let name = new.name {
            if try isKnown(name) { return }
            named(name, number: lastNumber + 1)
        }
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
        for number in numbers { tryAgain(number) }
        return numbers.count
    }

    /// One action that has failed is tried again, behind what waits by now.
    mutating func retryAsked(_ id: ActionID) throws { tryAgain(try number(of: id, among: failed)) }

    /// What has failed is given up, and stays as the world has it.
    ///
    /// - Returns: How many those were.
    mutating func discardAsked() -> Int {
        let numbers = failed
        drop(numbers)
        return numbers.count
    }

    /// One action that has failed is given up.
    mutating func discardAsked(_ id: ActionID) throws { drop([try number(of: id, among: failed)]) }

    /// An action that has no effect, and is to have one, is not wanted any more and forgotten.
    mutating func withdrawAsked(_ id: ActionID) throws {
        let number = try number(of: id, among: lineup + failed)
        guard let step = steps[number], step.record.standing == .notApplied, step.record.isWanted, !step.isUnderWay
        else { throw ActionQueueError.notPending }
        drop([number])
    }

    private func number(of id: ActionID, among numbers: [Int64]) throws -> Int64 {
        guard let number = numbers.first(where: { steps[$0]?.record.id == id }) else {
            throw ActionQueueError.notPending
        }
        return number
    }

    private mutating func tryAgain(_ number: Int64) {
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

    private mutating func drop(_ numbers: [Int64]) {
        for number in numbers { remove(number) }
        let dropped = Set(numbers)
        past.removeAll { dropped.contains($0) }
        future.removeAll { dropped.contains($0) }
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
