extension ActionQueueCore {
    /// The queue's current state.
    var snapshot: ActionQueueSnapshot {
        var snapshot = ActionQueueSnapshot()
        snapshot.pending = queue.count
        snapshot.underWay = underWay.values.reduce(0) { $0 + $1.count }
        snapshot.retrying = troubled.count - givenUp
        snapshot.failed = givenUp
        snapshot.undoCount = past.count
        snapshot.redoCount = future.count
        snapshot.canUndo = canUndo
        snapshot.unreadable = unreadable.count
        snapshot.isRunning = isRunning
        return snapshot
    }

    /// The actions that wait to be carried out or reverted, in order, and after them the failed actions.
    var pendingActions: [PendingAction<Action>] {
        (queue + failed).compactMap { number in
            guard let step = steps[number] else { return nil }
            let phase: PendingAction<Action>.Phase =
                if step.record.hasGivenUp {
                    .failed
                } else if step.isUnderWay {
                    .underWay
                } else if step.record.attempt > 0 {
                    .retrying
                } else {
                    .waiting
                }
            return PendingAction(
                id: step.record.id, action: step.action, appendedAt: step.appendedAt,
                isUndone: !step.record.isWanted, phase: phase, attempts: step.record.attempt,
                failure: step.record.failure)
        }
    }

    /// Returns whether every step up to a queue position was passed to the committer. Steps that cannot be passed are
    /// ignored, for example a step that waits behind a failed step of the same subject.
    func isFlushed(upTo queuePosition: Int64) -> Bool {
        !queue.contains { number in
            guard let step = steps[number], step.queuePosition <= queuePosition else { return false }
            guard !step.isUnderWay else { return true }
            guard step.isDue, step.retryAt == nil, let direction = step.direction else { return false }
            return step.action(going: direction).map { underWay[$0.group] != nil } ?? false
        }
    }
}
