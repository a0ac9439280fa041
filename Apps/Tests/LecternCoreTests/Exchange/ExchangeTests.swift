import Foundation
import GRDB
import HablarePersistence
import HablareTestKit
import LecternTexts
import Testing

@testable import LecternCore

@Suite("Export, import and erasing of the person's data")
struct ExchangeTests {
    private func filled(_ seed: UInt64, _ desk: Desk, changes: Int = 60) async throws -> PersonalData {
        let data = try await desk.open()
        var random = RandomMarks(seed: seed, desk: desk)
        for _ in 0..<changes { _ = try await random.perform(on: data) }
        try await desk.database.write { db in
            for number in 1...5 {
                let position = ReadingPosition(
                    device: "phone", text: "kjv", kind: .listening, chapter: ChapterID(BookID(rawValue: "Ps"), number),
                    verse: number, offset: 3, madeAt: desk.now)
                try ReadingLog().record(position, id: desk.id, now: desk.now, in: db)
            }
        }
        return data
    }

    @Test("A round trip loses nothing, and a second one changes nothing", arguments: 1...8 as ClosedRange<UInt64>)
    func roundTrip(_ seed: UInt64) async throws {
        let folder = try TestFolder()
        let (one, other) = (try Desk(), try Desk())
        let data = try await filled(seed, one)
        try await data.exportDocument(to: folder.file("one.json"))
        let target = try await other.open()
        let result = try await target.importDocument(from: folder.file("one.json"))
        #expect(result.counts.values.map(\.skipped).reduce(0, +) == 0)
        #expect(try one.rows(PersonalTable.allCases) == other.rows(PersonalTable.allCases), "seed \(seed)")
        try await target.exportDocument(to: folder.file("two.json"))
        #expect(try Data(contentsOf: folder.file("one.json")) == Data(contentsOf: folder.file("two.json")))
        for policy in [ImportPolicy.skip, .replace] {
            try await target.importDocument(from: folder.file("one.json"), onConflict: policy)
            #expect(try one.rows(PersonalTable.allCases) == other.rows(PersonalTable.allCases), "seed \(seed)")
        }
        // The index knows the imported notes.
        let counts = try await other.database.write { db in
            #expect(try NoteIndex.index.isIntact(in: db))
            return try Int.fetchAll(
                db, sql: "SELECT COUNT(*) FROM noteVersion UNION ALL SELECT COUNT(*) FROM noteText")
        }
        #expect(counts[0] > 0 && counts[0] == counts[1])
    }

    @Test("A damaged document changes nothing, wherever it is cut or altered", arguments: 1...20 as ClosedRange<UInt64>)
    func damaged(_ seed: UInt64) async throws {
        let folder = try TestFolder()
        var numbers = SeededGenerator(seed: seed)
        let source = try await filled(3, Desk(), changes: 30)
        try await source.exportDocument(to: folder.file("good.json"))
        var bytes = try Data(contentsOf: folder.file("good.json"))
        bytes = bytes.prefix(Int.random(in: 0..<(bytes.count - 4), using: &numbers))
        try bytes.write(to: folder.file("bad.json"))
        let desk = try Desk()
        let data = try await filled(4, desk, changes: 10)
        let before = try desk.rows(PersonalTable.allCases)
        let error = await #expect(throws: PersonalDataError.self) {
            try await data.importDocument(from: folder.file("bad.json"), onConflict: .replace)
        }
        #expect(error?.code == .damaged, "seed \(seed)")
        #expect(try desk.rows(PersonalTable.allCases) == before)
    }

    @Test("A document of an older version is imported through the migrations that it lacks")
    func older() async throws {
        let folder = try TestFolder()
        let migrations = LecternSchema.migrator.migrations
        let last = try #require(migrations.firstIndex(of: "002-marks"))
        let names = migrations[...last].map { "\"\($0)\"" }.joined(separator: ",")
        let (note, version) = (UUID(), UUID())
        let document = """
            {"format":"hablare-tables","version":1,"migrations":[\(names)],"tables":[
            {"name":"mark","columns":["id","kind","version","createdAt","changedAt","revision","edits"],"rows":[
            ["\(note.uuidString.lowercased())","note","\(version.uuidString.lowercased())",5,5,1,"{}"]
            ]},
            {"name":"noteVersion","columns":["id","note","text","madeAt"],"rows":[
            ["\(version.uuidString.lowercased())","\(note.uuidString.lowercased())","of an older Lectern",5]
            ]}
            ]}
            """
        try Data(document.utf8).write(to: folder.file("older.json"))
        let desk = try Desk()
        let data = try await desk.open()
        let result = try await data.importDocument(from: folder.file("older.json"))
        #expect(result.counts.mapValues(\.written).filter { $0.value > 0 } == ["mark": 1, "noteVersion": 1])
        #expect(try await desk.mark(note)?.text == "of an older Lectern")
        let found = try await desk.database.read { try TextSearch().notes(SearchQuery("OLDER lect*"), in: $0) }
        #expect(found.hits.map(\.note.id) == [note])
        // A damaged one of an older version changes nothing.
        try Data(document.dropLast(9).utf8).write(to: folder.file("cut.json"))
        let before = try desk.rows(PersonalTable.allCases)
        let error = await #expect(throws: PersonalDataError.self) {
            try await data.importDocument(from: folder.file("cut.json"), onConflict: .replace)
        }
        #expect(error?.code == .damaged)
        #expect(try desk.rows(PersonalTable.allCases) == before)
    }

    @Test("A document of a newer version, or of another kind, is refused with advice")
    func newer() async throws {
        let folder = try TestFolder()
        let desk = try Desk()
        let data = try await filled(5, desk, changes: 10)
        try await data.exportDocument(to: folder.file("good.json"))
        let good = try String(contentsOf: folder.file("good.json"), encoding: .utf8)
        let cases: [(String, PersonalDataError.Code)] = [
            (good.replacingOccurrences(of: "\"version\":1", with: "\"version\":2"), .newerVersion),
            (good.replacingOccurrences(of: "\"003-plans\"", with: "\"003-plans\",\"999-future\""), .newerVersion),
            ("[]", .damaged), ("", .damaged), (String(repeating: "[", count: 100_000), .damaged),
            (good.replacingOccurrences(of: "\"name\":\"mark\"", with: "\"name\":\"nothing\""), .damaged),
        ]
        let before = try desk.rows(PersonalTable.allCases)
        for (text, code) in cases {
            try Data(text.utf8).write(to: folder.file("bad.json"))
            let error = await #expect(throws: PersonalDataError.self) {
                try await data.importDocument(from: folder.file("bad.json"), onConflict: .replace)
            }
            #expect(error?.code == code)
        }
        let error = await #expect(throws: PersonalDataError.self) {
            try await data.importDocument(from: folder.file("missing.json"))
        }
        #expect(error?.code == .fileFailed)
        #expect(try desk.rows(PersonalTable.allCases) == before)
    }

    @Test("Erasing leaves nothing of the person's in the file, keeps the texts, and the data can be used again")
    func erase() async throws {
        let folder = try TestFolder()
        let url = folder.file("lectern.sqlite")
        let database = try AppDatabase(at: url, migrator: LecternSchema.migrator, options: LecternSchema.options)
        let desk = try Desk(database)
        let data = try await desk.open()
        let secret = "wombat-\(UUID().uuidString)"
        let note = desk.id
        let first = desk.command(.addNote(mark: note, place: nil, text: secret + " one"))
        try await data.perform(first)
        try await data.perform(desk.command(.saveNote(mark: note, text: "two", base: first.id)))
        try await data.perform(
            desk.command(.addBookmark(mark: desk.id, place: .verse("John"), label: secret, colour: nil)))
        try await database.write { db in
            try db.execute(
                sql: "INSERT INTO text (id, state, description, importedAt) VALUES ('kjv', 'current', '{}', 0)")
        }
        #expect(try Self.contains(secret, in: folder.url))
        try await data.eraseAll()
        #expect(try !Self.contains(secret, in: folder.url))
        #expect(try !Self.contains("wombat", in: folder.url))
        #expect(try desk.rows(PersonalTable.allCases) == [])
        #expect(try await database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM text") } == 1)
        #expect(data.depths == (0, 0))
        #expect(try await data.perform(first) == .changed)
        try await data.undo(command: desk.id)
        #expect(try await desk.mark(note) == nil)
    }

    private static func contains(_ text: String, in folder: URL) throws -> Bool {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).contains { file in
            try Data(contentsOf: file).range(of: Data(text.utf8)) != nil
        }
    }

    @Test("Notes are written as Markdown and as JSON with all versions")
    func notes() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let note = desk.id
        let first = desk.command(.addNote(mark: note, place: try .verse("John.3.16-John.3.17"), text: "old"))
        try await data.perform(first)
        desk.advance(1)
        try await data.perform(desk.command(.saveNote(mark: note, text: "# \u{202E}new\n", base: first.id)))
        try await data.perform(desk.command(.addTag(mark: note, tag: "to learn")))
        desk.advance(1)
        try await data.perform(desk.command(.addNote(mark: desk.id, place: nil, text: "on nothing")))
        let document = NoteDocument(names: [BookID(rawValue: "John"): "John"])
        let (markdown, json) = try await desk.database.read {
            (try document.markdown(in: $0), try document.json(in: $0))
        }
        #expect(
            markdown == """
                ## John 3:16–3:17

                # \u{202E}new

                *2026-01-01 · #to-learn*

                ## Note

                on nothing

                *2026-01-01*

                """)
        let entries = try JSONDecoder().decode([NoteDocument.Entry].self, from: json)
        #expect(entries.map(\.text) == ["# \u{202E}new\n", "on nothing"])
        #expect(entries[0].osis == "John.3.16-John.3.17" && entries[0].created == "2026-01-01T00:00:00.000Z")
        #expect(entries[0].earlier.map(\.text) == ["old"] && entries[0].tags == ["to learn"])
    }
}
