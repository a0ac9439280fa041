import GRDB

extension ActionQueueError {
    static let nothingToUndo = ActionQueueError(
        .nothingToUndo, "There is nothing to undo. Offer it only while `snapshot.canUndo` is true.")
    static let nothingToRedo = ActionQueueError(
        .nothingToRedo, "There is nothing to redo. Offer it only while `snapshot.canRedo` is true.")
    static let cannotBeUndone = ActionQueueError(
        .cannotBeUndone,
        """
        The last action was carried out, or is being carried out, and has no compensation. Give it one, or offer undo \
        only while `snapshot.canUndo` is true.
        """)
    static let notPending = ActionQueueError(
        .notPending,
        """
        The action's state no longer allows this. Read `pendingActions` again: wait for an action in progress, and undo \
        one that was carried out.
        """)
    static let notRunning = ActionQueueError(
        .notRunning,
        """
        This queue commits no actions, because it does not run. Start its `run()`, or call `resume()`. If you started it \
        a moment ago, wait in `updates` until `isRunning` is true.
        """)
    static let alreadyRunning = ActionQueueError(
        .alreadyRunning, "This queue is run already. Run each queue once, as one service.")

    static func takenOver(_ name: String) -> ActionQueueError {
        ActionQueueError(
            .takenOver,
            """
            The queue \(name) was opened again elsewhere, and only its newest owner may write it. Keep one object for \
            each queue, and give processes that share a database queues of different names.
            """)
    }

    static func erased(_ name: String) -> ActionQueueError {
        ActionQueueError(
            .erased,
            """
            The queue \(name) was erased from its database while it was open, and its actions with it. End its `run()` \
            before you erase the database, and open it again afterwards.
            """)
    }

    static func tooLarge(_ bytes: Int, limit: Int) -> ActionQueueError {
        ActionQueueError(
            .tooLarge,
            """
            The action takes \(bytes) bytes, and a queue takes \(limit) at most. Keep what is large in a file or a table, \
            and name it in the action.
            """)
    }

    static func conflict(_ id: ActionID) -> ActionQueueError {
        ActionQueueError(
            .conflict,
            """
            Another action was appended to this queue under the id \(id). Give each action an id of its own; to append one \
            again, leave it as it was.
            """)
    }

    static func notEncodable(_ error: any Error) -> ActionQueueError {
        ActionQueueError(
            .notEncodable, "The action cannot be written as JSON. Mend its `encode(to:)`.",
            cause: "\(type(of: error))")
    }

    /// Returns the error that a caller receives if the journal fails.
    static func forCaller(_ error: any Error) -> ActionQueueError {
        if let error = error as? ActionQueueError { return error }
        guard let error = error as? DatabaseError else {
            return ActionQueueError(
                .databaseFailed, "The database did not take the change, and nothing was changed. See the cause.",
                cause: "\(error)")
        }
        if error.isOfMissingBooks {
            return ActionQueueError(
                .notMigrated,
                "The database has no table for actions. Call `registerHablareData()` on its migrator.",
                cause: error.message)
        }
        let (code, advice): (Code, String) =
            switch error.extendedResultCode {
            case _ where error.isOfAFullDisk:
                (.diskFull, "The disk, or the quota, of the database is full: make room, and ask again.")
            // A `case` with a primary code matches all of its extended codes.
            case .SQLITE_BUSY, .SQLITE_LOCKED: (.databaseFailed, "It was busy for too long: ask again.")
            case .SQLITE_READONLY: (.databaseFailed, "It may not be written: open it for writing.")
            default: (.databaseFailed, "See the cause, and ask again.")
            }
        // The description of the error would include the statement's arguments, and so the action.
        return ActionQueueError(
            code, "The database did not take the change, and nothing was changed. \(advice)",
            cause: "\(error.extendedResultCode): \(error.message ?? "no message")",
            isRetryable: error.isPassing)
    }
}
