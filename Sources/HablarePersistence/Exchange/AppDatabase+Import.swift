public import Foundation
import GRDB

extension AppDatabase {
    /// Reads a document that ``export(_:to:)`` wrote into the database, off the caller's actor.
    ///
    /// The import is one transaction. If anything in the document is wrong, nothing is changed. The document is read
    /// piece by piece, so only one row is in memory. The document must come from a database with the same migrations.
    ///
    /// - Parameters:
    ///   - url: The document.
    ///   - policy: The action for rows whose key is already in the database. Default: the import fails.
    /// - Returns: The numbers of rows that were written and skipped.
    /// - Throws: ``ExchangeError`` with the position in the document. The errors of writing. `CancellationError` if the
    ///   task is cancelled. After an error, nothing is changed.
    @concurrent
    @discardableResult
    public func importTables(from url: URL, onConflict policy: ImportPolicy = .abort) async throws -> ImportResult {
        try await write { db in
            var tables = try TableImport(try Self.reader(of: url), into: db, policy: policy)
            return try tables.run()
        }
    }

    static func reader(of url: URL) throws -> JSONReader {
        let file: FileHandle
        do {
            file = try FileHandle(forReadingFrom: url)
        } catch {
            throw Self.unreadable(url, error)
        }
        return JSONReader { count in
            do {
                return try file.read(upToCount: count)
            } catch {
                throw Self.unreadable(url, error)
            }
        }
    }

    private static func unreadable(_ url: URL, _ cause: any Error) -> ExchangeError {
        ExchangeError(
            .fileFailed, "\(url.path) could not be read. Check that the file exists and that you may read it.",
            cause: cause
        )
    }
}
