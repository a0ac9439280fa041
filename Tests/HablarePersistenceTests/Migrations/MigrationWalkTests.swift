import GRDB
import HablarePersistence
import Testing

@Suite("MigrationWalk") struct MigrationWalkTests {
    /// Returns a migrator that creates authors, then their books, then books by title alone.
    private func migrator(
        third: @escaping @Sendable (Database) throws -> Void = { db in
            try db.execute(sql: "ALTER TABLE book ADD COLUMN pages INTEGER")
        }
    ) -> DatabaseMigrator {
        var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
        migrator.registerMigration("1") {
            try $0.execute(sql: "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT)")
        }
        migrator.registerMigration("2") { db in
            try db.execute(
                sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, author INTEGER NOT NULL REFERENCES author, title TEXT)"
            )
        }
        migrator.registerMigration("3", migrate: third)
        return migrator
    }

    private static let fixtures: [String: MigrationWalk.Fixture] = [
        "1": { try $0.execute(sql: "INSERT INTO author VALUES (1, 'Ada')") },
        "2": { try $0.execute(sql: "INSERT INTO author VALUES (1, 'Ada'); INSERT INTO book VALUES (1, 1, 'Notes')") },
        "3": { db in
            try db.execute(sql: "INSERT INTO author VALUES (1, 'Ada'); INSERT INTO book VALUES (1, 1, 'Notes', 65)")
        },
    ]

    private func error(
        _ migrator: DatabaseMigrator, _ fixtures: [String: MigrationWalk.Fixture] = fixtures,
        check: (Database, String) throws -> Void = { _, _ in }
    ) -> MigrationWalkError? {
        do {
            try MigrationWalk(migrator, fixtures: fixtures).run(check: check)
            return nil
        } catch {
            return error
        }
    }

    @Test("The walk starts at each version with its rows and migrates them to the newest")
    func whole() throws {
        var seen: [String] = []
        let found = error(migrator()) { db, version in
            seen.append("\(version): \(try Int.fetchAll(db, sql: "SELECT count(*) FROM book"))")
            #expect(try String.fetchOne(db, sql: "SELECT name FROM author") == "Ada")
            #expect(try db.columns(in: "book").map(\.name) == ["id", "author", "title", "pages"])
        }
        #expect(found == nil)
        #expect(seen == ["1: [0]", "2: [1]", "3: [1]"])
    }

    @Test("The walk finds a migration that fails only with rows")
    func failing() throws {
        let found = error(migrator { try $0.execute(sql: "ALTER TABLE book ADD COLUMN isbn TEXT NOT NULL") })
        #expect(found?.code == .migrationFailed)
        #expect(found?.migration == "3")
        let withRows = error(
            migrator { db in
                try db.execute(
                    sql: """
                        CREATE TABLE new (id INTEGER PRIMARY KEY, author INTEGER NOT NULL REFERENCES author, pages INTEGER NOT NULL);
                        INSERT INTO new SELECT id, author, NULL FROM book;
                        DROP TABLE book; ALTER TABLE new RENAME TO book;
                        """)
            })
        #expect(withRows?.code == .migrationFailed)
        #expect(withRows?.version == "2" && withRows?.migration == "3", "version 1 has no book, and passes")
        #expect(withRows?.message.contains("\u{201C}2\u{201D}") == true)
        #expect((withRows?.cause as? DatabaseError)?.resultCode == .SQLITE_CONSTRAINT)
    }

    @Test("The walk finds rows whose references a migration deleted")
    func dangling() throws {
        let found = error(
            migrator { db in
                try db.execute(sql: "ALTER TABLE book ADD COLUMN pages INTEGER; DELETE FROM author")
            })
        #expect(found?.code == .danglingReferences)
        #expect(found?.version == "2" && found?.migration == "3")
    }

    @Test("The walk finds rows that violate a constraint after a migration")
    func damaged() throws {
        let found = error(
            migrator { db in
                try db.execute(
                    sql: """
                        ALTER TABLE book ADD COLUMN pages INTEGER;
                        PRAGMA ignore_check_constraints = ON;
                        CREATE TABLE rule (value CHECK (value > 0));
                        INSERT INTO rule SELECT -1 FROM book;
                        PRAGMA ignore_check_constraints = OFF;
                        """)
            })
        #expect(found?.code == .damaged)
        #expect(found?.message.contains("CHECK constraint failed in rule") == true)
    }

    @Test("The walk finds a schema that depends on the starting version")
    func otherSchema() throws {
        let found = error(
            migrator { db in
                try db.execute(sql: "ALTER TABLE book ADD COLUMN pages INTEGER")
                if try Int.fetchOne(db, sql: "SELECT count(*) FROM book") == 1 {
                    try db.execute(sql: "CREATE INDEX by_pages ON book (pages)")
                }
            })
        #expect(found?.code == .otherSchema && found?.version == "2")
        #expect(found?.message.contains("CREATE INDEX by_pages") == true)
    }

    @Test("The walk requires a working fixture with rows for each version, and none for others")
    func fixtures() throws {
        var fixtures = Self.fixtures
        fixtures["2"] = nil
        #expect(error(migrator(), fixtures)?.code == .fixtureMissing)
        #expect(error(migrator(), fixtures)?.version == "2")
        fixtures["2"] = { _ in }
        #expect(error(migrator(), fixtures)?.code == .fixtureEmpty)
        fixtures["2"] = { try $0.execute(sql: "INSERT INTO nowhere VALUES (1)") }
        #expect(error(migrator(), fixtures)?.code == .fixtureFailed)
        fixtures["2"] = { try $0.execute(sql: "PRAGMA defer_foreign_keys = ON; INSERT INTO book VALUES (1, 9, 'x')") }
        #expect(error(migrator(), fixtures)?.code == .fixtureFailed)
        fixtures = Self.fixtures
        fixtures["22"] = { _ in }
        #expect(error(migrator(), fixtures)?.code == .fixtureUnknown)
        #expect(error(DatabaseMigrator(), [:])?.code == .nothingToWalk)
    }

    @Test("The walk reports the error of the app's own check with its version")
    func check() throws {
        struct BookIsGone: Error {}
        let found = error(migrator()) { db, _ in
            if try Int.fetchOne(db, sql: "SELECT count(*) FROM book") == 0 { throw BookIsGone() }
        }
        #expect(found?.code == .checkFailed && found?.version == "1" && found?.cause is BookIsGone)
    }

    @Test("The walk prepares its databases like the app, and disables eraseDatabaseOnSchemaChange")
    func prepared() throws {
        var migrator = migrator {
            try $0.execute(sql: "ALTER TABLE book ADD COLUMN pages; UPDATE author SET name = shout(name)")
        }
        migrator.eraseDatabaseOnSchemaChange = true
        let shout = DatabaseFunction("shout", argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0])?.uppercased()
        }
        try MigrationWalk(migrator, fixtures: Self.fixtures, prepare: { $0.add(function: shout) }).run { db, version in
            let name = try String.fetchOne(db, sql: "SELECT name FROM author")
            #expect(name == (version == "3" ? "Ada" : "ADA"))
        }
    }
}
