public import Foundation
public import GRDB

extension AppDatabase {
    /// Reads a document of this version of the app, or of an older one, into the database, off the caller's actor.
    ///
    /// A document with earlier migrations is read into a temporary database with those migrations. That database is
    /// migrated to the current schema, and its rows are imported. So rows change as the rows of a person change who
    /// updates the app. A migration that is registered later must come after the released ones in the migrator.
    ///
    /// - Parameters:
    ///   - url: The document.
    ///   - migrator: The migrator of the database.
    ///   - policy: The action for rows whose key is already in the database. Default: the import fails.
    /// - Returns: The numbers of rows that were written and skipped.
    /// - Throws: ``ExchangeError``; of a document with migrations that the migrator does not begin with, the code is
    ///   ``ExchangeError/Code/otherSchema``. A conflict with a row of an older document has no position. The errors of
    ///   writing. `CancellationError` if the task is cancelled. After an error, nothing is changed.
    @concurrent
    @discardableResult
    public func importTables(
        from url: URL, migrator: DatabaseMigrator, onConflict policy: ImportPolicy = .abort
    ) async throws -> ImportResult {
        do {
            return try await importTables(from: url, onConflict: policy)
        } catch let error as ExchangeError where error.code == .otherSchema {
            guard let older = try await OlderTables.read(url, by: migrator) else { throw error }
            return try await write { try older.write(into: $0, policy: policy) }
        }
    }
}
