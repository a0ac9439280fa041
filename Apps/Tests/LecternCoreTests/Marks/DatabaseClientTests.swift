import Foundation
import HablarePersistence
import LecternTexts
import Testing

@testable import LecternCore

@Suite("The client of bookmarks")
struct DatabaseClientTests {
    private struct Broken: Error {}

    private func bookmark(_ id: UUID, _ chapter: Int?, _ verse: Int?, at seconds: Int64) -> Bookmark {
        Bookmark(
            id: id, book: BookID(rawValue: "John"), chapter: chapter, verse: verse, note: "note \(seconds)",
            created: Moment(rawValue: seconds * 1000), colour: .blue)
    }

    @Test(
        "Saving, changing, loading, observing and deleting are the same with a database and in a preview",
        arguments: [true, false])
    func contract(isLive: Bool) async throws {
        let desk = try Desk()
        let client =
            isLive ? DatabaseClient.live(try await desk.open(), in: .versification("KJV")) : DatabaseClient.preview()
        let bookmarks = client.bookmarks
        #expect(try await bookmarks.fetchAll() == [])
        let (one, two) = (bookmark(UUID(), 3, 16, at: 5), bookmark(UUID(), nil, nil, at: 9))
        #expect(try await bookmarks.save(one) == one)
        #expect(try await bookmarks.save(two) == two)
        #expect(try await bookmarks.fetchAll() == [two, one], "the newest first")
        var changed = one
        (changed.verse, changed.note, changed.colour) = (nil, "", nil)
        #expect(try await bookmarks.save(changed) == changed)
        #expect(try await bookmarks.fetch(one.id) == changed)
        for try await all in bookmarks.observe() {
            #expect(all == [two, changed])
            break
        }
        #expect(try await bookmarks.delete(two.id))
        #expect(try await !bookmarks.delete(two.id))
        #expect(try await bookmarks.fetch(two.id) == nil)
        #expect(try await bookmarks.fetchAll() == [changed])
    }

    @Test("A saved bookmark is one step of the undo history, and another mark is not overwritten or deleted")
    func live() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let bookmarks = DatabaseClient.live(data, in: .versification("KJV")).bookmarks
        let one = bookmark(UUID(), 3, 16, at: 5)
        _ = try await bookmarks.save(one)
        var changed = one
        (changed.verse, changed.note, changed.colour) = (17, "new", .red)
        _ = try await bookmarks.save(changed)
        try await data.undo(command: desk.id)
        #expect(try await bookmarks.fetch(one.id) == one)
        let note = desk.id
        try await data.perform(desk.command(.addNote(mark: note, place: nil, text: "kept")))
        await #expect(throws: PersonalDataError.self) { try await bookmarks.save(bookmark(note, 1, 1, at: 1)) }
        #expect(try await !bookmarks.delete(note))
        #expect(try await desk.mark(note)?.text == "kept")
        await #expect(throws: PersonalDataError.self) { try await bookmarks.save(bookmark(UUID(), nil, 2, at: 1)) }
    }

    @Test("A failing client fails")
    func failing() async {
        let bookmarks = DatabaseClient.failing(Broken()).bookmarks
        await #expect(throws: Broken.self) { try await bookmarks.fetchAll() }
        await #expect(throws: Broken.self) { try await bookmarks.save(bookmark(UUID(), 1, 1, at: 1)) }
        await #expect(throws: Broken.self) { try await bookmarks.delete(UUID()) }
    }
}
