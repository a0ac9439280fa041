import Dispatch
import Foundation
import GRDB
import Hablare
import HablarePersistence
import LecternTexts
import Synchronization
import Testing

@testable import LecternCore

@Suite("Importing texts")
struct TextLibraryTests {
    private struct Broken: Error {}

    private static let tables = ["text", "book", "chapter", "chapterBody", "verse", "word", "verseLengths"]

    private func counts(_ database: AppDatabase) async throws -> [Int] {
        try await database.read { db in
            try Self.tables.map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") ?? 0 }
        }
    }

    @Test("A text is counted from its source, and read as it was")
    func imports() async throws {
        let database = try AppDatabase.lectern()
        let date = Date(timeIntervalSince1970: 1_000)
        let report = try await TextLibrary(database, seams: .init(date: { date })).add(from: SampleText.small)
        #expect(report.text.bookCount == 2)
        #expect(report.text.chapterCount == 3)
        #expect(report.text.verseCount == 6)
        #expect(report.text.importedAt == date)
        #expect(!report.replacedEarlier)
        try await database.read { db in
            let store = TextStore()
            let books = try store.books(of: report.text, in: db)
            #expect(books.map(\.id.rawValue) == ["Gen", "John"])
            #expect(books.map { $0.chapters.map(\.verseCount) } == [[2, 2], [2]])
            #expect(books.map(\.ordinals) == [0..<4, 4..<6])
            let passage = try store.passage(ChapterID(books[0].id, 2), of: report.text, in: db)
            #expect(passage.previous == ChapterID(books[0].id, 1))
            #expect(passage.next == ChapterID(books[1].id, 1), "over the end of the book")
            #expect(passage.chapter.verses.map(\.text).first == "Thus the heavens were finished.")
            let verses = try store.verses(of: passage.chapter.id, report.text, in: db)
            #expect(verses.map(\.verse) == passage.chapter.verses)
            #expect(verses.map(\.ordinal) == [2, 3])
            let shape = try store.shape(of: report.text, in: db)
            #expect(shape.contains(VerseID(books[0].id, 2, 2)))
            #expect(!shape.contains(VerseID(books[0].id, 2, 3)))
            #expect(!shape.contains(VerseID(books[0].id, 3, 1)))
        }
    }

    @Test("A newer version that fails half-way changes nothing, and leaves no rows")
    func halfImport() async throws {
        let database = try await AppDatabase.lectern(with: SampleText.small)
        let before = try await counts(database)
        // More than a batch, so that rows of the new version are in the tables when it fails.
        let many = Array(repeating: "a verse that is new", count: TextWriter.batchSize)
        let seen = Mutex(0)
        var newer = SampleText(title: "Newer", books: [("Gen", [many, many, many])])
        newer.failure = (2, Broken())
        newer.beforeChapter = { number in
            guard number == 1 else { return }
            let count = try database.reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM verse") ?? 0 }
            seen.withLock { $0 = count }
        }
        await #expect(throws: Broken.self) { try await TextLibrary(database).add(from: newer) }
        #expect(seen.withLock { $0 } > TextWriter.batchSize, "a batch was written")
        #expect(try await counts(database) == before)
        let text = try await database.read { try TextStore().requireText("sample", in: $0) }
        #expect(text.description.title == "Sample")
        #expect(text.verseCount == 6)
    }

    @Test("Readers see the earlier version until the newer one is complete")
    func switches() async throws {
        let database = try await AppDatabase.lectern(with: SampleText.small)
        let many = Array(repeating: "a verse that is new", count: TextWriter.batchSize)
        var newer = SampleText(title: "Newer", books: [("Exod", [many, many])])
        let titles = Mutex<[String]>([])
        newer.beforeChapter = { _ in
            let text = try database.reader.read { try TextStore().requireText("sample", in: $0) }
            titles.withLock { $0.append("\(text.description.title) \(text.verseCount)") }
        }
        let report = try await TextLibrary(database).add(from: newer)
        #expect(titles.withLock { $0 } == ["Sample 6", "Sample 6"])
        #expect(report.replacedEarlier)
        #expect(
            try await counts(database) == [1, 1, 2, 2, 2 * TextWriter.batchSize, 5, 1], "the earlier rows are gone")
    }

    @Test("Others write while a text is imported, and no transaction of the import is long")
    func writerIsFree() async throws {
        let database = try AppDatabase.lectern()
        let commits = CommitSizes()
        database.writer.add(transactionObserver: commits, extent: .databaseLifetime)
        let many = Array(repeating: "a verse of many words", count: 500)
        var text = SampleText(books: [("Gen", Array(repeating: many, count: 10))])
        let written = Mutex(0)
        text.beforeChapter = { number in
            let done = DispatchSemaphore(value: 0)
            database.writer.asyncWrite(
                { db in
                    try db.execute(
                        sql: "INSERT INTO personalCommand (id, digest, madeAt) VALUES (?, '', 0)",
                        arguments: ["\(number) \(UUID().uuidString)"])
                },
                completion: { _, result in
                    if case .success = result { written.withLock { $0 += 1 } }
                    done.signal()
                })
            #expect(done.wait(timeout: .now() + 20) == .success, "the import kept the writer before chapter \(number)")
        }
        let library = TextLibrary(database)
        // The second import also deletes the first version.
        for _ in 1...2 { _ = try await library.add(from: text) }
        #expect(written.withLock { $0 } == 20)
        // A batch, the rest of its last chapter, and the rows of its chapters and books.
        #expect((TextWriter.batchSize...TextWriter.batchSize + 500 + 30).contains(commits.largest))
    }

    @Test("If the disk is full during an import, the earlier version stays, and the import succeeds when there is room")
    func fullDisk() async throws {
        let database = try await AppDatabase.lectern(with: SampleText.small)
        let before = try await counts(database)
        let many = (0..<TextWriter.batchSize).map { "a verse that is new and has the number \($0)" }
        let newer = SampleText(title: "Newer", books: [("Gen", [many, many, many])])
        try await database.write { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            // Room for a batch, so that rows of the new version are there when it fails.
            try db.execute(sql: "PRAGMA max_page_count = \(pages + 100)")
        }
        let library = TextLibrary(database)
        let error = await #expect(throws: (any Error).self) { try await library.add(from: newer) }
        #expect(error.flatMap { AppDatabaseError(describing: $0, of: database) }?.code == .full)
        #expect(try await database.read { try TextStore().requireText("sample", in: $0) }.description.title == "Sample")
        try await database.write { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        try await library.removeLeftovers()
        #expect(try await counts(database) == before)
        #expect(try await library.add(from: newer).replacedEarlier)
        #expect(try await library.texts().map(\.verseCount) == [3 * TextWriter.batchSize])
    }

    @Test("An import that ended with its process is deleted at the next start")
    func leftovers() async throws {
        let database = try AppDatabase.lectern()
        var writer = TextWriter(database, at: Date(timeIntervalSince1970: 0))
        // As a process that ends without a word: the writer is dropped.
        let many = Array(repeating: "a verse", count: TextWriter.batchSize)
        try SampleText(books: [("Gen", [many])]).read { try writer.write($0) }
        #expect(try await counts(database)[4] == TextWriter.batchSize)
        #expect(try await TextLibrary(database).texts().isEmpty)
        try await TextLibrary(database).removeLeftovers()
        #expect(try await counts(database) == Self.tables.map { _ in 0 })
    }

    @Test("A text is deleted without its neighbours")
    func removes() async throws {
        let database = try await AppDatabase.lectern(with: SampleText.small)
        let before = try await counts(database)
        let library = TextLibrary(database)
        var other = SampleText.small
        other.id = "other"
        _ = try await library.add(from: other)
        try await library.remove("other")
        #expect(try await library.texts().map(\.id) == ["sample"])
        #expect(try await counts(database) == before)
        await #expect(throws: ReadingError.self) { try await library.remove("other") }
    }

    @Test("A cancelled import changes nothing")
    func cancels() async throws {
        let database = try AppDatabase.lectern()
        let library = TextLibrary(database)
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await library.add(from: SampleText.small) }
                group.cancelAll()
                try await group.waitForAll()
            }
        }
        #expect(try await counts(database) == Self.tables.map { _ in 0 })
    }

    @Test(
        "A source without sense is refused with advice",
        arguments: [
            SampleText(books: []), SampleText(books: [("Gen", [[]])]),
            SampleText(id: "../x", books: [("Gen", [["a"]])]),
            SampleText(books: [("Gen", [["a"]]), ("Gen", [["b"]])]),
        ])
    func refuses(text: SampleText) async throws {
        let database = try AppDatabase.lectern()
        await #expect(throws: TextImportError.self) { try await TextLibrary(database).add(from: text) }
        #expect(try await counts(database) == Self.tables.map { _ in 0 })
    }

    @Test("The King James Version has the verses of its source", .enabled(if: KingJames.isInstalled))
    func kingJames() async throws {
        let database = try KingJames.database()
        try await database.read { db in
            let text = try TextStore().requireText("kjv", in: db)
            #expect(text.bookCount == 66)
            #expect(text.chapterCount == 1_189)
            #expect(text.verseCount == 31_102)
            let john = ChapterID(BookID(rawValue: "John"), 3)
            let verse = try #require(try TextStore().verse(VerseID(john, 16), of: text, in: db))
            #expect(verse.verse.text.hasPrefix("For God so loved the world"))
            let malachi = try TextStore().passage(ChapterID(BookID(rawValue: "Mal"), 4), of: text, in: db)
            #expect(malachi.next == ChapterID(BookID(rawValue: "Matt"), 1))
        }
    }
}

/// The sizes of transactions, in rows.
private final class CommitSizes: TransactionObserver, Sendable {
    private let state = Mutex((total: 0, largest: 0))

    var largest: Int { state.withLock { $0.largest } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidRollback(_ db: Database) {}
    func databaseDidCommit(_ db: Database) {
        let total = db.totalChangesCount
        state.withLock { state in
            state = (total, max(state.largest, total - state.total))
        }
    }
}
