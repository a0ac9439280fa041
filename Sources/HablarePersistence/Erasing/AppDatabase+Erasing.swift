import GRDB

extension AppDatabase {
    /// Deletes the rows of all tables except the given tables, off the caller's actor. For example, use it to log a
    /// user out.
    ///
    /// The deletion is one transaction, with these rules:
    ///
    /// - Tables, indexes, triggers and the record of migrations stay.
    /// - Numbers that `AUTOINCREMENT` assigned are not reused.
    /// - Search indexes of deleted rows are emptied.
    /// - A foreign key never deletes a kept row. If a kept row refers to a row that would be deleted, nothing is
    ///   deleted.
    /// - Triggers run. If they copy deleted rows to another table, the copies are also deleted, unless that table is
    ///   kept.
    ///
    /// - Parameters:
    ///   - kept: The tables whose rows stay. Default: none.
    ///   - vacuum: Whether to remove the free space from the file. This takes time, and temporarily needs additional
    ///     disk space of the size of the database. Default: `false`.
    /// - Throws: ``AppDatabaseError`` with the code ``AppDatabaseError/Code/unknownTable`` if a kept table does not
    ///   exist, ``AppDatabaseError/Code/stillReferredTo`` or ``AppDatabaseError/Code/refilled``. Otherwise SQLite's
    ///   errors. `CancellationError` if the task was cancelled before the deletion began. After each of these errors,
    ///   nothing is deleted. A deletion that has begun is not interrupted.
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
