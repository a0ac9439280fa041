extension ActionQueueCore {
    // MARK: User requests

    /// Appends an action. Actions that were undone before can then no longer be redone.
    ///
    /// - Throws: ``ActionQueueError/Code/conflict``. In this case nothing has changed.
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

    /// Undoes the last action that is not undone. If the method throws an error, nothing has changed.
    mutating func undoAsked(now: Duration) throws -> ActionChange<Action> {
        guard let number = past.last, let step = steps[number] else { throw ActionQueueError.nothingToUndo }
        guard step.canBeUndone else { throw ActionQueueError.cannotBeUndone }
        past.removeLast()
        future.append(number)
        return wantedChanged(of: step, to: false, now: now)
    }

    /// Redoes the action that was undone last. If the method throws an error, nothing has changed.
    mutating func redoAsked(now: Duration) throws -> ActionChange<Action> {
        guard let number = future.last, let step = steps[number] else { throw ActionQueueError.nothingToRedo }
        future.removeLast()
        past.append(number)
        return wantedChanged(of: step, to: true, now: now)
    }

    /// Makes all waiting steps due now, including steps that wait for a retry.
    ///
    /// - Returns: The last queue position that this call includes.
    @discardableResult
    mutating func commitAsked() -> Int64 {
        for number in queue {
            change(number) { step in
                step.isDue = true
                step.hasWord = true
                step.retryAt = nil
            }
        }
        quietSince = nil
        return lastPosition
    }

    /// Retries all failed actions. The retried actions are queued after the actions that already wait.
    ///
    /// - Returns: The number of retried actions.
    mutating func retryAsked() -> Int {
        let numbers = failed
        for number in numbers { tryAgain(number) }
        return numbers.count
    }

    /// Retries one failed action. It is queued after the actions that already wait.
    mutating func retryAsked(_ id: ActionID) throws { tryAgain(try number(of: id, among: failed)) }

    /// Discards all failed actions. Their effects are not changed.
    ///
    /// - Returns: The number of discarded actions.
    mutating func discardAsked() -> Int {
        let numbers = failed
        drop(numbers)
        return numbers.count
    }

    /// Discards one failed action.
    mutating func discardAsked(_ id: ActionID) throws { drop([try number(of: id, among: failed)]) }

    /// Removes an action that is wanted and has no effect yet.
    mutating func withdrawAsked(_ id: ActionID) throws {
        let number = try number(of: id, among: queue + failed)
        guard let step = steps[number], step.record.standing == .notApplied, step.record.isWanted, !step.isUnderWay
        else { throw ActionQueueError.notPending }
        drop([number])
    }

    private func number(of id: ActionID, among numbers: [Int64]) throws -> Int64 {
        // Most requests are about one of the latest actions.
        guard let number = numbers.last(where: { steps[$0]?.record.id == id }) else {
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
            if step.record.standing.isKnown { step.queuePosition = position }
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

    /// Removes the oldest actions from the undo history if it exceeds the undo depth. The removed actions can no longer
    /// be undone.
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

    private mutating func wantedChanged(
        of step: ActionStep<Action>, to isWanted: Bool, now: Duration
    ) -> ActionChange<Action> {
        let position = nextPosition()
        change(step.record.number) { $0.wantedChanged(to: isWanted, position: position) }
        somethingWaits(now: now)
        let changed = steps[step.record.number] ?? step
        let effect: ActionChange<Action>.Effect =
            if case .handedOver = changed.record.standing { .undecided } else { changed.isOpen ? .queued : .immediate }
        return ActionChange(id: step.record.id, action: step.action, effect: effect)
    }

    /// The permanently failed actions, in the order of their last append, undo or redo.
    var failed: [Int64] {
        troubled.compactMap { steps[$0]?.record }.filter(\.hasGivenUp).sorted { $0.position < $1.position }
            .map(\.number)
    }

    private mutating func nextPosition() -> Int64 {
        lastPosition += 1
        return lastPosition
    }
}
