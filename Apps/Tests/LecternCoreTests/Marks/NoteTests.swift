import Foundation
import GRDB
import HablarePersistence
import LecternTexts
import Testing

@testable import LecternCore

@Suite("Notes, their versions and conflicts")
struct NoteTests {
    @Test("Each save keeps the earlier text")
    func versions() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let note = desk.id
        var base: UUID?
        for text in ["one", "two", "three"] {
            desk.advance(1000)
            let command = desk.command(
                base == nil
                    ? .addNote(mark: note, place: nil, text: text) : .saveNote(mark: note, text: text, base: base))
            #expect(try await data.perform(command) == .changed)
            base = command.id
        }
        #expect(try await desk.mark(note)?.text == "three")
        let versions = try await desk.database.read { try MarkStore().versions(of: note, in: $0) }
        #expect(versions.map(\.text) == ["three", "two", "one"])
        #expect(versions.allSatisfy { !$0.isLost })
    }

    @Test(
        "If two edits meet, the later one wins, and the other one is kept and shown until it is settled",
        arguments: [true, false])
    func conflict(isOfflineEditOlder: Bool) async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let note = desk.id
        let first = desk.command(.addNote(mark: note, place: nil, text: "base"))
        try await data.perform(first)
        desk.advance(60_000)
        let here = desk.command(.saveNote(mark: note, text: "here", base: first.id))
        try await data.perform(here)
        let moment = Moment(rawValue: here.madeAt.rawValue + (isOfflineEditOlder ? -1000 : 1000))
        desk.advance(60_000)
        let offline = desk.command(.saveNote(mark: note, text: "offline", base: first.id), at: moment)
        let lost = isOfflineEditOlder ? offline.id : here.id
        #expect(try await data.perform(offline) == .conflict(lost: lost))
        let mark = try #require(try await desk.mark(note))
        #expect(mark.text == (isOfflineEditOlder ? "here" : "offline"))
        #expect(mark.lost.map(\.text) == [isOfflineEditOlder ? "offline" : "here"])
        let page = try await desk.database.read { try MarkStore().page(of: MarkFilter(hasConflict: true), in: $0) }
        #expect(page.marks.map(\.id) == [note])
        try await data.perform(desk.command(.settleConflict(version: lost)))
        #expect(try await desk.mark(note)?.lost == [])
        let versions = try await desk.database.read { try MarkStore().versions(of: note, in: $0) }
        #expect(Set(versions.map(\.text)) == ["base", "here", "offline"])
        try await data.undo(command: desk.id)
        #expect(try await desk.mark(note)?.lost.count == 1)
    }

    @Test("A note that was removed comes back with a late edit of it")
    func editAfterRemoval() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let note = desk.id
        let first = desk.command(.addNote(mark: note, place: nil, text: "base"))
        try await data.perform(first)
        try await data.perform(desk.command(.remove(mark: note)))
        #expect(try await desk.mark(note) == nil)
        try await data.perform(desk.command(.saveNote(mark: note, text: "late", base: first.id)))
        #expect(try await desk.mark(note)?.text == "late")
    }

    @Test("A note holds any text up to its limit unchanged, except U+0000")
    func hardTexts() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let texts =
            RandomMarks.texts + [
                String(repeating: "x", count: MarkLimits.noteBytes), String(repeating: "👨‍👩‍👧‍👦", count: 1000),
            ]
        for text in texts {
            let note = desk.id
            try await data.perform(desk.command(.addNote(mark: note, place: nil, text: text)))
            #expect(try await desk.mark(note)?.text.utf8.elementsEqual(text.utf8) == true)
        }
        let note = desk.id
        try await data.perform(desk.command(.addNote(mark: note, place: nil, text: "a\0b")))
        #expect(try await desk.mark(note)?.text == "a\u{FFFD}b")
        let large = String(repeating: "x", count: MarkLimits.noteBytes + 1)
        let error = await #expect(throws: PersonalDataError.self) {
            try await data.perform(desk.command(.addNote(mark: desk.id, place: nil, text: large)))
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.message.contains("1048576") == true)
    }

    @Test("Two edits of 1 MiB meet, and both are kept")
    func largeConflict() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let note = desk.id
        let texts = ["a", "b", "c"].map { String(repeating: $0, count: MarkLimits.noteBytes) }
        try await data.perform(desk.command(.addNote(mark: note, place: nil, text: texts[0])))
        desk.advance(10)
        try await data.perform(desk.command(.saveNote(mark: note, text: texts[1], base: nil)))
        desk.advance(10)
        try await data.perform(desk.command(.saveNote(mark: note, text: texts[2], base: nil)))
        #expect(try await desk.mark(note)?.text == texts[2])
        #expect(try await desk.mark(note)?.lost.count == 2)
        try await data.undo(command: desk.id)
        #expect(try await desk.mark(note)?.text == texts[1])
    }

    @Test("If the disk is full, the error says so, nothing is changed, and the same command succeeds later")
    func fullDisk() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let note = desk.id
        let first = desk.command(.addNote(mark: note, place: nil, text: "short"))
        try await data.perform(first)
        try await desk.database.write { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
        }
        let save = desk.command(
            .saveNote(mark: note, text: String(repeating: "words ", count: 50_000), base: first.id))
        let before = try desk.rows(PersonalTable.allCases)
        let error = await #expect(throws: PersonalDataError.self) { try await data.perform(save) }
        #expect(error?.code == .diskFull && error?.isRetryable == true)
        #expect(try desk.rows(PersonalTable.allCases) == before)
        #expect(await data.perform([save, first]).isEmpty)
        try await desk.database.write { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        #expect(try await data.perform(save) == .changed)
        #expect(try await desk.mark(note)?.text.utf8.count == 300_000)
    }

    @Test("The index finds the current text of a note without marks, and no earlier or removed one")
    func search() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let note = desk.id
        let first = desk.command(.addNote(mark: note, place: nil, text: "Über שָׁלוֹם"))
        try await data.perform(first)
        func found(_ query: String) throws -> [String] {
            try desk.database.writer.read { db in
                try String.fetchAll(
                    db,
                    sql: "SELECT mark.id FROM \(NoteIndex.source) WHERE noteSearch MATCH ?",
                    arguments: [NoteIndex.fold(query)])
            }
        }
        #expect(try found("uber") == [note.key])
        #expect(try found("שלום") == [note.key])
        try await data.perform(desk.command(.saveNote(mark: note, text: "else", base: first.id)))
        #expect(try found("uber") == [] && found("else") == [note.key])
        try await data.undo(command: desk.id)
        #expect(try found("uber") == [note.key] && found("else") == [])
        try await data.perform(desk.command(.remove(mark: note)))
        #expect(try found("uber") == [])
        #expect(try await desk.database.write { try NoteIndex.index.isIntact(in: $0) })
    }
}
