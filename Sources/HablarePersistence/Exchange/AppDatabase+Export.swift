public import Foundation
import GRDB
import HablareFiles

extension AppDatabase {
    /// Writes tables to a JSON document that ``importTables(from:onConflict:)`` reads, of one moment of the database, away
    /// from the caller's actor.
    ///
    /// Rows go to the file one by one, so memory has one at a time. The document gets its name when it is whole and on the
    /// disk, in place of a file that had it.
    ///
    /// - Parameters:
    ///   - tables: The names of the tables; `nil`: all that hold the app's rows. Default: all.
    ///   - url: The file. Its folder must be there.
    /// - Throws: ``ExchangeError``; what reading throws; `CancellationError` when the task is cancelled. The file that was
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
