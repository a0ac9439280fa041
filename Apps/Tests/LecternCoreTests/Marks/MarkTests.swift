import Foundation
import GRDB
import HablarePersistence
import LecternTexts
import Testing

@testable import LecternCore

@Suite("Bookmarks and highlights")
struct MarkTests {
    @Test("A bookmark has its seven fields")
    func bookmark() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let id = desk.id
        try await data.perform(
            desk.command(.addBookmark(mark: id, place: .verse("John.3.16"), label: "to learn", colour: .green)))
        let bookmark = try #require(try await desk.mark(id)?.bookmark)
        #expect(
            bookmark
                == Bookmark(
                    id: id, book: BookID(rawValue: "John"), chapter: 3, verse: 16, note: "to learn",
                    created: desk.now, colour: .green))
    }

    @Test("A chapter shows the marks that touch it, of its text and its versification only")
    func chapter() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let places: [(String, MarkPlace.Space, Bool)] = [
            ("John.3.16", .versification("KJV"), true), ("John.3", .text("kjv"), true),
            ("John.2.20-John.4.1", .versification("KJV"), true), ("John", .versification("KJV"), true),
            ("John.4.1", .versification("KJV"), false), ("John.3.16", .text("web"), false),
            ("John.3.16", .versification("Vulg"), false), ("1John.3.16", .versification("KJV"), false),
        ]
        for (osis, space, _) in places {
            desk.advance(1)
            try await data.perform(
                desk.command(.addHighlight(mark: desk.id, place: .verse(osis, space), colour: .red, style: .marker)))
        }
        let marks = try await desk.database.read {
            try MarkStore().marks(of: ChapterID(BookID(rawValue: "John"), 3), in: kjv, $0)
        }
        let shown = marks.compactMap(\.place).map { OSISText.text(of: $0.reference) }
        #expect(Set(shown) == Set(places.filter(\.2).map(\.0)) && shown.count == 4)
    }

    @Test("The later edit of the same field wins, and edits of different fields both stay")
    func fields() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let id = desk.id
        try await data.perform(desk.command(.addBookmark(mark: id, place: .verse("John.3"), label: "", colour: nil)))
        desk.advance(1000)
        let early = desk.now
        desk.advance(1000)
        try await data.perform(desk.command(.setColour(mark: id, colour: .blue, seen: 1)))
        desk.advance(1000)
        #expect(
            try await data.perform(desk.command(.setColour(mark: id, colour: .red, seen: 1), at: early)) == .superseded)
        #expect(
            try await data.perform(desk.command(.setLabel(mark: id, label: "late", seen: 1), at: early)) == .changed)
        #expect(try await data.perform(desk.command(.setColour(mark: id, colour: .pink, seen: 1))) == .changed)
        let mark = try #require(try await desk.mark(id))
        #expect(mark.colour == .pink && mark.label == "late" && mark.revision == 4)
    }

    @Test("A device whose clock is ahead does not win over edits of the time to come")
    func clockAhead() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let id = desk.id
        try await data.perform(desk.command(.addBookmark(mark: id, place: .verse("John.3"), label: "", colour: nil)))
        let wrong = desk.now.adding(seconds: 86_400 * 365)
        try await data.perform(desk.command(.setColour(mark: id, colour: .blue, seen: 1), at: wrong))
        desk.advance(1000)
        #expect(try await data.perform(desk.command(.setColour(mark: id, colour: .red, seen: 1))) == .changed)
    }

    @Test("Invalid places, names and changes are refused with a code, and change nothing")
    func invalid() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let (mark, folder) = (desk.id, desk.id)
        try await data.perform(
            desk.command(.addHighlight(mark: mark, place: .verse("John.3"), colour: .red, style: .marker)))
        var words = try MarkPlace.verse("John.3.16", .text("kjv"))
        words.words = MarkPlace.Words(start: 5, end: 5)
        var ofAll = try MarkPlace.verse("John.3.16")
        ofAll.words = MarkPlace.Words(start: 0, end: 5)
        let cases: [(MarkCommand.Change, PersonalDataError.Code)] = [
            (.addHighlight(mark: desk.id, place: words, colour: .red, style: .marker), .invalid),
            (.addHighlight(mark: desk.id, place: ofAll, colour: .red, style: .marker), .invalid),
            (.addHighlight(mark: mark, place: try .verse("John.3"), colour: .red, style: .marker), .conflict),
            (.setColour(mark: mark, colour: nil, seen: nil), .invalid),
            (.setPlace(mark: mark, place: nil, seen: nil), .invalid),
            (.addTag(mark: mark, tag: " \u{202E}\n"), .invalid),
            (.addTag(mark: mark, tag: String(repeating: "👨‍👩‍👧‍👦", count: 51)), .tooLarge),
            (.addTag(mark: mark, tag: "e" + String(repeating: "\u{301}", count: 300)), .tooLarge),
            (.setFolder(mark: mark, folder: folder, seen: nil), .gone), (.remove(mark: desk.id), .gone),
            (.saveNote(mark: mark, text: "", base: nil), .gone), (.renameFolder(folder: folder, name: "x"), .gone),
        ]
        let before = try desk.rows(PersonalTable.allCases)
        for (change, code) in cases {
            let error = await #expect(throws: PersonalDataError.self) { try await data.perform(desk.command(change)) }
            #expect(error?.code == code, "\(change)")
        }
        #expect(try desk.rows(PersonalTable.allCases) == before)
        #expect(data.depths.undo == 1)
    }

    @Test("Tags and folders filter the list, which comes page by page, the newest first")
    func list() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let folder = desk.id
        try await data.perform(desk.command(.addFolder(folder: folder, name: "  To\tlearn ")))
        var ids: [UUID] = []
        for number in 0..<25 {
            desk.advance(number % 3 == 0 ? 1 : 0)
            let id = desk.id
            ids.append(id)
            try await data.perform(
                desk.command(
                    .addBookmark(
                        mark: id, place: .verse("John.\(number + 1)"), label: "Ärger 100% \(number)",
                        colour: number % 2 == 0 ? .red : nil)))
            if number % 5 == 0 {
                try await data.perform(desk.command(.addTag(mark: id, tag: "\u{202E}e\u{301}t\u{E9}  a")))
                try await data.perform(desk.command(.setFolder(mark: id, folder: folder, seen: nil)))
            }
        }
        let store = MarkStore()
        func all(_ filter: MarkFilter, size: Int = 10) throws -> [Mark] {
            try desk.database.writer.read { db in
                var (marks, position): ([Mark], PagePosition?) = ([], .first)
                while let place = position {
                    let page = try store.page(place, of: filter, size: size, in: db)
                    #expect(page.marks.count <= size)
                    marks += page.marks
                    position = page.next
                }
                #expect(try store.count(of: filter, in: db) == marks.count)
                return marks
            }
        }
        let marks = try all(MarkFilter())
        #expect(Set(marks.map(\.id)) == Set(ids) && marks.count == 25)
        #expect(zip(marks, marks.dropFirst()).allSatisfy { $0.createdAt >= $1.createdAt })
        #expect(try all(MarkFilter(colours: [.red])).count == 13)
        #expect(try all(MarkFilter(tags: ["\u{E9}t\u{E9} a"])).count == 5)
        #expect(try all(MarkFilter(folder: folder)).count == 5)
        #expect(try all(MarkFilter(text: "arger 100 7")).map(\.label) == ["Ärger 100% 7"])
        #expect(try all(MarkFilter(kinds: [.note])).isEmpty)
        let folders = try await desk.database.read { try store.folders(in: $0) }
        #expect(folders == [MarkFolder(id: folder, name: "To learn", count: 5)])
        try await data.perform(desk.command(.removeFolder(folder: folder)))
        #expect(try await desk.mark(ids[0])?.folder == nil)
        try await data.undo(command: desk.id)
        #expect(try await desk.mark(ids[0])?.folder == folder)
    }

    @Test("Commands are read from the JSON of a browser's outbox")
    func json() throws {
        let text = """
            [{"id": "0192f0c1-0000-7000-8000-000000000001", "madeAt": 1767225600000, "change": {"addHighlight":
            {"mark": "0192f0c1-0000-7000-8000-000000000002", "place": {"space": "text:kjv", "osis": "John.3.16-John.3.17",
            "words": {"start": 3, "end": 9}}, "colour": "purple", "style": "outline"}}},
            {"id": "0192f0c1-0000-7000-8000-000000000003", "madeAt": 1767225600001, "change": {"saveNote":
            {"mark": "0192f0c1-0000-7000-8000-000000000004", "text": "a"}}}]
            """
        let commands = try JSONDecoder().decode([MarkCommand].self, from: Data(text.utf8))
        #expect(commands[0].madeAt == Moment(rawValue: 1_767_225_600_000))
        guard case .addHighlight(_, let place, .purple, .outline) = commands[0].change else {
            Issue.record("The first command is no highlight.")
            return
        }
        #expect(place.words == MarkPlace.Words(start: 3, end: 9))
        let again = try JSONDecoder().decode([MarkCommand].self, from: JSONEncoder().encode(commands))
        #expect(again == commands)
        let wrong = text.replacingOccurrences(of: "John.3.16-", with: "John.3.16-Mark.")
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([MarkCommand].self, from: Data(wrong.utf8)) }
    }

    @Test("A list of an outbox goes on after a command that fails for good")
    func outbox() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let (one, two) = (
            desk.command(.addNote(mark: desk.id, place: nil, text: "one")),
            desk.command(.addNote(mark: desk.id, place: nil, text: "two"))
        )
        let results = await data.perform([one, desk.command(.remove(mark: desk.id)), two, one])
        #expect(results.map(\.outcome) == [.changed, nil, .changed, .repeated])
    }

    @Test("OSIS ids are read as they are written, and nothing else is", arguments: RandomMarks.places)
    func osis(_ text: String) throws {
        #expect(OSISText.text(of: try #require(OSISText.reference(text))) == text)
        for wrong in [
            text + ".", "." + text, text + "-", text + "-Rev.1", " " + text, text + ".-1", text + ".99999999999",
        ] {
            #expect(OSISText.reference(wrong) == nil, "\(wrong)")
        }
    }

    @Test("Runs of a verse join to its text, divide no character, and know their highlights")
    func runs() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let text = "In 👨‍👩‍👧‍👦 the beginning"
        let (one, two) = (desk.id, desk.id)
        var place = try MarkPlace.verse("John.1.1-John.1.2", .text("kjv"))
        place.words = MarkPlace.Words(start: 5, end: 1)
        try await data.perform(desk.command(.addHighlight(mark: one, place: place, colour: .red, style: .marker)))
        desk.advance(1)
        var other = try MarkPlace.verse("John.1.1", .text("kjv"))
        other.words = MarkPlace.Words(start: 15, end: 9999)
        try await data.perform(desk.command(.addHighlight(mark: two, place: other, colour: .red, style: .marker)))
        let chapter = ChapterID(BookID(rawValue: "John"), 1)
        let marks = try await desk.database.read { try MarkStore().marks(of: chapter, in: kjv, $0) }
        func runs(_ number: Int) -> [HighlightLayout.Run] {
            HighlightLayout.runs(of: Verse(number: number, label: "", text: text), in: chapter, marks)
        }
        #expect(runs(1).map(\.text) == ["In ", "👨‍👩‍👧‍👦 ", "the beginning"])
        #expect(runs(1).map(\.marks) == [[], [one], [one, two]])
        #expect(runs(2).map(\.text) == ["I", String(text.dropFirst())])
        #expect(runs(3).map(\.marks) == [[]])
    }
}

extension Result<MarkOutcome, any Error> {
    fileprivate var outcome: MarkOutcome? { if case .success(let outcome) = self { outcome } else { nil } }
}
