public import Foundation
import GRDB
import HablareFiles

extension AppDatabase {
    /// Writes tables to a JSON document, off the caller's actor. ``importTables(from:onConflict:)`` reads the document.
    /// The document shows all tables at the same moment.
    ///
    /// Some parts of the database are never written, or only if you name them:
    ///
    /// - Indexes, and the tables of SQLite and GRDB, are left out, because they are created again automatically.
    /// - Tables whose names begin with `hablare_` are left out, unless `tables` names them. They contain this library's
    ///   records, such as receipts and the journal of actions. If you import old ones, finished work is repeated.
    ///
    /// A virtual table that has its own rows cannot be exported. If the database has such a table, an export of all
    /// tables throws ``ExchangeError/Code/virtualTable``.
    ///
    /// Rows are written to the file one by one, so only one row is in memory. The document replaces a file of the same
    /// name when the document is complete and on the disk.
    ///
    /// - Parameters:
    ///   - tables: The names of the tables, in any order. Default: `nil`, for all tables that contain the app's rows.
    ///   - url: The file. Its folder must exist.
    /// - Throws: ``ExchangeError``, such as ``ExchangeError/Code/unknownTable`` and
    ///   ``ExchangeError/Code/virtualTable``. The errors of reading. `CancellationError` if the task is cancelled.
    ///   After an error, an existing file is unchanged.
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
