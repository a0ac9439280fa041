import HablarePersistence
import Testing

@testable import SiftCore

/// An undo puts back the values of other programs, which Sift never reads as its own marks.
struct SidecarUndoTests {
    private static let name = "a.jpg.xmp"

    /// Returns a store with a photo that another program has marked.
    private func store(_ property: XMPSidecar.Property = .rating, _ value: String? = "4") async throws -> TestStore {
        let store = try await TestStore("a.jpg")
        try store.setByAnotherProgram(property, to: value, in: Self.name)
        try await store.scan()
        try await store.setWritesSidecars(true)
        return store
    }

    @Test func putsBackARating() async throws {
        let store = try await store()
        try await store.decide("a.jpg", .rating, rating: 5)
        #expect(try store.value(.rating, in: Self.name) == "5")
        try await store.undo()
        #expect(try store.value(.rating, in: Self.name) == "4")
    }

    @Test func putsBackALabel() async throws {
        let store = try await store(.label, "Blue & gold")
        try await store.decide("a.jpg", .label, label: "Red")
        try await store.undo()
        #expect(try store.value(.label, in: Self.name) == "Blue & gold")
    }

    @Test(arguments: ["1", "3"]) func putsBackAPickLabel(_ pick: String) async throws {
        let store = try await store(.pick, pick)
        try await store.decide("a.jpg", .favourite)
        #expect(try store.value(.pick, in: Self.name) == "3")
        try await store.undo()
        #expect(try store.value(.pick, in: Self.name) == pick)
    }

    @Test func putsBackEachOfSeveralRatings() async throws {
        let store = try await store()
        for rating in [5, 5, 2] { try await store.decide("a.jpg", .rating, rating: rating) }
        for expected in ["5", "5", "4"] {
            try await store.undo()
            #expect(try store.value(.rating, in: Self.name) == expected)
        }
    }

    @Test func putsBackTheFirstValueAfterUndoesOutOfOrder() async throws {
        let store = try await store()
        let first = try await store.decide("a.jpg", .rating, rating: 5)
        let second = try await store.decide("a.jpg", .rating, rating: 2)
        try await store.undo(first)
        #expect(try store.value(.rating, in: Self.name) == "2", "The second decision stands.")
        try await store.undo(second)
        #expect(try store.value(.rating, in: Self.name) == "4")
    }

    @Test func putsBackWhatAnotherProgramWroteBetweenTwoDecisions() async throws {
        let store = try await store()
        try await store.decide("a.jpg", .rating, rating: 5)
        try store.setByAnotherProgram(.rating, to: "1", in: Self.name)
        try await store.decide("a.jpg", .rating, rating: 3)
        try await store.undo()
        #expect(try store.value(.rating, in: Self.name) == "1")
    }

    @Test func putsBackTheNewestValueAfterARedo() async throws {
        let store = try await store()
        let decision = try await store.decide("a.jpg", .rating, rating: 5)
        try await store.undo()
        // The same value as the decision's, now by another program.
        try store.setByAnotherProgram(.rating, to: "5", in: Self.name)
        try await store.redo(decision)
        try await store.undo()
        #expect(try store.value(.rating, in: Self.name) == "5")
    }

    @Test func leavesAValueThatSiftNeverReplaced() async throws {
        let store = try await store()
        try await store.setWritesSidecars(false)
        try await store.decide("a.jpg", .rating, rating: 5)
        try await store.setWritesSidecars(true)
        try await store.undo()
        #expect(try store.value(.rating, in: Self.name) == "4")
    }

    @Test func putsNothingIntoASidecarThatAnotherProgramRemoved() async throws {
        let store = try await store()
        try await store.decide("a.jpg", .rating, rating: 5)
        try store.test.remove(Self.name)
        try await store.undo()
        #expect(!store.test.exists(Self.name))
    }

    @Test func removesARatingThatAPersonRemoves() async throws {
        let store = try await store()
        try await store.decide("a.jpg", .rating, rating: nil)
        #expect(try store.value(.rating, in: Self.name) == "4", "Sift had no rating, so nothing changes.")
        try await store.decide("a.jpg", .rating, rating: 5)
        try await store.decide("a.jpg", .rating, rating: nil)
        #expect(try store.value(.rating, in: Self.name) == nil)
        try await store.undo()
        #expect(try store.value(.rating, in: Self.name) == "5")
    }
}
