import Dispatch
import Foundation
import GRDB

/// The rows of a document of an older version, in a temporary database that was migrated to the current schema. SQLite
/// removes the database's file when it is closed.
struct OlderTables {
    private let queue: DatabaseQueue
    private let tables: [String]

    /// Reads a document. Returns `nil` if the migrator does not begin with the document's migrations, or has no others.
    @concurrent
    static func read(_ url: URL, by migrator: DatabaseMigrator) async throws -> OlderTables? {
        // Runs on a thread that may block. The few threads that tasks share must not.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(with: Result { try OlderTables(url, migrator) })
            }
        }
    }

    private init?(_ url: URL, _ migrator: DatabaseMigrator) throws {
        // An empty path opens a database in a temporary file.
        queue = try DatabaseQueue(path: "")
        let theirs = try queue.read { db in
            var document = try TableImport(AppDatabase.reader(of: url), into: db, policy: .abort)
            return try Set(document.header())
        }
        let earlier = migrator.migrations.prefix { theirs.contains($0) }
        guard let last = earlier.last, Set(earlier) == theirs, earlier.count < migrator.migrations.count else {
            return nil
        }
        try migrator.migrate(queue, upTo: last)
        let known = try queue.read { try Set(TableDocument.tables($0)) }
        let result = try queue.write { db in
            var document = try TableImport(AppDatabase.reader(of: url), into: db, policy: .abort)
            return try document.run()
        }
        try migrator.migrate(queue)
        // The tables of the document, and those to which later migrations may have moved rows.
        tables = try queue.read(TableDocument.tables).filter { table in
            result.counts[table] != nil
                || !known.contains(table) && !table.lowercased().hasPrefix(TableDocument.prefixOfBooks)
        }
    }

    /// Writes the rows into a database with the current schema, row by row. The caller opens the transaction.
    func write(into db: Database, policy: ImportPolicy) throws -> ImportResult {
        var writer = try TableWriter(db: db, policy: policy)
        try queue.read { theirs in
            for table in tables {
                let columns = try TableDocument.columns(table, theirs)
                try writer.begin(table)
                try writer.choose(columns)
                let rows = try SQLRequest<Row>(
                    "SELECT \(columns.map { SQL("\(identifier: $0)") }.joined(separator: ", ")) FROM \(identifier: table)"
                ).fetchCursor(theirs)
                while let row = try rows.next() { try writer.insert(Array(row.databaseValues)) }
            }
        }
        return try writer.finish()
    }
}
