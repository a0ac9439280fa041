import Foundation
import GRDB
import Hablare
import HablareData
import HablarePersistence

/// The app's side of the benchmarks: a database on disk with a table of rows to merge into, durable as the library's default
/// has it.
enum AppTable {
    struct Item: Codable, FetchableRecord, PersistableRecord, Identifiable {
        static let databaseTableName = "item"

        var id: Int64
        var text: String?

        enum Columns {
            static let text = Column(CodingKeys.text)
        }
    }

    /// A queue's action that changes nothing.
    struct Swipe: QueuedAction {
        var photo: String
        var group: Int { 0 }
    }

    static func open(in folder: URL, rows: Int = 0) throws -> AppDatabase {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("items") { db in
            try db.create(table: "item") { table in
                table.primaryKey("id", .integer)
                table.column("text", .text)
            }
        }
        migrator.registerHablareData()
        let database = try AppDatabase(at: folder.appendingPathComponent("app.sqlite"), migrator: migrator)
        try insert(rows, into: database)
        return database
    }

    private static func insert(_ rows: Int, into database: AppDatabase) throws {
        try database.writer.write { db in
            for id in 0..<rows { try Item(id: Int64(id)).insert(db) }
        }
    }

    static func response(_ text: String) -> AIResponseData {
        AIResponseData(
            requestID: .timeOrdered(), providerID: "bench", result: .success(.text(Body(text))), receivedAt: Date())
    }
}
