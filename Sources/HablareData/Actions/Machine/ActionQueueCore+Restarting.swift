extension ActionQueueCore {
    /// Restores a queue from its journal. If an action was with the committer when the process ended, it may have been
    /// carried out. The queue first determines the outcomes of these actions.
    init(
        configuration: ActionQueueConfiguration, owner: ActionOwner, stored: [StoredAction<Action>], last: Int64 = 0,
        names: [(name: ActionName, number: Int64)] = [], unreadable: [Int64] = [], now: Duration
    ) {
        self.init(configuration: configuration, owner: owner, unreadable: unreadable)
        lastNumber = last
        for (name, number) in names { recall(name, number: number) }
        for stored in stored.sorted(by: { $0.record.number < $1.record.number }) {
            var step = ActionStep(stored)
            // It was committed before the restart, so it is retried without an explicit commit.
            step.isDue = stored.record.attempt > 0
            step.hasWord = step.isDue
            if case .handedOver(let direction) = stored.record.standing {
                step.queuePosition = 0
                // It was undone or redone since: the change that follows has not been committed yet.
                step.hasWord = step.isDue && stored.record.isWanted == (direction == .forward)
                // A shutdown that interrupted the step left no attempt, so the step becomes due here.
                step.isDue = true
            }
            enter(step)
            lastNumber = max(lastNumber, stored.record.number)
            lastPosition = max(lastPosition, stored.record.position)
            if stored.record.isRemembered { past.append(stored.record.number) }
        }
        recallHistory()
        for number in steps.numbers { change(number) { $0.restarted(configuration) } }
        keepDepth()
        somethingWaits(now: now)
    }

    /// Rebuilds the undo history. Undone actions at the end of the history can be redone.
    ///
    /// If a wanted action comes after an undone action, the undone action cannot be redone. This order arises if an
    /// older version of the app could not read the undone action and appended another action.
    private mutating func recallHistory() {
        func isWanted(_ number: Int64) -> Bool { steps[number]?.record.isWanted == true }
        future = past.reversed().prefix { !isWanted($0) }
        past.removeLast(future.count)
        let forgotten = past.filter { !isWanted($0) }
        past.removeAll { !isWanted($0) }
        for number in forgotten { forget(number) }
    }
}

extension ActionStep {
    /// Marks a step as failed if it has no attempts left. Otherwise a commit that crashes the process would be repeated
    /// forever.
    fileprivate mutating func restarted(_ configuration: ActionQueueConfiguration) {
        guard !record.standing.isKnown, record.attempt >= max(1, configuration.maximumAttempts) else { return }
        record.hasGivenUp = true
        record.failure =
            record.failure
            ?? "The process ended during each attempt. Check the crash reports, then retry the action or discard it."
    }
}
