public import Foundation
import GRDB

extension AppDatabase {
    /// Reads a document that ``export(_:to:)`` wrote into the database, away from the caller's actor.
    ///
    /// All of it is one transaction: whatever is wrong with the document, and wherever, nothing is changed. It is read piece
    /// by piece, so memory has one row at a time. The document must be of a database with the same migrations.
    ///
    /// - Parameters:
    ///   - url: The document.
    ///   - policy: What becomes of rows whose key the database has. Default: the import fails.
    /// - Returns: How many rows were written and left out.
    /// - Throws: ``ExchangeError``, with the place in the document; what writing throws; `CancellationError` when the task is
    ///   cancelled. Nothing is changed then.
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
