import HablarePersistence
import LecternTexts
import Testing

@testable import LecternCore

@Suite("Searching all texts and one's own notes")
struct LibrarySearchTests {
    @Test("A search finds verses by text, and notes apart, with their totals")
    func all() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        var other = SampleText.small
        other.id = "other"
        other.books.removeFirst()
        for text in [SampleText.small, other] { _ = try await TextLibrary(desk.database).add(from: text) }
        let (john, free, removed) = (desk.id, desk.id, desk.id)
        let passage = try MarkPlace.verse("John.1.1")
        try await data.perform(desk.command(.addNote(mark: john, place: passage, text: "The BEGINNING of words")))
        try await data.perform(desk.command(.addNote(mark: free, place: nil, text: "a beginning, *the* end")))
        try await data.perform(desk.command(.addNote(mark: removed, place: nil, text: "the beginning")))
        try await data.perform(desk.command(.remove(mark: removed)))
        func search(_ query: SearchQuery, _ ids: [String]? = nil) async throws -> LibraryResults {
            try await desk.database.read { try TextSearch().search(query, inTexts: ids, db: $0) }
        }
        let both = try await search(SearchQuery("the beginning"))
        #expect(both.texts.map(\.text.id) == ["sample", "other"] && both.texts.map(\.total) == [3, 2])
        #expect(both.total == 5)
        #expect(both.notes.hits.map(\.note.id) == [john, free] && both.notes.total == 2)
        #expect(both.notes.hits.first?.matches == [0..<3, 4..<13])
        let phrase = try await search(SearchQuery("the beginning", matching: .phrase), ["other"])
        #expect(phrase.texts.map(\.text.id) == ["other"] && phrase.notes.hits.map(\.note.id) == [john])
        let any = try await search(SearchQuery("end word*", matching: .any))
        #expect(any.notes.hits.map(\.note.id) == [john, free])
        let books = try await search(SearchQuery("beginning", books: [BookID(rawValue: "John")]))
        #expect(books.notes.hits.map(\.note.id) == [john])
        #expect(try await search(SearchQuery("heavens")).texts.map(\.text.id) == ["sample"])
        #expect(try await search(SearchQuery(" \"* ")).notes.total == 0)
        await #expect(throws: ReadingError.self) { _ = try await search(SearchQuery("the"), ["none"]) }
    }

    @Test("Pages of notes have each note once")
    func pages() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        var notes: [Mark.ID] = []
        for number in 1...7 {
            notes.append(desk.id)
            try await data.perform(desk.command(.addNote(mark: notes[number - 1], place: nil, text: "light \(number)")))
        }
        let query = SearchQuery("light", pageSize: 3)
        let found = try await desk.database.read { db in
            var page = try TextSearch().notes(query, in: db)
            var found = page.hits.map(\.note.id)
            while let next = page.next {
                page = try TextSearch().notes(query, after: next, in: db)
                found += page.hits.map(\.note.id)
            }
            return found
        }
        #expect(found == notes)
    }
}
