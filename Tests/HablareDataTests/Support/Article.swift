import Foundation
import GRDB
import HablareData

/// A record of an app.
struct Article: Codable, Sendable, Equatable, Identifiable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "article"

    var id: Int64
    var title = ""
    var summary: String?
    var audio: Data?
    var stars: Int?
    var score: Double?
    var isGood: Bool?

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let title = Column(CodingKeys.title)
        static let summary = Column(CodingKeys.summary)
        static let audio = Column(CodingKeys.audio)
        static let stars = Column(CodingKeys.stars)
        static let score = Column(CodingKeys.score)
        static let isGood = Column(CodingKeys.isGood)
        static let missing = Column("missing")
    }
}

/// A record that an app creates from responses.
struct Note: Codable, Sendable, Equatable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "note"

    var id: Int64?
    var text: String

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension DatabaseMigrator {
    /// An app's migrations, including those of this library.
    static var app: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("articles") { database in
            try database.create(table: "article") { table in
                table.primaryKey("id", .integer)
                table.column("title", .text).notNull()
                table.column("summary", .text).check(sql: "summary <> 'forbidden'")
                table.column("audio", .blob)
                table.column("stars", .integer)
                table.column("score", .double)
                table.column("isGood", .boolean)
            }
        }
        migrator.registerHablareData()
        migrator.registerMigration("notes") { database in
            try database.create(table: "note") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("text", .text).notNull()
            }
        }
        return migrator
    }
}
