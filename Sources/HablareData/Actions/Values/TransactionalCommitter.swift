import GRDB

/// Carries out actions that change the app's own database and nothing else, exactly once, over crashes as well.
///
/// Each action is done in the transaction that marks it as done in the queue: either both are on disk or neither. One that
/// fails does not touch the others. Made by ``DurableActionQueue/init(_:in:configuration:seams:logger:applying:)``, because
/// its database has to be the queue's own.
public struct TransactionalCommitter<Action: QueuedAction>: ActionCommitter {
    private let writer: GroupWriter
    private let apply: @Sendable (Action, Database) throws -> Void

    init(_ writer: GroupWriter, apply: @escaping @Sendable (Action, Database) throws -> Void) {
        self.writer = writer
        self.apply = apply
    }

    /// Carries out the items, in one transaction where none fails.
    ///
    /// A database that is busy, full or failing is tried again after a while; any other error that the app's closure
    /// throws is final.
    public func commit(_ items: [ActionItem<Action>], of group: Action.Group) async -> [ActionOutcome] {
        let apply = apply
        let results = await writer.write(
            all: items.map { item in
                { database in
                    guard try !ActionTable.isApplied(item.origin, turn: item.turn, in: database) else { return }
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

    /// Whether the item is marked as done: the mark is as durable as what was done.
    public func wasApplied(_ item: ActionItem<Action>) async throws -> Bool? {
        try await writer.write { database in
            try ActionTable.isApplied(item.origin, turn: item.turn, in: database)
        }
    }

    /// Whether an error says nothing against the action itself.
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
