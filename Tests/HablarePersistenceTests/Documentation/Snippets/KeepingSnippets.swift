import Foundation
import GRDB
import HablarePersistence
import HablarePresentation
import Observation

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

// snippet: the app's schema
/// A page of a journal.
struct JournalPage: Codable, Equatable, Identifiable, Sendable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "journalPage"
    var id: Int64?
    var day: String
    var text: String

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

enum Journal {
    static let search = SearchIndex(of: "journalPage", columns: ["text"])

    static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001-pages") { db in
            try db.create(table: "journalPage") { table in
                table.autoIncrementedPrimaryKey("id")
                table.column("day", .text).notNull()
                table.column("text", .text).notNull()
            }
            try db.create(index: "journalPage_by_day", on: "journalPage", columns: ["day", "id"])
        }
        migrator.registerMigration("002-search") { db in try search.create(in: db) }
        return migrator
    }()
}
// end snippet

// snippet: opening in the composition root
/// Opens the journal of the app. If its file cannot be opened, returns one in memory and the reason.
func openJournal(in folder: URL) async throws -> (database: AppDatabase, problem: String?) {
    let file = folder.appendingPathComponent("journal.sqlite")
    do {
        return (try await AppDatabase.open(at: file, migrator: Journal.migrator), nil)
    } catch let error as AppDatabaseError {
        return (try AppDatabase.inMemory(migrator: Journal.migrator), error.message)
    }
}
// end snippet

// snippet: what a write failed of
/// Adds a page. Returns a message for the user if it could not be written.
func save(_ page: JournalPage, in database: AppDatabase) async throws -> String? {
    do {
        try await database.write { db in _ = try page.inserted(db) }
        return nil
    } catch {
        guard let known = AppDatabaseError(describing: error, of: database) else { throw error }
        return known.message
    }
}
// end snippet

// snippet: walking the migrations
func checkMigrations() throws {
    let walk = MigrationWalk(
        Journal.migrator,
        fixtures: [
            "001-pages": { db in try db.execute(sql: "INSERT INTO journalPage VALUES (1, '2026-11-23', 'Rain.')") },
            "002-search": { db in try db.execute(sql: "INSERT INTO journalPage VALUES (1, '2026-11-23', 'Rain.')") },
        ])
    try walk.run { db, version in
        guard try Journal.search.isIntact(in: db) else { throw SearchIsBroken(version: version) }
    }
}

struct SearchIsBroken: Error { let version: String }
// end snippet

// snippet: observing
@MainActor @Observable
final class Counter {
    private(set) var pages = 0
    private(set) var problem: String?

    /// Follows the database until the task is cancelled.
    func follow(_ database: AppDatabase) async {
        do {
            for try await count in database.values({ db in try JournalPage.fetchCount(db) }) { pages = count }
        } catch {
            problem = error.localizedDescription
        }
    }
}
// end snippet

// snippet: publish it
/// Publishes the number of pages on the main actor, for a view that binds to a publisher.
@MainActor
func publishedCount(of database: AppDatabase) -> AnyPublisher<Int, any Error> {
    MainPublisher.elements { database.values { db in try JournalPage.fetchCount(db) } }
}
// end snippet

// snippet: a window onto a long list
@MainActor
func makeWindow(onto database: AppDatabase) async throws -> PageWindow<JournalPage> {
    let newestFirst = PageOrder(.descending("day"), unique: .descending("id"))
    let window = PageWindow(try PagedQuery(order: newestFirst, size: 100) { JournalPage.all() }, in: database)
    try await window.load()
    return window
}
// end snippet

// snippet: searching while somebody types
func find(_ typed: String, in database: AppDatabase) async throws -> [SearchHit<JournalPage>] {
    guard let terms = SearchTerms(typed, completesLastWord: true) else { return [] }
    return try await database.search(Journal.search, for: terms, as: JournalPage.self).hits
}
// end snippet

// snippet: writing many
/// Adds the pages that can be added. Returns the number of those that could not.
func add(_ pages: [JournalPage], to database: AppDatabase) async throws -> Int {
    let result = try await database.insert(pages, options: BatchOptions(onFailure: .skip))
    return result.failures.count
}
// end snippet

// snippet: moving to another device
func move(from old: AppDatabase, to new: AppDatabase, over file: URL) async throws {
    try await old.export(["journalPage"], to: file)
    try await new.importTables(from: file, onConflict: .skip)
    try await old.deleteAll()
}
// end snippet
