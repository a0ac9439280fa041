extension ActionQueueCore {
    /// A queue as the journal has it: what was handed over when the process ended may have been carried out, and is
    /// settled first.
    init(
        configuration: ActionQueueConfiguration, owner: ActionOwner, stored: [StoredAction<Action>], last: Int64 = 0,
        names: [(name: ActionName, number: Int64)] = [], unreadable: [Int64] = [], now: Duration
    ) {
        self.init(configuration: configuration, owner: owner, unreadable: unreadable)
        lastNumber = last
        for (name, number) in names { recall(name, number: number) }
        for stored in stored.sorted(by: { $0.record.number < $1.record.number }) {
            var step = ActionStep(stored)
            // It was committed before, and is tried again without anybody's word.
            step.isDue = stored.record.attempt > 0
            step.hasWord = step.isDue
            if case .handedOver(let direction) = stored.record.standing {
                step.place = 0
                // Undone or redone since: what follows has not been committed yet.
                step.hasWord = step.isDue && stored.record.isWanted == (direction == .forward)
                // A shutdown that interrupted it left no attempt.
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

    /// What can be redone is what was undone at the end of the history. Where something follows it that is wanted (an
    /// older version of the app has appended that, which could not read what was undone) it cannot be redone any more.
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
    /// A commit that ends the process every time must not do so for ever.
    fileprivate mutating func restarted(_ configuration: ActionQueueConfiguration) {
        guard !record.standing.isKnown, record.attempt >= max(1, configuration.maximumAttempts) else { return }
        record.hasGivenUp = true
        record.failure = record.failure ?? "The process ended during every attempt."
    }
}
