import Foundation
import GRDB
import LecternTexts
import Observation
import Testing

@testable import LecternCore

@Suite("The model of marks")
@MainActor struct MarksModelTests {
    private let chapter = ChapterID(BookID(rawValue: "John"), 3)

    @Test("The model shows the marks of a chapter, and follows changes of another window and of the selection")
    func follows() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let model = MarksModel(data, .chapter(chapter, kjv))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await model.run() }
            let one = desk.id
            try await data.perform(
                desk.command(.addBookmark(mark: one, place: .verse("John.3"), label: "", colour: nil)))
            await until(model) { $0.state.marks.map(\.id) == [one] }
            // The observation has begun, so only a change can show the next one.
            let other = desk.id
            try await data.perform(
                desk.command(.addBookmark(mark: other, place: .verse("John.3.16"), label: "", colour: nil)))
            await until(model) { $0.state.marks.map(\.id) == [one, other] }
            try await data.perform(desk.command(.remove(mark: other)))
            await until(model) { $0.state.marks.map(\.id) == [one] }
            let two = desk.id
            desk.advance(1)
            try await data.perform(desk.command(.addNote(mark: two, place: nil, text: "nothing")))
            model.show(.list(MarkFilter()))
            await until(model) { $0.state.marks.map(\.id) == [two, one] }
            model.show(.list(MarkFilter(kinds: [.note])))
            await until(model) { $0.state.marks.map(\.id) == [two] }
            #expect(model.state.total == 1 && !model.state.hasMore && model.canUndo)
            group.cancelAll()
            do { try await group.waitForAll() } catch is CancellationError {}
        }
    }

    @Test("A list grows page by page")
    func pages() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        for _ in 0..<60 {
            try await data.perform(desk.command(.addNote(mark: desk.id, place: nil, text: "note")))
        }
        let model = MarksModel(data, .list(MarkFilter()))
        try await model.refresh()
        #expect(model.state.marks.count == 50 && model.state.total == 60 && model.state.hasMore)
        model.showMore()
        try await model.refresh()
        #expect(model.state.marks.count == 60 && !model.state.hasMore)
    }

    @Test("A failure is shown with advice, and is gone after the next success")
    func failure() async throws {
        let desk = try Desk()
        let data = try await desk.open()
        let model = MarksModel(data, .chapter(chapter, kjv))
        let large = String(repeating: "x", count: MarkLimits.noteBytes + 1)
        #expect(await model.perform(desk.command(.addNote(mark: desk.id, place: nil, text: large))) == nil)
        #expect(model.message?.contains("Divide it") == true)
        let bookmark = desk.command(.addBookmark(mark: desk.id, place: try .verse("John.3"), label: "", colour: nil))
        #expect(await model.perform(bookmark) == .changed)
        #expect(model.message == nil && model.state.marks.count == 1 && model.canUndo && !model.canRedo)
        await model.undo(command: desk.id)
        #expect(model.state.marks.isEmpty && model.canRedo)
        await model.redo(command: desk.id)
        #expect(model.state.marks.count == 1)
    }

    /// Waits until a condition holds, at most until the time limit cancels the test.
    private func until(_ model: MarksModel, _ condition: @escaping @Sendable @MainActor (MarksModel) -> Bool) async {
        for await holds in Observations({ condition(model) }) where holds { return }
    }
}
