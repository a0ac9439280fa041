public import Foundation
import GRDB

extension AppDatabase {
    /// Reads a document that ``export(_:to:)`` wrote into the database, away from the caller's actor.
    ///
    /// It is one transaction: if anything in the document is wrong, nothing is changed. The document is read piece by
    /// piece, so only one row is in memory. It must come from a database with the same migrations.
    ///
    /// - Parameters:
    ///   - url: The document.
    ///   - policy: The treatment of rows whose key the database has. Default: the import fails.
    /// - Returns: The numbers of rows that were written and left out.
    /// - Throws: ``ExchangeError``, with the position in the document; the errors of writing; `CancellationError` if
    ///   the task is cancelled. Nothing is changed then.
    @concurrent
    @discardableResult
    public func importTables(from url: URL, onConflict policy: ImportPolicy = .abort) async throws -> ImportResult {
        try await write { db in
            let file: FileHandle
            do {
                file = try FileHandle(forReadingFrom: url)
            } catch {
                throw Self.unreadable(url, error)
            }
            let reader = JSONReader { count in
                do {
                    return try file.read(upToCount: count)
                } catch {
                    throw Self.unreadable(url, error)
                }
            }
            var tables = TableImport(reader, into: db, policy: policy)
            return try tables.run()
        }
    }

    private static func unreadable(_ url: URL, _ cause: any Error) -> ExchangeError {
        ExchangeError(
            .fileFailed, "\(url.path) could not be read. Check that it is there and that you may read it.", cause: cause
        )
    }
}
