import Dispatch
public import Foundation
public import GRDB
import HablareFiles

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
    ///   ``ExchangeError/Code/otherSchema``. The errors of writing. `CancellationError` if the task is cancelled. After
    ///   an error, nothing is changed.
    @concurrent
    @discardableResult
    public func importTables(
        from url: URL, migrator: DatabaseMigrator, onConflict policy: ImportPolicy = .abort
    ) async throws -> ImportResult {
        do {
            return try await importTables(from: url, onConflict: policy)
        } catch let error as ExchangeError where error.code == .otherSchema {
            let current = FileManager.default.temporaryDirectory
                .appendingPathComponent("hablare-import-\(UUID().uuidString).json")
            guard try await Self.writeMigrated(url, by: migrator, to: current) else { throw error }
            let outcome: Result<ImportResult, any Error>
            do {
                outcome = .success(try await importTables(from: current, onConflict: policy))
            } catch {
                outcome = .failure(error)
            }
            try FileManager.default.removeItem(at: current)
            return try outcome.get()
        }
    }

    /// Writes the document as the current version would. Returns false if it is not of an older version.
    private static func writeMigrated(_ url: URL, by migrator: DatabaseMigrator, to current: URL) async throws -> Bool {
        // Runs on a thread that may block. The few threads that tasks share must not.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(with: Result { try migrated(url, by: migrator, to: current) })
            }
        }
    }

    private static func migrated(_ url: URL, by migrator: DatabaseMigrator, to current: URL) throws -> Bool {
        // An empty path opens a database in a temporary file.
        let queue = try DatabaseQueue(path: "")
        let theirs = try queue.read { db in
            var tables = TableImport(try reader(of: url), into: db, policy: .abort)
            return try Set(tables.header())
        }
        let earlier = migrator.migrations.prefix { theirs.contains($0) }
        guard let last = earlier.last, Set(earlier) == theirs, earlier.count < migrator.migrations.count else {
            return false
        }
        try migrator.migrate(queue, upTo: last)
        let known = try queue.read { try Set(TableDocument.tables($0)) }
        let result = try queue.write { db in
            var tables = TableImport(try reader(of: url), into: db, policy: .abort)
            return try tables.run()
        }
        try migrator.migrate(queue)
        try queue.read { db in
            // The tables of the document, and those to which later migrations may have moved rows.
            let tables = try TableDocument.tables(db).filter { table in
                result.counts[table] != nil
                    || !known.contains(table) && !table.lowercased().hasPrefix(TableDocument.prefixOfBooks)
            }
            do {
                try TableExport(db: db, file: ReplacingFile(current.path)).write(tables)
            } catch let error as FileFailure {
                throw ExchangeError(
                    .fileFailed, "\(current.path) could not be written. Check the space on the disk.", cause: error)
            }
        }
        return true
    }
}
