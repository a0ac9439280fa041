import GRDB
import HablarePersistence

/// Deletes the rows of a version that readers do not see, in batches, so that the writer is never kept for long.
struct TextEraser {
    /// The number of rows of a batch: 2,000.
    static let batchSize = 2_000

    let database: AppDatabase

    /// Deletes a version. It must be retired, or an import that was abandoned.
    func erase(_ version: TextVersion) throws {
        for (table, key) in [("verse", "ordinal"), ("word", "word"), ("chapterBody", "chapter")] {
            while try eraseBatch(of: table, key, version) {}
        }
        try database.writer.write { db in
            for table in ["verseLengths", "chapter", "book"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE text = ?", arguments: [version.rawValue])
            }
            try db.execute(sql: "DELETE FROM text WHERE version = ?", arguments: [version.rawValue])
        }
    }

    /// Deletes some rows. Returns whether any was there.
    private func eraseBatch(of table: String, _ key: String, _ version: TextVersion) throws -> Bool {
        let selection =
            table == "chapterBody"
            ? "chapter IN (SELECT body.chapter FROM chapter JOIN chapterBody AS body ON body.chapter = chapter.id WHERE text = ? LIMIT ?)"
            : "text = ?1 AND \(key) IN (SELECT \(key) FROM \(table) WHERE text = ?1 ORDER BY \(key) LIMIT ?2)"
        return try database.writer.write { db in
            try db.execute(
                sql: "DELETE FROM \(table) WHERE \(selection)", arguments: [version.rawValue, Self.batchSize])
            return db.changesCount > 0
        }
    }
}
