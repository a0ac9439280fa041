import GRDB

extension AppDatabase {
    /// Deletes the rows of all tables except some, away from the caller's actor. Use it to log out, or to start again.
    ///
    /// It is one transaction. Tables, indexes, triggers and the record of migrations stay. Numbers that `AUTOINCREMENT`
    /// gave are not reused. Search indexes of deleted rows are emptied. A foreign key never deletes a kept row. If a
    /// kept row refers to a row that would be deleted, nothing is deleted. Triggers run. The rows that they copy to
    /// another table are deleted, too, unless that table is kept.
    ///
    /// - Parameters:
    ///   - kept: The tables whose rows stay. Default: none.
    ///   - vacuum: Whether to shrink the file by its free space. This takes time, and temporarily needs as much disk
    ///     space as the database again. Default: `false`.
    /// - Throws: ``AppDatabaseError`` with the code ``AppDatabaseError/Code/unknownTable`` for a kept table that does
    ///   not exist, ``AppDatabaseError/Code/stillReferredTo`` or ``AppDatabaseError/Code/refilled``; nothing is deleted
    ///   then. Otherwise SQLite's errors, or `CancellationError` if the task was cancelled before. Once begun, the
    ///   deletion is not interrupted.
    @concurrent
    public func deleteAll(except kept: Set<String> = [], vacuum: Bool = false) async throws {
        try Task.checkCancellation()
        // Does not use the method that a cancellation interrupts: it must restore the setting that it switches off.
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            writer.asyncWriteWithoutTransaction { db in
                continuation.resume(
                    with: Result {
                        try TableEraser(db: db, kept: kept).run()
                        if vacuum { try db.execute(sql: "VACUUM") }
                    })
            }
        }
    }
}
