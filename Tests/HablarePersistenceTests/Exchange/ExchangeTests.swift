import Foundation
import GRDB
import HablarePersistence
import HablareTestFiles
import HablareTestKit
import Testing

@Suite("Export and import of tables") struct ExchangeTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.url.appendingPathComponent("tables.json") }

    init() throws { folder = try TemporaryFolder() }

    private static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001") { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);
                    CREATE TABLE book (
                        author INTEGER NOT NULL REFERENCES author ON DELETE CASCADE, number INTEGER, title TEXT CHECK (title <> ''),
                        loud TEXT GENERATED ALWAYS AS (upper(title)) STORED,
                        PRIMARY KEY (author, number)) WITHOUT ROWID;
                    CREATE TABLE anything ("order by", b);
                    """)
            try SearchIndex(of: "author", columns: ["name"]).create(in: db)
        }
        return migrator
    }()

    private func open() throws -> AppDatabase { try AppDatabase.inMemory(migrator: Self.migrator) }

    private func filled() throws -> AppDatabase {
        let database = try open()
        try database.writer.write { db in
            try db.execute(
                sql: """
                    INSERT INTO author VALUES (1, 'Ada'), (7, 'Bo "x"\n');
                    INSERT INTO book VALUES (7, 2, 'b'), (1, 1, 'a'), (7, 1, NULL);
                    """)
        }
        return database
    }

    private func content(_ database: AppDatabase) throws -> [String] {
        try database.reader.read { db in
            try ["author", "book", "anything"].flatMap { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1, 2").map { "\(table) \($0)" }
            }
        }
    }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: file) }

    private func importError(
        _ database: AppDatabase, _ policy: ImportPolicy = .abort
    ) async throws -> ExchangeError? {
        let before = try content(database)
        let error = await #expect(throws: ExchangeError.self) {
            try await database.importTables(from: file, onConflict: policy)
        }
        #expect(try content(database) == before, "nothing is changed")
        return error
    }

    @Test("Exported tables are equal after the import, in any order of references")
    func roundTrip() async throws {
        let database = try filled()
        for tables in [nil, ["book", "author", "anything"]] {
            try await database.export(tables, to: file)
            let other = try open()
            let result = try await other.importTables(from: file)
            #expect(result.counts.mapValues(\.written) == ["author": 2, "book": 3, "anything": 0])
            #expect(try content(other) == content(database))
            let found = try await other.search(
                SearchIndex(of: "author", columns: ["name"]), for: #require(SearchTerms("ada")), as: Author.self)
            #expect(found.hits.count == 1, "the index knows the imported rows")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["tables.json"])
    }

    @Test("An export is a readable document with name, version and migrations, equal for equal rows")
    func document() async throws {
        let database = try filled()
        try await database.export(["author", "book"], to: file)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(
            text == """
                {"format":"hablare-tables","version":1,"migrations":["001"],"tables":[
                {"name":"author","columns":["id","name"],"rows":[
                [1,"Ada"],
                [7,"Bo \\"x\\"\\n"]
                ]},
                {"name":"book","columns":["author","number","title"],"rows":[
                [1,1,"a"],
                [7,1,null],
                [7,2,"b"]
                ]}
                ]}

                """)
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        #expect((object?["tables"] as? [Any])?.count == 2)
    }

    @Test("Export and import keep every value exactly", arguments: Seeds.choose(5))
    func values(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let database = try open()
        var values: [DatabaseValue] = [
            .null, Int64.max.databaseValue, Int64.min.databaseValue, 9_007_199_254_740_993.databaseValue,
            0.1.databaseValue,
            5.0.databaseValue, 1e300.databaseValue, (-0.0).databaseValue, Double.leastNonzeroMagnitude.databaseValue,
            Double.greatestFiniteMagnitude.databaseValue, Double.infinity.databaseValue,
            (-Double.infinity).databaseValue,
            "".databaseValue, "\u{1F600}\u{2028}\u{7F}\u{1}\"\\/".databaseValue, "1".databaseValue,
            Data().databaseValue,
            Data([0, 255, 10]).databaseValue,
        ]
        for _ in 0..<50 {
            values.append(Double(bitPattern: random.next()).databaseValue)
            values.append(Int64(bitPattern: random.next()).databaseValue)
            values.append(
                Data((0..<Int.random(in: 0..<9, using: &random)).map { _ in UInt8(random.next() & 255) }).databaseValue)
        }
        let rows = values
        try await database.write { db in
            for value in rows { try db.execute(sql: "INSERT INTO anything VALUES (?, 1)", arguments: [value]) }
        }
        try await database.export(["anything"], to: file)
        let other = try open()
        try await other.importTables(from: file)
        let read: @Sendable (Database) throws -> [DatabaseValue] = { db in
            try DatabaseValue.fetchAll(db, sql: "SELECT \"order by\" FROM anything ORDER BY rowid")
        }
        let (theirs, ours) = (try await other.read(read), try await database.read(read))
        #expect(theirs == ours, "HABLARE_SEED=\(seed)")
        #expect(theirs.map(\.storage.isReal) == ours.map(\.storage.isReal), "HABLARE_SEED=\(seed)")
        #expect(ours.count == values.count)
    }

    @Test("An import aborts at an existing row, replaces it or skips it, as its policy says")
    func policies() async throws {
        let source = try filled()
        try await source.export(to: file)
        let database = try open()
        try await database.write { db in
            try db.execute(
                sql: "INSERT INTO author VALUES (1, 'Other'); INSERT INTO book VALUES (1, 1, 'kept?'), (1, 9, 'mine')")
        }
        let error = try await importError(database)
        #expect(error?.code == .conflict)
        #expect(error?.position == .init(line: 5, table: "author", row: 1))
        let skipped = try await database.importTables(from: file, onConflict: .skip)
        #expect(skipped.counts["author"]?.written == 1 && skipped.counts["author"]?.skipped == 1)
        #expect(skipped.counts["book"]?.written == 2 && skipped.counts["book"]?.skipped == 1)
        let titles: @Sendable (Database) throws -> [String] = {
            try String.fetchAll($0, sql: "SELECT name FROM author UNION ALL SELECT title FROM book WHERE author = 1")
        }
        #expect(try await database.read(titles) == ["Other", "Bo \"x\"\n", "kept?", "mine"])
        let replaced = try await database.importTables(from: file, onConflict: .replace)
        #expect(replaced.counts["book"]?.written == 3)
        let now = try await database.read(titles)
        #expect(
            now == ["Ada", "Bo \"x\"\n", "a", "mine"],
            "a replaced author keeps the books that refer to it")
    }

    @Test(
        "An import is refused if a row shares a unique value with a row of another key",
        arguments: [ImportPolicy.replace, .skip, .abort])
    func otherKey(policy: ImportPolicy) async throws {
        try await filled().export(["author"], to: file)
        let database = try open()
        try await database.write { db in
            try db.execute(sql: "INSERT INTO author VALUES (2, 'Ada'); INSERT INTO book VALUES (2, 1, 'hers')")
        }
        let error = try await importError(database, policy)
        #expect(error?.code == .conflict)
        #expect(error?.position?.row == 1)
        #expect(error?.message.contains("another key") == (policy != .abort))
    }

    @Test("Tables without other columns than the key, or without a key, work with each policy")
    func keys() async throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("001") { db in
            try db.execute(
                sql: "CREATE TABLE mark (a TEXT COLLATE NOCASE, b INTEGER, PRIMARY KEY (a, b)); CREATE TABLE line (x)")
        }
        let database = try AppDatabase.inMemory(migrator: migrator)
        try await database.write { db in
            try db.execute(sql: "INSERT INTO mark VALUES ('x', 1), ('y', 1); INSERT INTO line VALUES ('one')")
        }
        try await database.export(to: file)
        try await database.write { db in
            try db.execute(sql: "UPDATE mark SET a = 'X' WHERE a = 'x'; DELETE FROM mark WHERE a = 'y'")
        }
        let replaced = try await database.importTables(from: file, onConflict: .replace)
        #expect(replaced.counts["mark"]?.written == 2 && replaced.counts["line"]?.written == 1)
        let skipped = try await database.importTables(from: file, onConflict: .skip)
        #expect(skipped.counts["mark"]?.skipped == 2 && skipped.counts["line"]?.written == 1)
        let marks = try await database.read { try String.fetchAll($0, sql: "SELECT a FROM mark ORDER BY a") }
        #expect(marks == ["X", "y"], "a key stays as it is written")
    }

    @Test("An export omits the library's own tables unless they are named")
    func books() async throws {
        let database = try filled()
        try await database.write { db in
            try db.execute(sql: "CREATE TABLE hablare_actions (id INTEGER); INSERT INTO hablare_actions VALUES (1)")
        }
        try await database.export(to: file)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("\"author\"") && !text.contains("hablare_actions"))
        try await database.export(["hablare_actions"], to: file)
        #expect(try String(contentsOf: file, encoding: .utf8).contains("hablare_actions"))
    }

    @Test(
        "An export of all tables is refused if a virtual table has its own rows",
        arguments: [
            ("fts5(text)", true), ("fts4(text)", true), ("rtree(id, low, high)", true),
            ("fts5(text, content='')", false),
            ("fts5vocab('author_search', 'row')", false),
        ])
    func virtual(module: String, isRefused: Bool) async throws {
        let database = try filled()
        try await database.write { try $0.execute(sql: "CREATE VIRTUAL TABLE \"its own\" USING \(module)") }
        var error: ExchangeError?
        do {
            try await database.export(to: file)
        } catch let refusal as ExchangeError {
            error = refusal
        }
        #expect(error?.code == (isRefused ? .virtualTable : nil))
        #expect(error == nil || error?.message.contains("its own cannot be exported") == true)
        #expect(FileManager.default.fileExists(atPath: file.path) == !isRefused)
        try await database.export(["author"], to: file)
    }

    @Test("An import with an invalid row is refused with the position, and changes nothing")
    func invalidRows() async throws {
        let head = #"{"format":"hablare-tables","version":1,"migrations":["001"],"tables":["# + "\n"
        let author = #"{"name":"author","columns":["id","name"],"rows":["# + "\n"
        let book = #"{"name":"book","columns":["author","number","title"],"rows":["# + "\n"
        for (text, code, line, row) in [
            (author + "[1,\"a\"],\n[2]\n]}]}", ExchangeError.Code.invalidRow, 4, 2 as Int?),
            (author + "[1,\"a\",2]\n]}]}", .invalidRow, 3, 1),
            (author + "[\"x\",\"a\"]\n]}]}", .invalidRow, 3, 1),
            (author + "[1,\"a\"]\n]},\n" + book + "[1,1,\"\"]\n]}]}", .invalidRow, 6, 1),
            (author + "[1,true]\n]}]}", .malformed, 3, nil),
            (author + "[1,{\"base64\":\"?\"}]\n]}]}", .malformed, 3, nil),
            (author + "[1,{\"date\":\"x\"}]\n]}]}", .malformed, 3, nil),
            (author + "[1,[]]\n]}]}", .malformed, 3, nil),
            (author + "[1,\"a\"]", .malformed, 3, nil),
            (author + "[1,\"a\"]]}]}x", .malformed, 3, nil),
            (author + "7]}]}", .malformed, 3, nil),
            (#"{"name":"none","columns":["a"],"rows":[]}]}"#, .unknownTable, 2, nil),
            (#"{"name":"grdb_migrations","columns":["identifier"],"rows":[]}]}"#, .unknownTable, 2, nil),
            (#"{"name":"author_search","columns":["name"],"rows":[]}]}"#, .unknownTable, 2, nil),
            (#"{"name":"author","columns":["none"],"rows":[]}]}"#, .unknownColumn, 2, nil),
            (#"{"name":"author","columns":["id","id"],"rows":[]}]}"#, .unknownColumn, 2, nil),
            (#"{"name":"book","columns":["loud"],"rows":[]}]}"#, .unknownColumn, 2, nil),
            (#"{"name":"author","columns":[],"rows":[]}]}"#, .malformed, 2, nil),
            (#"{"name":"author","rows":[],"columns":["id"]}]}"#, .malformed, 2, nil),
            (#"{"columns":["id"]}]}"#, .malformed, 2, nil),
            (#"[]]}"#, .malformed, 2, nil),
        ] {
            try write(head + text)
            let error = try await importError(open())
            #expect(error?.code == code, "\(text)")
            #expect(error?.position?.line == line, "\(text)")
            if let row { #expect(error?.position?.row == row, "\(text)") }
        }
    }

    @Test("An import of another format, a newer version or another schema is refused")
    func other() async throws {
        for (text, code) in [
            ("[]", ExchangeError.Code.malformed), ("{}", .malformed), (#"{"format":"other"}"#, .unknownFormat),
            (#"{"format":1}"#, .unknownFormat), (#"{"format":"hablare-tables","version":2}"#, .unknownFormat),
            (#"{"format":"hablare-tables","version":1,"migrations":["001","002"],"tables":[]}"#, .otherSchema),
            (#"{"format":"hablare-tables","version":1,"migrations":[],"tables":[]}"#, .otherSchema),
        ] {
            try write(text)
            #expect(try await importError(open())?.code == code, "\(text)")
        }
        #expect(try await importError(open())?.message.contains("Export it with the current version") == true)
    }

    @Test("An import is refused if a reference is dangling at its end")
    func dangling() async throws {
        let database = try filled()
        try await database.export(["book"], to: file)
        let error = try await importError(open())
        #expect(error?.code == .danglingReferences)
        #expect(error?.message.contains("Also export the tables of those rows") == true)
    }

    @Test(
        "Only existing tables of the app can be exported, not those of an index or library",
        arguments: ["none", "grdb_migrations", "author_search", "author_search_data", "sqlite_sequence"])
    func unknown(table: String) async throws {
        try write("before")
        let error = await #expect(throws: ExchangeError.self) { try await open().export([table], to: file) }
        #expect(error?.code == .unknownTable)
        #expect(try String(contentsOf: file, encoding: .utf8) == "before")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["tables.json"])
    }

    @Test("Export and import need a readable file and a writable folder")
    func files() async throws {
        let nowhere = folder.url.appendingPathComponent("none/tables.json")
        let unwritten = await #expect(throws: ExchangeError.self) { try await open().export(to: nowhere) }
        #expect(unwritten?.code == .fileFailed)
        let unread = await #expect(throws: ExchangeError.self) { try await open().importTables(from: nowhere) }
        #expect(unread?.code == .fileFailed)
        let folderInstead = await #expect(throws: ExchangeError.self) {
            try await open().importTables(from: folder.url)
        }
        #expect(folderInstead?.code == .fileFailed)
    }

    @Test("An import of a corrupted document never traps or changes anything", arguments: Seeds.choose(4))
    func changed(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        try await filled().export(to: file)
        let original = try Data(contentsOf: file)
        let database = try open()
        let others = Array("{}[]\",:\\u0e-.1 ntf\n".utf8)
        for _ in 0..<60 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = others.randomElement(using: &random) ?? 0
            }
            try bytes.write(to: file)
            do {
                try await database.importTables(from: file)
                try await database.deleteAll()
            } catch {
                #expect(error is ExchangeError, "HABLARE_SEED=\(seed): \(error)")
                #expect(try content(database) == [], "HABLARE_SEED=\(seed)")
            }
        }
    }
}

private struct Author: Codable, Sendable, FetchableRecord {
    var name: String
}

extension DatabaseValue.Storage {
    fileprivate var isReal: Bool {
        if case .double = self { true } else { false }
    }
}
