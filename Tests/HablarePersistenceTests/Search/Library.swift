import GRDB
import HablarePersistence

/// The search tests' app: books with title and text.
enum Library {
    static let index = SearchIndex(of: "book", columns: ["title", "text"])

    static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001-books") { db in
            try db.create(table: "book") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("title", .text).notNull()
                table.column("text", .text)
                table.column("pages", .integer).notNull().defaults(to: 0)
            }
            try index.create(in: db, prefixes: [2])
        }
        return migrator
    }()
}

struct Book: Codable, Hashable, Sendable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "book"
    var id: Int64?
    var title: String
    var text: String?
    var pages = 0

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}
