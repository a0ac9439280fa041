import GRDB
import HablarePersistence
import Testing

/// The contract of a client, checked for each form that has records.
@Suite("RecordClient", .timeLimit(.minutes(1))) struct RecordClientTests {
    enum Form: CaseIterable { case live, preview }

    private static func make(_ form: Form, _ notes: [Note]) throws -> RecordClient<Note> {
        switch form {
        case .live:
            let database = try AppDatabase.inMemory(migrator: Notes.migrator)
            try database.writer.write { db in for var note in notes { try note.insert(db) } }
            return .live(database)
        case .preview:
            return .preview(notes, sortedBy: { ($0.id ?? 0) < ($1.id ?? 0) }) { note, notes in
                note.id = note.id ?? (notes.compactMap(\.id).max() ?? 0) + 1
            }
        }
    }

    private static let notes = [Note(id: 2, title: "two"), Note(id: 1, title: "one")]

    @Test("A client fetches one record or all of them in order", arguments: Form.allCases)
    func fetches(form: Form) async throws {
        let client = try Self.make(form, Self.notes)
        #expect(try await client.fetchAll().map(\.title) == ["one", "two"])
        #expect(try await client.fetch(2)?.title == "two")
        #expect(try await client.fetch(9) == nil)
        #expect(try await client.fetch(nil) == nil)
    }

    @Test("A client saves new records with a new identity, and updates existing ones", arguments: Form.allCases)
    func saves(form: Form) async throws {
        let client = try Self.make(form, Self.notes)
        #expect(try await client.save(Note(title: "three")).id == 3)
        #expect(try await client.save(Note(id: 1, title: "ONE", rank: 1)) == Note(id: 1, title: "ONE", rank: 1))
        #expect(try await client.save(Note(id: 7, title: "seven")).id == 7)
        #expect(try await client.fetchAll().map(\.title) == ["ONE", "two", "three", "seven"])
    }

    @Test("A client deletes a record and returns whether it existed", arguments: Form.allCases)
    func deletes(form: Form) async throws {
        let client = try Self.make(form, Self.notes)
        #expect(try await client.delete(1))
        #expect(try await !client.delete(1))
        #expect(try await !client.delete(nil))
        #expect(try await client.fetchAll().map(\.title) == ["two"])
    }

    @Test(
        "A client's observation delivers the records, then each change, without duplicates",
        arguments: Form.allCases)
    func observed(form: Form) async throws {
        let client = try Self.make(form, Self.notes)
        var seen: [[String]] = []
        for try await notes in client.observe() {
            seen.append(notes.map(\.title))
            switch seen.count {
            case 1: _ = try await client.save(Note(title: "three"))
            case 2:
                _ = try await client.save(Note(id: 3, title: "three"))
                _ = try await client.delete(9)
                _ = try await client.delete(2)
            default: break
            }
            if seen.count == 3 { break }
        }
        #expect(seen == [["one", "two"], ["one", "two", "three"], ["one", "three"]])
    }

    @Test("Several observers of a client each receive changes until their task ends", arguments: Form.allCases)
    func cancelled(form: Form) async throws {
        let client = try Self.make(form, Self.notes)
        try await withThrowingTaskGroup(of: Int.self) { group in
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            for _ in 0..<2 {
                group.addTask {
                    var count = 0
                    for try await _ in client.observe() {
                        count += 1
                        start.yield()
                    }
                    return count
                }
            }
            var left = 2
            for await _ in started {
                left -= 1
                if left == 0 { break }
            }
            group.cancelAll()
            for try await count in group { #expect(count == 1) }
        }
    }

    @Test("The failing client throws in every operation")
    func failing() async throws {
        struct Broken: Error {}
        let client = RecordClient<Note>.failing(Broken())
        await #expect(throws: Broken.self) { try await client.fetch(1) }
        await #expect(throws: Broken.self) { try await client.fetchAll() }
        await #expect(throws: Broken.self) { try await client.save(Note(title: "x")) }
        await #expect(throws: Broken.self) { try await client.delete(1) }
        await #expect(throws: Broken.self) {
            for try await _ in client.observe() { Issue.record("there is nothing to observe") }
        }
    }

    @Test("A client has the records of its request, in the request's order")
    func chosen() async throws {
        let database = try AppDatabase.inMemory(migrator: Notes.migrator)
        for (title, rank) in [("a", 1), ("b", 2), ("c", 3)] { try database.add(title, rank: rank) }
        let client = RecordClient<Note>.live(database) {
            Note.filter(Column("rank") > 1).order(Column("rank").desc)
        }
        #expect(try await client.fetchAll().map(\.title) == ["c", "b"])
        #expect(try await client.fetch(1) == nil)
        #expect(try await !client.delete(1))
        struct Plain: Identifiable, Equatable, Sendable { let id: Int }
        let plain = RecordClient<Plain>.preview([Plain(id: 3), Plain(id: 1)])
        #expect(try await plain.fetchAll().map(\.id) == [1, 3])
    }
}
