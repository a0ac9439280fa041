import Foundation
import Hablare
import HablarePersistence
import HablarePresentation
import LecternTexts
import Synchronization
import Testing

@testable import LecternCore

@Suite("The reader") @MainActor
struct ReaderModelTests {
    private struct Full: Error {}

    private static let genesis = BookID(rawValue: "Gen")
    private static let john = BookID(rawValue: "John")

    private func link(_ book: BookID, _ chapter: Int) -> DeepLink {
        DeepLink(textID: "sample", chapter: ChapterID(book, chapter))
    }

    private func model(
        _ database: AppDatabase, at place: DeepLink,
        record: @escaping @Sendable (ReadingAct) async throws -> Void = { _ in }
    ) -> ReaderModel {
        ReaderModel(
            at: place, database: database, seams: .init(date: { Date(timeIntervalSince1970: 5) }), record: record)
    }

    @Test("Chapters are turned by meaning, over the ends of books, and stop at the ends of the text")
    func turns() async throws {
        let model = model(try await .lectern(with: SampleText.small), at: link(Self.genesis, 1))
        model.reload()
        await model.settled()
        #expect(!model.hasPrevious && model.hasNext)
        model.openPrevious()
        #expect(model.place == link(Self.genesis, 1))
        for place in [link(Self.genesis, 2), link(Self.john, 1), link(Self.john, 1)] {
            model.openNext()
            await model.settled()
            #expect(model.place == place)
            #expect(model.passage.value?.chapter.id == place.chapter)
        }
        model.openPrevious()
        #expect(model.place == link(Self.genesis, 2))
        #expect(!model.hasNext, "nothing is known about the next chapter while this one loads")
        await model.settled()
    }

    @Test("A chapter that does not exist is a loading failure with advice, and the earlier chapter stays")
    func failure() async throws {
        let model = model(try await .lectern(with: SampleText.small), at: link(Self.genesis, 1))
        model.reload()
        await model.settled()
        model.open(link(Self.john, 9))
        await model.settled()
        guard case .failed(let message, let previous) = model.passage else {
            Issue.record("the passage did not fail: \(model.passage)")
            return
        }
        #expect(message == "John has no chapter 9 in Sample. Choose one of its chapters.")
        #expect(previous?.chapter.id == ChapterID(Self.genesis, 1))
        #expect(!model.hasNext)
        model.open(link(Self.john, 1))
        await model.settled()
        #expect(model.passage.value?.chapter.id == ChapterID(Self.john, 1))
        #expect(model.passage.message == nil)
    }

    @Test("Opening records nothing; an act of reading records the verse, and a late one of another chapter does not")
    func acts() async throws {
        let acts = Mutex<[ReadingAct]>([])
        let model = model(try await .lectern(with: SampleText.small), at: link(Self.genesis, 1)) { act in
            acts.withLock { $0.append(act) }
        }
        model.reload()
        await model.settled()
        model.openNext()
        await model.settled()
        #expect(acts.withLock { $0 }.isEmpty)
        await model.didRead(upTo: VerseID(Self.genesis, 1, 2))
        #expect(acts.withLock { $0 }.isEmpty)
        await model.didRead(upTo: VerseID(Self.genesis, 2, 2))
        let expected = ReadingAct(
            textID: "sample", verse: VerseID(Self.genesis, 2, 2), date: Date(timeIntervalSince1970: 5))
        #expect(acts.withLock { $0 } == [expected])
        #expect(model.lastAct == expected)
    }

    @Test("Acts of reading are in the history and the position of the device, and an older one moves nothing")
    func recording() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        _ = try await TextLibrary(desk.database).add(from: SampleText.small)
        let model = ReaderModel(at: link(Self.genesis, 1), data: data, device: "phone")
        model.reload()
        await model.settled()
        func position() async throws -> ReadingPosition? {
            try await desk.database.read { try ReadingLog().position(of: "phone", in: "sample", .reading, $0) }
        }
        #expect(try await position() == nil, "opening is no act of reading")
        await model.didRead(upTo: VerseID(Self.genesis, 1, 2))
        #expect(model.recordingFailure == nil)
        #expect(
            try await position()
                == ReadingPosition(
                    device: "phone", text: "sample", kind: .reading, chapter: ChapterID(Self.genesis, 1), verse: 2,
                    madeAt: desk.now))
        #expect(try await desk.database.read { try ReadingLog().history(in: $0) }.map(\.verse) == [2])
        let older = ReadingAct(
            textID: "sample", verse: VerseID(Self.john, 1, 1), date: desk.now.adding(seconds: -60).date)
        #expect(try await !data.record(older, on: "phone"))
        #expect(try await position()?.chapter.book == Self.genesis)
        let nameless = ReaderModel(at: link(Self.genesis, 1), data: data, device: "")
        await nameless.didRead(upTo: VerseID(Self.genesis, 1, 1))
        #expect(nameless.recordingFailure?.contains("Reload the page") == true)
    }

    @Test("A position that cannot be stored is said so")
    func recordingFails() async throws {
        let model = model(try .lectern(), at: link(Self.genesis, 1)) { _ in throw Full() }
        await model.didRead(upTo: VerseID(Self.genesis, 1, 1))
        #expect(model.recordingFailure != nil && model.lastAct == nil)
    }

    @Test("The grid has the books and chapters that exist")
    func grid() async throws {
        let model = model(try await .lectern(with: SampleText.small), at: link(Self.genesis, 1))
        model.loadBooks()
        await model.settled()
        #expect(model.books.value?.map { $0.chapters.count } == [2, 1])
    }

    @Test("Parallel texts are aligned by verse, also where one lacks or joins verses")
    func parallel() {
        func verse(_ number: Int, _ label: String? = nil) -> Verse {
            Verse(number: number, label: label ?? "\(number)", text: "")
        }
        let passage = ParallelPassage(
            chapter: ChapterID(Self.john, 1), texts: [],
            columns: [[verse(1), verse(2), verse(3), verse(5)], [verse(1), verse(2, "2–3"), verse(4), verse(5)], []])
        #expect(passage.rows.map(\.number) == [1, 2, 4, 5])
        #expect(passage.rows.map { $0.cells.map(\.count) } == [[1, 1, 0], [2, 1, 0], [0, 1, 0], [1, 1, 0]])
    }

    @Test("Parallel texts are loaded with the chapter, and one that is missing is a failure")
    func parallelTexts() async throws {
        let database = try await AppDatabase.lectern(with: SampleText.small)
        var other = SampleText.small
        other.id = "other"
        _ = try await TextLibrary(database).add(from: other)
        let model = model(database, at: link(Self.genesis, 1))
        model.showBeside(["other", "sample", "other"])
        await model.settled()
        #expect(model.parallelTexts == ["other"])
        #expect(model.parallel.value?.rows.map { $0.cells.map(\.count) } == [[1, 1], [1, 1]])
        model.showBeside(["none"])
        await model.settled()
        #expect(model.parallel.message?.contains("none") == true)
    }
}
