import Dispatch
import Foundation
import GRDB
import HablarePersistence
import HablareTestFiles

/// The tests' app: notes in folders.
enum Notes {
    /// The app's only migration.
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

    /// Returns the app's file in a folder.
    static func file(in folder: TemporaryFolder) -> URL { folder.url.appendingPathComponent("notes.sqlite") }
}

/// A row of the app.
struct Note: Codable, Hashable, Sendable, FetchableRecord, MutablePersistableRecord, Identifiable {
    static let databaseTableName = "note"
    var id: Int64?
    var title: String
    var rank: Int?

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension AppDatabase {
    /// Opens a database briefly, and returns after it is closed.
    static func briefly(
        at url: URL, migrator: DatabaseMigrator = Notes.migrator, _ body: (AppDatabase) throws -> Void = { _ in }
    ) throws {
        let closing = DispatchQueue(label: "closing")
        do {
            // The observer of other processes could hold the database for a moment.
            let options = Options(noticesOtherProcesses: false)
            try body(AppDatabase(at: url, migrator: migrator, options: options, closingOn: closing))
        }
        closing.sync {}
    }

    /// Returns the titles in insertion order.
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

/// Returns the error of a piece of code if it is an opening error.
func openingError(_ body: () throws -> Void) -> AppDatabaseError? {
    do {
        try body()
        return nil
    } catch {
        return error as? AppDatabaseError
    }
}
