import GRDB

extension ActionQueueError {
    static let nothingToUndo = ActionQueueError(
        .nothingToUndo, "There is nothing to undo. Offer undo only while `snapshot.canUndo` is true.")
    static let nothingToRedo = ActionQueueError(
        .nothingToRedo, "There is nothing to redo. Offer redo only while `snapshot.canRedo` is true.")
    static let cannotBeUndone = ActionQueueError(
        .cannotBeUndone,
        """
        The last action was carried out, or is being carried out, and has no compensation. Add a compensation, or offer \
        undo only while `snapshot.canUndo` is true.
        """)
    static let notPending = ActionQueueError(
        .notPending,
        """
        The action's state no longer allows this operation. Read `pendingActions` again. If the action is in progress, \
        wait for its outcome. If it was carried out, undo it.
        """)
    static let notRunning = ActionQueueError(
        .notRunning,
        """
        This queue commits no actions, because it is not running. Call `run()`, or `resume()` after a pause. If you called \
        `run()` a moment ago, wait in `updates` until `isRunning` is true.
        """)
    static let alreadyRunning = ActionQueueError(
        .alreadyRunning,
        "This queue is already running. Call `run()` only once for each queue, for example in one service group.")

    static func takenOver(_ name: String) -> ActionQueueError {
        ActionQueueError(
            .takenOver,
            """
            The queue \(name) was opened again, in this process or in another one, and only its newest owner may write to \
            it. Open each queue only once. If processes share a database, use a different queue name in each.
            """)
    }

    static func erased(_ name: String) -> ActionQueueError {
        ActionQueueError(
            .erased,
            """
            The queue \(name) and its actions were erased from the database while the queue was open. Before you erase the \
            database, end the queue's `run()`. Then open the queue again.
            """)
    }

    static func tooLarge(_ bytes: Int, limit: Int) -> ActionQueueError {
        ActionQueueError(
            .tooLarge,
            """
            The action has \(bytes) bytes; the maximum is \(limit). Store large content in a file or a table, and store \
            only its name in the action.
            """)
    }

    static func conflict(_ id: ActionID) -> ActionQueueError {
        ActionQueueError(
            .conflict,
            """
            A different action was already appended to this queue under the id \(id). Use a different id for each action. \
            To append the same action again, do not change it.
            """)
    }

    static func notEncodable(_ error: any Error) -> ActionQueueError {
        ActionQueueError(
            .notEncodable, "The action cannot be encoded as JSON. Correct its `encode(to:)`.",
            cause: "\(type(of: error))")
    }

    /// Returns the error that a caller receives if the journal fails.
    static func forCaller(_ error: any Error) -> ActionQueueError {
        if let error = error as? ActionQueueError { return error }
        guard let error = error as? DatabaseError else {
            return ActionQueueError(
                .databaseFailed, "The database refused the change, and nothing was changed. See the cause.",
                cause: "\(error)")
        }
        if error.isOfMissingBooks {
            return ActionQueueError(
                .notMigrated,
                "The database has no tables for actions. Call `registerHablareData()` on its migrator.",
                cause: error.message)
        }
        let (code, advice): (Code, String) =
            switch error.extendedResultCode {
            case _ where error.isOfAFullDisk:
                (.diskFull, "The disk or the quota of the database is full. Free some space, then try again.")
            // A `case` with a primary code matches all of its extended codes.
            case .SQLITE_BUSY, .SQLITE_LOCKED: (.databaseFailed, "The database was busy for too long. Try again.")
            case .SQLITE_READONLY: (.databaseFailed, "The database is read-only. Open it for writing.")
            default: (.databaseFailed, "See the cause, then try again.")
            }
        // The description of the error would include the statement's arguments, and so the action.
        return ActionQueueError(
            code, "The database refused the change, and nothing was changed. \(advice)",
            cause: "\(error.extendedResultCode): \(error.message ?? "no message")",
            isRetryable: error.isPassing)
    }
}
