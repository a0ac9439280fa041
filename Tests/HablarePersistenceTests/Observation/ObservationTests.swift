import Dispatch
import Foundation
import GRDB
import HablarePersistence
import HablareTestFiles
import Testing

@Suite("Observed values", .timeLimit(.minutes(2))) struct ObservationTests {
    private let folder: TemporaryFolder
    private let database: AppDatabase

    init() throws {
        folder = try TemporaryFolder()
        database = try AppDatabase(at: Notes.file(in: folder), migrator: Notes.migrator)
    }

    private static let titles: @Sendable (Database) throws -> [String] = { db in
        try String.fetchAll(db, sql: "SELECT title FROM note ORDER BY id")
    }

    @MainActor
    @Test("Values arrive on the main actor without reads there: the first at once, then one per change")
    func onMain() async throws {
        // On Linux the main actor has no fixed thread, but a fixed queue.
        let isMain = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: isMain, value: true)
        #expect(DispatchQueue.getSpecific(key: isMain) == true)
        let onMain = Answers()
        let values = database.values { db in
            onMain.add(DispatchQueue.getSpecific(key: isMain) ?? false)
            return try Self.titles(db)
        }
        var seen: [[String]] = []
        for try await titles in values {
            #expect(DispatchQueue.getSpecific(key: isMain) == true)
            seen.append(titles)
            if seen.count == 3 { break }
            try await database.write { [count = seen.count] db in
                try db.execute(sql: "INSERT INTO note (title) VALUES (?)", arguments: ["\(count)"])
            }
        }
        #expect(seen == [[], ["1"], ["1", "2"]])
        #expect(Set(onMain.all) == [false])
    }

    @Test("Equal values arrive once, and values that cannot be compared arrive each time")
    func duplicates() async throws {
        struct Count: Sendable { let value: Int }
        var equal = database.values { try $0.countOfLongTitles() }.makeAsyncIterator()
        var each = database.values { Count(value: try $0.countOfLongTitles()) }.makeAsyncIterator()
        #expect(try await equal.next() == 0)
        #expect(try await each.next()?.value == 0)
        try database.add("short")
        #expect(try await each.next()?.value == 0)
        try database.add("long enough")
        #expect(try await equal.next() == 1)
        while try await each.next()?.value != 1 {}
    }

    @Test("A slow reader gets only the newest value")
    func slowReader() async throws {
        var values = database.values(Self.titles).makeAsyncIterator()
        #expect(try await values.next() == [])
        var other = database.values { try Note.fetchCount($0) }.makeAsyncIterator()
        for number in 1...50 { try database.add("\(number)") }
        while try await other.next() != 50 {}
        var seen = 0
        while try await values.next()?.count != 50 { seen += 1 }
        #expect(seen < 25)
    }

    @Test("An observation with its own region delivers values as it tracks them")
    func ownObservation() async throws {
        let observation = ValueObservation.tracking(region: Note.all()) { db in try Note.fetchCount(db) }
            .map { "\($0)" }
        var values = database.values(of: observation).makeAsyncIterator()
        #expect(try await values.next() == "0")
        try database.add("one")
        while try await values.next() != "1" {}  // GRDB may deliver the first value twice
    }

    @Test("Observed values end when the task is cancelled")
    func cancelled() async throws {
        let values = database.values(Self.titles)
        let ended = try await withThrowingTaskGroup(of: Int.self) { group in
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                var count = 0
                for try await _ in values {
                    count += 1
                    start.yield()
                }
                return count
            }
            for await _ in started { break }
            group.cancelAll()
            return try await group.next()
        }
        #expect(ended == 1)
    }

    @Test("Observed values end with the error of a read")
    func failing() async throws {
        struct Wrong: Error {}
        var values = database.values { db in
            guard try Note.fetchCount(db) == 0 else { throw Wrong() }
            return 0
        }.makeAsyncIterator()
        #expect(try await values.next() == 0)
        try database.add("one")
        await #expect(throws: Wrong.self) { try await values.next() }
        #expect(try await values.next() == nil)
    }

    @Test("An observation keeps the database open")
    func keptOpen() async throws {
        var values: DatabaseValues<Int>.Iterator
        let writer: any DatabaseWriter
        do {
            let other = try AppDatabase(at: Notes.file(in: folder), migrator: Notes.migrator)
            values = other.values { try Note.fetchCount($0) }.makeAsyncIterator()
            writer = other.writer
        }
        #expect(try await values.next() == 0)
        // Made by another connection: only the observer of other processes can report it, and it lives with the
        // observation.
        try database.add("one")
        #expect(try await values.next() == 1)
        try await writer.write { db in try db.execute(sql: "DELETE FROM note") }
        #expect(try await values.next() == 0)
    }
}

extension Database {
    fileprivate func countOfLongTitles() throws -> Int {
        try Int.fetchOne(self, sql: "SELECT count(*) FROM note WHERE length(title) > 5") ?? 0
    }
}
