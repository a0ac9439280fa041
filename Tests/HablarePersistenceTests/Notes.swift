import Dispatch
import Foundation
import GRDB
import HablarePersistence
import HablareTestFiles

/// The app of the tests: notes in folders.
enum Notes {
    /// Its only migration.
    static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001-notes") { db in
            try db.create(table: "note") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("title", .text).notNull()
                table.column("rank", .integer)
            }
        }
        return migrator
    }()

    /// Its file in a folder.
    static func file(in folder: TemporaryFolder) -> URL { folder.url.appendingPathComponent("notes.sqlite") }
}

/// A row of it.
struct Note: Codable, Hashable, Sendable, FetchableRecord, MutablePersistableRecord, Identifiable {
    static let databaseTableName = "note"
    var id: Int64?
    var title: String
    var rank: Int?

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension AppDatabase {
    /// Opens a database for a moment, and returns when it is closed.
    static func briefly(
        at url: URL, migrator: DatabaseMigrator = Notes.migrator, _ body: (AppDatabase) throws -> Void = { _ in }
    ) throws {
        let closing = DispatchQueue(label: "closing")
        do {
            // Who looks for others may hold the database for a moment.
            let options = Options(noticesOtherProcesses: false)
            try body(AppDatabase(at: url, migrator: migrator, options: options, closingOn: closing))
        }
        closing.sync {}
    }

    /// Titles in the order of their making.
    func titles() throws -> [String] {
        try reader.read { db in try String.fetchAll(db, sql: "SELECT title FROM note ORDER BY id") }
    }

    /// Inserts a note with a title.
    func add(_ title: String, rank: Int? = nil) throws {
        try writer.write { db in
            var note = Note(title: title, rank: rank)
            try note.insert(db)
        }
    }
}

/// What a piece of code throws, if that is an error of opening.
func openingError(_ body: () throws -> Void) -> AppDatabaseError? {
    do {
        try body()
        return nil
    } catch {
        return error as? AppDatabaseError
    }
}
