import GRDB

extension AppDatabase {
    /// Deletes the rows of all tables but some, away from the caller's actor: for "log out" and "start anew".
    ///
    /// It is one transaction. Tables, indexes, triggers and the record of migrations stay; so do the numbers that
    /// `AUTOINCREMENT` has given, which are not given again. Search indexes of deleted rows are emptied. Rows that are kept
    /// are never deleted by a reference: where one refers to a row that would go, nothing is deleted. Triggers run; what they
    /// copy elsewhere is deleted, too, unless that table is kept.
    ///
    /// - Parameters:
    ///   - kept: The tables whose rows stay. Default: none.
    ///   - vacuum: Whether the file gives its free space back, which takes time and, for a moment, as much space again.
    ///     Default: `false`.
    /// - Throws: ``AppDatabaseError``: ``AppDatabaseError/Code/unknownTable`` for a kept table that is none,
    ///   ``AppDatabaseError/Code/stillReferredTo``, ``AppDatabaseError/Code/refilled``; nothing is deleted then; what SQLite says; `CancellationError` where the task was cancelled before.
    ///   Once begun, it is not interrupted.
    @concurrent
    public func deleteAll(except kept: Set<String> = [], vacuum: Bool = false) async throws {
        try Task.checkCancellation()
        // Not the form that a cancellation interrupts: what it switches off must be switched on again.
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
