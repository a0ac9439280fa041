import Foundation
import GRDB
import HablarePersistence
import HablarePresentation
import HablareTestFiles
import Testing

/// Runs the article's code and checks that it does what it says.
@Suite("The article about keeping data", .timeLimit(.minutes(1))) struct KeepingArticleTests {
    private func pages(_ texts: String...) -> [JournalPage] {
        texts.enumerated().map { JournalPage(day: "2026-11-\(10 + $0.offset)", text: $0.element) }
    }

    @Test("The article opens the file, or reports the error and uses memory")
    func opening() async throws {
        let folder = try TemporaryFolder()
        let (database, problem) = try await openJournal(in: folder.url)
        #expect(problem == nil && database.url != nil)
        try Data("x".utf8).write(to: folder.url.appendingPathComponent("file"))
        let (inMemory, reason) = try await openJournal(in: folder.url.appendingPathComponent("file"))
        #expect(inMemory.url == nil && reason?.contains("a file has its path") == true)
        #expect(try await add(pages("Rain."), to: inMemory) == 0)
    }

    @Test("The article gives advice for a write without room, and rethrows other errors")
    func failedWrite() async throws {
        let database = try AppDatabase.inMemory(migrator: Journal.migrator)
        var page = JournalPage(day: "2026-11-23", text: "Rain.")
        #expect(try await save(page, in: database) == nil)
        try await database.write { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        page.text = String(repeating: "Rain. ", count: 10_000)
        let advice = try await save(page, in: database)
        #expect(advice?.contains("Free some space") == true)
        let again = JournalPage(id: 1, day: "2026-11-23", text: "Sun.")
        let error = await #expect(throws: DatabaseError.self) { try await save(again, in: database) }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT)
    }

    @Test("The article walks the migrations")
    func walk() throws { try checkMigrations() }

    @MainActor
    @Test("The article observes, pages, searches and writes")
    func using() async throws {
        let database = try AppDatabase.inMemory(migrator: Journal.migrator)
        let counter = Counter()
        await withTaskGroup { group in
            group.addTask { await counter.follow(database) }
            do {
                #expect(try await add(pages("Rain.", "Sun, at last", "More rain"), to: database) == 0)
            } catch {
                Issue.record(error)
            }
            while counter.pages != 3 { await Task.yield() }
            group.cancelAll()
        }
        #expect(counter.problem == nil)
        let window = try await makeWindow(onto: database)
        #expect(window.rows.map(\.text) == ["More rain", "Sun, at last", "Rain."])
        let hits = try await find("rai", in: database)
        #expect(Set(hits.map(\.record.text)) == ["Rain.", "More rain"])
        #expect(try await find("\"", in: database) == [])
    }

    @MainActor
    @Test("The article's publisher emits while a subscriber exists")
    func publishing() async throws {
        let database = try AppDatabase.inMemory(migrator: Journal.migrator)
        var counts = publishedCount(of: database).bufferedValues().makeAsyncIterator()
        #expect(try await counts.next() == 0)
        try await database.insert(pages("Rain.", "Sun, at last"))
        while try await counts.next() != 2 {}
    }

    @Test("The article moves data to another device")
    func moving() async throws {
        let folder = try TemporaryFolder()
        let (old, new) = (
            try AppDatabase.inMemory(migrator: Journal.migrator), try AppDatabase.inMemory(migrator: Journal.migrator)
        )
        try await old.insert(pages("Rain."))
        try await move(from: old, to: new, over: folder.url.appendingPathComponent("journal.json"))
        #expect(try await old.read { try JournalPage.fetchCount($0) } == 0)
        #expect(try await new.read { try JournalPage.fetchAll($0).map(\.text) } == ["Rain."])
    }

    @Test("The article shows exactly the code of these tests")
    func shown() throws {
        let blocks = try Self.regions(
            of: "Sources/HablarePersistence/HablarePersistence.docc/Articles/KeepingData.md", from: "```swift",
            to: "```")
        let snippets = try Self.regions(
            of: "Tests/HablarePersistenceTests/Documentation/Snippets/KeepingSnippets.swift", from: "// snippet: ",
            to: "// end snippet")
        #expect(blocks == snippets)
        #expect(blocks.count == 10)
    }

    /// Returns the parts of a file between two kinds of lines.
    private static func regions(of path: String, from start: String, to end: String) throws -> [String] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        var regions: [String] = []
        var open: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = open, line == end {
                regions.append(lines.joined(separator: "\n"))
                open = nil
            } else if open == nil, line.hasPrefix(start) {
                open = []
            } else {
                open?.append(line)
            }
        }
        return regions
    }
}
