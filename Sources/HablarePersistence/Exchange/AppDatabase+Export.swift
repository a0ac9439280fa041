public import Foundation
import GRDB
import HablareFiles

extension AppDatabase {
    /// Writes tables to a JSON document that ``importTables(from:onConflict:)`` reads, of one moment of the database, away
    /// from the caller's actor.
    ///
    /// Indexes of tables, SQLite's and GRDB's own tables are left out: they come back by themselves. So are, unless they are
    /// named, the tables whose names begin with `hablare_`: they are not the app's rows but a library's own books, and an
    /// old receipt or an old journal of actions that is imported again would have done work done once more. A virtual table
    /// with rows of its own cannot be exported; where all tables are asked for, that is an error and not a silent gap.
    ///
    /// Rows go to the file one by one, so memory has one at a time. The document gets its name when it is whole and on the
    /// disk, in place of a file that had it.
    ///
    /// - Parameters:
    ///   - tables: The names of the tables, in any order; `nil`: all that hold the app's rows. Default: all.
    ///   - url: The file. Its folder must be there.
    /// - Throws: ``ExchangeError``, as ``ExchangeError/Code/unknownTable`` and ``ExchangeError/Code/virtualTable``; what reading throws; `CancellationError` when the task is cancelled. The file that was
    ///   there before is then there still.
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
