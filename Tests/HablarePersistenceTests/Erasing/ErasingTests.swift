import Foundation
import GRDB
import HablarePersistence
import Testing

@Suite("Deleting all rows") struct ErasingTests {
    private let database: AppDatabase

    private static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001") { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
                    CREATE TABLE book (id INTEGER PRIMARY KEY, author INTEGER REFERENCES author ON DELETE CASCADE);
                    CREATE TABLE loan (book INTEGER NOT NULL REFERENCES book ON DELETE RESTRICT);
                    CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
                    CREATE VIRTUAL TABLE own USING fts5(text);
                    CREATE VIRTUAL TABLE bare USING fts5(text, content='');
                    CREATE VIRTUAL TABLE older USING fts4(text);
                    CREATE VIRTUAL TABLE words USING fts5vocab('own', 'row');
                    CREATE VIRTUAL TABLE "using fts5(content='')" USING "fts4"(text);
                    CREATE VIRTUAL TABLE area USING rtree(id, low, high);
                    """)
            try SearchIndex(of: "author", columns: ["name"]).create(in: db)
        }
        return migrator
    }()

    init() throws {
        database = try AppDatabase.inMemory(migrator: Self.migrator)
        try database.writer.write { db in
            try db.execute(
                sql: """
                    INSERT INTO author VALUES (1, 'Ada'), (5, 'Bo');
                    INSERT INTO book VALUES (1, 1), (2, NULL); INSERT INTO loan VALUES (1);
                    INSERT INTO setting VALUES ('theme', 'dark');
                    INSERT INTO own VALUES ('text'); INSERT INTO bare (rowid, text) VALUES (1, 'text');
                    INSERT INTO older VALUES ('text'); INSERT INTO area VALUES (1, 2, 3);
                    INSERT INTO "using fts5(content='')" VALUES ('text');
                    """)
        }
    }

    private func counts() throws -> [String: Int] {
        try database.reader.read { db in
            var counts: [String: Int] = [:]
            for table in [
                "author", "book", "loan", "setting", "own", "older", "words", "area", "using fts5(content='')",
            ] {
                counts[table] = try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(table)\"")
            }
            for index in ["author_search", "bare"] {
                counts[index] = try Int.fetchOne(
                    db, sql: "SELECT count(*) FROM \(index) WHERE \(index) MATCH 'ada OR text'")
            }
            return counts
        }
    }

    @Test("deleteAll empties referenced tables and indexes, and keeps the schema", arguments: [false, true])
    func all(vacuum: Bool) async throws {
        let made: @Sendable (Database) throws -> [String] = { db in
            try String.fetchAll(db, sql: "SELECT coalesce(sql, name) FROM sqlite_master ORDER BY 1")
        }
        let schema = try await database.read(made)
        try await database.deleteAll(vacuum: vacuum)
        #expect(try Set(counts().values) == [0])
        #expect(try await database.read(made) == schema)
        #expect(try await database.read { try Self.migrator.hasCompletedMigrations($0) })
        try await database.write { db in
            try db.execute(sql: "INSERT INTO author (name) VALUES ('Ada')")
            #expect(db.lastInsertedRowID == 6, "a number is not given again")
            #expect(try SearchIndex(of: "author", columns: ["name"]).isIntact(in: db))
        }
        #expect(try counts()["author_search"] == 1)
    }

    @Test("deleteAll keeps the excepted tables, and no reference deletes their rows")
    func kept() async throws {
        try await database.deleteAll(except: ["setting", "author", "own", "bare"])
        #expect(
            try counts() == [
                "author": 2, "book": 0, "loan": 0, "setting": 1, "own": 1, "older": 0, "author_search": 1, "bare": 1,
                "words": 1, "area": 0, "using fts5(content='')": 0,
            ])
        #expect(try await database.write { try SearchIndex(of: "author", columns: ["name"]).isIntact(in: $0) })
    }

    @Test("deleteAll is refused if a kept row refers to a deleted one, or a kept table is unknown")
    func refused() async throws {
        let before = try counts()
        for kept in [["book"], ["loan"], ["loan", "book"]] as [Set<String>] {
            let error = await #expect(throws: AppDatabaseError.self) { try await database.deleteAll(except: kept) }
            #expect(error?.code == .stillReferredTo)
            #expect(try counts() == before)
        }
        let error = await #expect(throws: AppDatabaseError.self) { try await database.deleteAll(except: ["settings"]) }
        #expect(error?.code == .unknownTable && error?.message.contains("settings") == true)
        #expect(try counts() == before)
        try await database.deleteAll(except: ["loan", "book", "author"])
        #expect(try counts()["loan"] == 1)
    }

    @Test("deleteAll restores the foreign key checks, even after a failure")
    func checked() async throws {
        await #expect(throws: AppDatabaseError.self) { try await database.deleteAll(except: ["loan"]) }
        await #expect(throws: DatabaseError.self) {
            try await database.write { try $0.execute(sql: "INSERT INTO loan VALUES (99)") }
        }
        try await database.deleteAll()
        await #expect(throws: DatabaseError.self) {
            try await database.write { try $0.execute(sql: "INSERT INTO loan VALUES (1)") }
        }
    }

    @Test("deleteAll also deletes rows that triggers insert")
    func copied() async throws {
        try await database.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER a AFTER DELETE ON setting BEGIN INSERT INTO book VALUES (7, NULL); END;
                    CREATE TRIGGER b AFTER DELETE ON book WHEN old.id = 7 BEGIN
                        INSERT INTO author VALUES (9, 'Copy of ' || old.id); END;
                    """)
        }
        try await database.deleteAll()
        #expect(try Set(counts().values) == [0])
    }

    @Test("deleteAll is rolled back and names the tables if triggers refill or keep rows")
    func refilled() async throws {
        let before = try counts()
        for (trigger, table) in [
            ("AFTER DELETE ON setting BEGIN INSERT INTO setting VALUES (old.name || '!', ''); END", "setting"),
            ("BEFORE DELETE ON book BEGIN SELECT RAISE(IGNORE); END", "book"),
        ] {
            try await database.write { try $0.execute(sql: "CREATE TRIGGER refilling \(trigger)") }
            let error = await #expect(throws: AppDatabaseError.self) { try await database.deleteAll() }
            #expect(error?.code == .refilled && error?.message.contains("rows in \(table), or") == true)
            #expect(try counts() == before)
            try await database.write { try $0.execute(sql: "DROP TRIGGER refilling") }
        }
    }

    @Test("deleteAll is observed like any change, and does not start in a cancelled task")
    func observed() async throws {
        let database = database
        await withTaskGroup(of: Bool.self) { group in
            group.cancelAll()
            group.addTask {
                do {
                    try await database.deleteAll()
                    return false
                } catch {
                    return error is CancellationError
                }
            }
            #expect(await group.next() == true)
        }
        #expect(try counts()["author"] == 2)
        var names = database.values { try String.fetchAll($0, sql: "SELECT name FROM author ORDER BY id") }
            .makeAsyncIterator()
        #expect(try await names.next() == ["Ada", "Bo"])
        try await database.deleteAll()
        #expect(try await names.next() == [])
    }
}
