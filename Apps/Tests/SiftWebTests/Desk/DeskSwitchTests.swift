import Foundation
import SiftCore
import Testing

@testable import SiftWeb

@MainActor @Suite("Several libraries behind one page")
struct DeskSwitchTests {
    private let first = FakeDesk()
    private let second = FakeDesk()
    private var both: DeskSwitch { DeskSwitch(first, [second]) }

    @Test("A decision is made in the open library only") func decides() async throws {
        let desk = both
        try await desk.decide([DecisionRequest(first.all[0], kind: .keep)])
        try await desk.open(library: 1)
        try await desk.decide([DecisionRequest(second.all[0], kind: .trash)])
        #expect(first.decided.map(\.kind) == [.keep])
        #expect(second.decided.map(\.kind) == [.trash])
        #expect(desk.deck.current?.id == second.deck.current?.id && desk.progress == second.progress)
    }

    @Test("A library that does not exist is refused, and the open one stays open", arguments: [-1, 2])
    func refusesUnknown(place: Int) async throws {
        let desk = both
        try await desk.open(library: 1)
        await #expect(throws: PhotoProcessingError(.unknownAction)) { try await desk.open(library: place) }
        #expect(desk.openLibrary == 1)
    }

    @Test("The review is set for all libraries") func setsReview() async throws {
        try await both.setReview(true)
        #expect(first.queue.waitsForReview && second.queue.waitsForReview)
    }

    @Test("Sidecars are set for the open library only") func setsSidecars() async throws {
        let desk = both
        try await desk.open(library: 1)
        try await desk.setWritesSidecars(true)
        #expect(!first.writesSidecars && second.writesSidecars && desk.writesSidecars)
    }

    @Test("A picture of a library that is not open is found") func findsPictures() async throws {
        first.hasPictures = false
        let picture = try await both.picture(first.all[1].id, first.all[1].version, .thumbnail)
        #expect(picture != nil)
        second.hasPictures = false
        #expect(try await both.picture(first.all[1].id, first.all[1].version, .thumbnail) == nil)
    }

    @Test("Undo and redo reach the open library only") func undoes() async throws {
        let desk = both
        try await desk.decide([DecisionRequest(first.all[0], kind: .keep)])
        let id = try #require(first.decided.first?.id)
        try await desk.open(library: 1)
        try await desk.undo(id, command: UUID())
        try await desk.redo(id, command: UUID())
        #expect(first.undone.isEmpty && first.redone.isEmpty)
        #expect(second.undone == [id] && second.redone == [id])
    }
}
