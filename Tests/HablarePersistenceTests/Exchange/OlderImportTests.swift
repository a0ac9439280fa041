import Foundation
import GRDB
import HablarePersistence
import HablareTestFiles
import HablareTestKit
import Testing

@Suite("Import of documents of older versions") struct OlderImportTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.url.appendingPathComponent("tables.json") }

    init() throws { folder = try TemporaryFolder() }

    /// The migrator of a version of an app: the first two versions have no table of authors.
    private static func migrator(version: Int) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001") { db in
            try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, author TEXT, data)")
        }
        if version > 1 {
            migrator.registerMigration("002") { db in
                try db.execute(sql: "ALTER TABLE book ADD COLUMN pages INTEGER NOT NULL DEFAULT 7")
            }
        }
        if version > 2 {
            migrator.registerMigration("003") { db in
                try db.execute(
                    sql: """
                        CREATE TABLE author (name TEXT PRIMARY KEY);
                        INSERT INTO author SELECT DISTINCT author FROM book WHERE author IS NOT NULL;
                        CREATE TABLE newBook (
                            id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, author TEXT REFERENCES author, data,
                            pages INTEGER NOT NULL);
                        INSERT INTO newBook SELECT id, upper(title), author, data, pages FROM book;
                        DROP TABLE book;
                        ALTER TABLE newBook RENAME TO book;
                        """)
            }
        }
        return migrator
    }

    private func open(version: Int = 3) throws -> AppDatabase {
        try AppDatabase.inMemory(migrator: Self.migrator(version: version))
    }

    private func export(version: Int, _ rows: String) async throws {
        let database = try open(version: version)
        try await database.write { try $0.execute(sql: "INSERT INTO book (id, title, author, data) VALUES \(rows)") }
        try await database.export(to: file)
    }

    private func content(_ database: AppDatabase) throws -> [String] {
        try database.reader.read { db in
            try ["author", "book"].flatMap { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1").map { "\($0)" }
            }
        }
    }

    private func importError(
        _ database: AppDatabase, _ policy: ImportPolicy = .abort
    ) async throws -> ExchangeError? {
        let before = try content(database)
        let error = await #expect(throws: ExchangeError.self) {
            try await database.importTables(
                from: file, migrator: Self.migrator(version: 3), onConflict: policy)
        }
        #expect(try content(database) == before, "nothing is changed")
        return error
    }

    @Test("Rows of an older version change as the migrations that it lacks change them", arguments: [1, 2, 3])
    func migrated(version: Int) async throws {
        if version < 3 {
            try await export(
                version: version, "(1, 'one', 'Ada', x'00ff'), (2, 'two', NULL, 1e300), (3, 'three', 'Ada', 1)")
        } else {
            let database = try open()
            try await database.write { db in
                try db.execute(
                    sql: """
                        INSERT INTO author VALUES ('Ada');
                        INSERT INTO book VALUES (1, 'ONE', 'Ada', x'00ff', 7), (2, 'TWO', NULL, 1e300, 7),
                            (3, 'THREE', 'Ada', 1, 7);
                        """)
            }
            try await database.export(to: file)
        }
        let database = try open()
        let result = try await database.importTables(from: file, migrator: Self.migrator(version: 3))
        #expect(result.counts.mapValues(\.written) == ["author": 1, "book": 3])
        let values = try await database.read { db in
            try Row.fetchAll(db, sql: "SELECT id, title, author, data, pages FROM book ORDER BY id").map {
                Array($0.databaseValues)
            }
        }
        let one: [DatabaseValue] = [
            1.databaseValue, "ONE".databaseValue, "Ada".databaseValue, Data([0, 255]).databaseValue, 7.databaseValue,
        ]
        let two: [DatabaseValue] = [
            2.databaseValue, "TWO".databaseValue, .null, (1e300 as Double).databaseValue, 7.databaseValue,
        ]
        let three: [DatabaseValue] = [
            3.databaseValue, "THREE".databaseValue, "Ada".databaseValue, 1.databaseValue, 7.databaseValue,
        ]
        let expected = [one, two, three]
        #expect(values == expected)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["tables.json"])
    }

    @Test("The policy applies to rows of an older version")
    func policies() async throws {
        try await export(version: 1, "(1, 'one', 'Ada', NULL), (2, 'two', 'Ada', NULL)")
        let database = try open()
        try await database.write { db in
            try db.execute(
                sql: "INSERT INTO author VALUES ('Bo'); INSERT INTO book VALUES (1, 'MINE', 'Bo', NULL, 1)")
        }
        #expect(try await importError(database)?.code == .conflict)
        let skipped = try await database.importTables(
            from: file, migrator: Self.migrator(version: 3), onConflict: .skip)
        #expect(skipped.counts["book"]?.written == 1)
        #expect(skipped.counts["book"]?.skipped == 1)
        #expect(try content(database).contains { $0.contains("MINE") })
        try await database.importTables(from: file, migrator: Self.migrator(version: 3), onConflict: .replace)
        #expect(try !content(database).contains { $0.contains("MINE") })
    }

    @Test("A row of an older version that the schema no longer accepts changes nothing, and names the cause")
    func unacceptable() async throws {
        // The last migration makes titles unique.
        try await export(version: 2, "(1, 'one', 'Ada', NULL), (2, 'One', 'Ada', NULL)")
        let database = try open()
        let before = try content(database)
        await #expect(throws: DatabaseError.self) {
            try await database.importTables(from: file, migrator: Self.migrator(version: 3))
        }
        #expect(try content(database) == before)
    }

    @Test("A damaged document of an older version changes nothing, and has a position")
    func damaged() async throws {
        try await export(version: 1, "(1, 'one', 'Ada', NULL)")
        let whole = try Data(contentsOf: file)
        try whole.dropLast(5).write(to: file)
        let database = try open()
        let cut = try await importError(database, .replace)
        #expect(cut?.code == .malformed)
        #expect(cut?.position != nil)
        let text = try #require(String(data: whole, encoding: .utf8))
        try Data(text.replacing("\"title\"", with: "\"name\"").utf8).write(to: file)
        #expect(try await importError(database)?.code == .unknownColumn)
    }

    @Test("A document of a newer version, or of another app, is refused")
    func other() async throws {
        try await export(version: 2, "(1, 'one', 'Ada', NULL)")
        let text = try String(contentsOf: file, encoding: .utf8)
        let database = try open()
        for migrations in ["\"001\",\"002\",\"003\",\"004\"", "\"001\",\"003\"", "\"002\"", "", "\"other\""] {
            try Data(text.replacing("\"001\",\"002\"", with: migrations).utf8).write(to: file)
            #expect(try await importError(database)?.code == .otherSchema, "\(migrations)")
        }
    }
}
