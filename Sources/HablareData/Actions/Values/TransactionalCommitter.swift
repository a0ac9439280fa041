import GRDB

/// A committer for actions that change only the app's own database. It carries each action out exactly once, even
/// across crashes.
///
/// The transaction that carries an action out also marks the action as done in the queue. So the disk either has the
/// action's changes and the mark, or has none of the two. If an action fails, the other actions are not affected.
/// ``DurableActionQueue/init(_:in:configuration:seams:logger:applying:)`` creates this committer, because the committer
/// must share the queue's database.
public struct TransactionalCommitter<Action: QueuedAction>: ActionCommitter {
    private let writer: GroupWriter
    private let apply: @Sendable (Action, Database) throws -> Void

    init(_ writer: GroupWriter, apply: @escaping @Sendable (Action, Database) throws -> Void) {
        self.writer = writer
        self.apply = apply
    }

    /// Carries out the items. If no item fails, all items are in one transaction.
    ///
    /// If the database is busy, full or failing, the items are retried after a delay. Any other error that the app's
    /// closure throws is final.
    public func commit(_ items: [ActionItem<Action>], of group: Action.Group) async -> [ActionOutcome] {
        let apply = apply
        let results = await writer.write(
            all: items.map { item in
                { database in
                    guard try !ActionTable.isApplied(item.origin, executions: item.executions, in: database) else {
                        return
                    }
                    try apply(item.action, database)
                    try ActionTable.markApplied(item.origin, isCompensation: item.isCompensation, in: database)
                }
            })
        return results.map { result in
            switch result {
            case .success: .done
            case .failure(let error): .failed(error, isRetryable: Self.isPassing(error))
            }
        }
    }

    /// Returns whether the item is marked as done. The mark is as durable as the action's changes.
    public func wasApplied(_ item: ActionItem<Action>) async throws -> Bool? {
        try await writer.write { database in
            try ActionTable.isApplied(item.origin, executions: item.executions, in: database)
        }
    }

    /// Returns whether an error is temporary and not caused by the action, such as a busy or full database.
    private static func isPassing(_ error: any Error) -> Bool {
        if let error = error as? ActionQueueError { return error.isFinal }
        guard let error = error as? DatabaseError else { return error is CancellationError }
        let passing: [ResultCode] = [
            .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_INTERRUPT,
            .SQLITE_ABORT, .SQLITE_CANTOPEN, .SQLITE_READONLY,
        ]
        return passing.contains(error.resultCode)
    }
}
