import Foundation
import GRDB
import HablarePersistence
import Testing

@testable import SiftCore

@Suite struct PruningTests {
    private let decisions = DecisionStore()

    /// Records a decision at a time of the clock, carried out at once.
    @discardableResult
    private func decide(
        _ store: TestStore, at seconds: Double, _ kind: PhotoAction.Kind, rating: Int? = nil, label: String? = nil
    ) async throws -> Decision {
        let request = DecisionRequest(try await store.photo("a.jpg"), kind: kind, rating: rating, label: label)
        return try await store.database.write { db in
            let decision = try decisions.record(
                request, session: store.session, at: Date(timeIntervalSince1970: seconds), in: db)
            try decisions.settle(decision.action, in: db)
            return decision
        }
    }

    private func prune(_ store: TestStore, before seconds: Double, atMost limit: Int = 500) async throws {
        try await store.database.write {
            _ = try decisions.prune(before: Date(timeIntervalSince1970: seconds), atMost: limit, in: $0)
        }
    }

    /// Returns the marks that follow from the decisions that are left.
    private func refreshed(_ store: TestStore) async throws -> PhotoMarks {
        let photo = try await store.photo("a.jpg").id
        try await store.database.write { _ = try decisions.refresh(photo, in: $0) }
        return try await store.photo("a.jpg").marks
    }

    @Test func keepsANewerDecisionThatTheClockDatesBeforeAnEarlierOne() async throws {
        let store = try await TestStore("a.jpg")
        try await decide(store, at: 100, .rating, rating: 2)
        try await decide(store, at: 50, .rating, rating: 5)
        try await prune(store, before: 75)
        #expect(try await refreshed(store).rating == 5)
        #expect(try await store.history().count == 2)
        try await prune(store, before: 101, atMost: 1)
        #expect(try await store.history().map(\.action.after.rating) == [5])
    }

    @Test func keepsADecisionAfterOneThatStillWaits() async throws {
        let store = try await TestStore("a.jpg")
        let first = try await decide(store, at: 1, .rating, rating: 2)
        try await decide(store, at: 2, .rating, rating: 5)
        try await store.database.write { try $0.execute(sql: "UPDATE decision SET settled = -1 WHERE number = 1") }
        try await prune(store, before: 10)
        #expect(try await store.history().count == 2)
        try await store.database.write { try decisions.settle(first.action, in: $0) }
        try await prune(store, before: 10)
        #expect(try await store.history().isEmpty)
    }

    @Test func forgetsTheEffectOfARemovedDecisionThatWasUndone() async throws {
        let store = try await TestStore("a.jpg")
        let first = try await decide(store, at: 1, .rating, rating: 3)
        try await decide(store, at: 2, .favourite)
        try await decide(store, at: 100, .label, label: "red")
        let library = store.library.id
        try await store.database.write { db in
            let reverting = try decisions.undo(first.id, of: library, in: db).reverting
            try decisions.settle(reverting, in: db)
        }
        let before = try await store.photo("a.jpg")
        try await prune(store, before: 50)
        #expect(try await store.history().map(\.action.kind) == [.label])
        #expect(try await refreshed(store) == PhotoMarks(isFavourite: true, rating: nil, label: "red"))
        #expect(try await store.photo("a.jpg").decision == before.decision)
    }

    @Test func removesTheActsOfTheTrashWithTheirDecision() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let photo = try await store.photo("a.jpg")
        let kept = try await store.photo("b.jpg")
        try await store.running(store.processor()) { processor in
            try await processor.decide(DecisionRequest(kept, kind: .trash), session: store.session)
            try await processor.decide(DecisionRequest(photo, kind: .trash), session: store.session)
            try await processor.flush()
            try await processor.undo(of: store.library.id)
            try await processor.flush()
            try await processor.redo(of: store.library.id)
            try await processor.flush()
            try await processor.undo(of: store.library.id)
            try await processor.flush()
        }
        func acts() async throws -> Int? {
            try await store.database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM trashAct") }
        }
        #expect(try await acts() == 3)
        try await store.database.write { _ = try decisions.prune(before: .distantFuture, in: $0) }
        // The act of the photo that is in the trash stays.
        #expect(try await acts() == 1)
        #expect(try await store.history().map(\.action.photo) == [kept.id])
    }
}
