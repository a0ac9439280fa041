public import Foundation
import GRDB
import HablareFiles

extension AppDatabase {
    /// Writes tables to a JSON document that ``importTables(from:onConflict:)`` reads, away from the caller's actor.
    /// The document is one snapshot of the database.
    ///
    /// Indexes and the tables of SQLite and GRDB are left out, because they are created again automatically. Tables
    /// whose names begin with `hablare_` are left out unless they are named. They hold a library's records, not the
    /// app's rows: importing an old receipt or an old journal of actions would repeat finished work. A virtual table
    /// with rows of its own cannot be exported. If the database has one, an export of all tables throws
    /// ``ExchangeError/Code/virtualTable``.
    ///
    /// Rows go to the file one by one, so only one is in memory. The document replaces a file of the same name once it
    /// is complete and on the disk.
    ///
    /// - Parameters:
    ///   - tables: The names of the tables, in any order; `nil`, the default: all tables that hold the app's rows.
    ///   - url: The file. Its folder must exist.
    /// - Throws: ``ExchangeError``, such as ``ExchangeError/Code/unknownTable`` and
    ///   ``ExchangeError/Code/virtualTable``; the errors of reading; `CancellationError` if the task is cancelled. A
    ///   file that existed before then stays.
    @concurrent
    public func export(_ tables: [String]? = nil, to url: URL) async throws {
        try await read { db in
            do {
                try TableExport(db: db, file: ReplacingFile(url.path)).write(tables)
            } catch let error as FileFailure {
                throw ExchangeError(
                    .fileFailed, "\(url.path) could not be written. Check its folder and the space on the disk.",
                    cause: error)
            }
        }
    }
}
