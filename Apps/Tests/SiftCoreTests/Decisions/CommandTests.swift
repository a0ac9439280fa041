import Foundation
import HablarePersistence
import Testing

@testable import SiftCore

/// A command with the same id twice is one act.
struct CommandTests {
    @Test func undoesOneStepHoweverOftenItIsSent() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let id = store.library.id
        let processor = try await store.processor()
        for name in ["a.jpg", "b.jpg"] {
            try await processor.decide(DecisionRequest(store.photo(name), kind: .keep), session: store.session)
        }
        let command = UUID()
        #expect(try await processor.undo(of: id, command: command).count == 1)
        #expect(try await processor.undo(of: id, command: command).isEmpty)
        #expect(try await store.photo("a.jpg").decision == .keep)
        // Also after a restart.
        #expect(try await store.processor().undo(of: id, command: command).isEmpty)
        #expect(try await store.photos(.undecided).map(\.principal.path.description) == ["b.jpg"])
    }

    @Test func redoesOneStepHoweverOftenItIsSent() async throws {
        let store = try await TestStore("a.jpg", "b.jpg")
        let id = store.library.id
        let processor = try await store.processor()
        for name in ["a.jpg", "b.jpg"] {
            try await processor.decide(DecisionRequest(store.photo(name), kind: .keep), session: store.session)
        }
        for _ in 0..<2 { try await processor.undo(of: id) }
        let command = UUID()
        #expect(try await processor.redo(of: id, command: command).count == 1)
        #expect(try await processor.redo(of: id, command: command).isEmpty)
        #expect(try await store.photos(.undecided).map(\.principal.path.description) == ["b.jpg"])
    }

    @Test func doesNotCountACommandThatWasRefused() async throws {
        let store = try await TestStore("a.jpg")
        let id = store.library.id
        let processor = try await store.processor()
        let command = UUID()
        await #expect(throws: PhotoProcessingError(.nothingToUndo)) {
            try await processor.undo(of: id, command: command)
        }
        try await processor.decide(DecisionRequest(store.photo("a.jpg"), kind: .keep), session: store.session)
        #expect(try await processor.undo(of: id, command: command).count == 1)
    }

    @Test func forgetsCommandsWithTheOldDecisions() async throws {
        let store = try await TestStore("a.jpg")
        let processor = try await store.processor()
        try await processor.decide(DecisionRequest(store.photo("a.jpg"), kind: .keep), session: store.session)
        let command = UUID()
        try await processor.undo(of: store.library.id, command: command)
        let isForgotten = try await store.database.write { db in
            _ = try DecisionStore().prune(before: .distantFuture, in: db)
            return try DecisionStore().begin(command, at: .distantFuture, in: db)
        }
        #expect(isForgotten)
    }

    @Test func namesTheDecisionsThatUndoAndRedoTakeNext() async throws {
        let store = try await TestStore("a.jpg", "b.jpg", "c.jpg")
        let id = store.library.id
        let processor = try await store.processor()
        func next() async throws -> (undo: Decision?, redo: Decision?) {
            try await store.database.read { try DecisionStore().nextSteps(of: id, in: $0) }
        }
        func keep(_ name: String) async throws -> UUID {
            try await processor.decide(DecisionRequest(store.photo(name), kind: .keep), session: store.session).id
        }
        let first = try await keep("a.jpg")
        _ = try await keep("b.jpg")
        try await processor.undo(of: id)
        // The undone one cannot be redone after this, although it lies between the two that can.
        let third = try await keep("c.jpg")
        #expect(try await next().undo?.id == third)
        for _ in 0..<2 { try await processor.undo(of: id) }
        #expect(try await next().undo == nil)
        #expect(try await next().redo?.id == first)
        #expect(try await processor.redo(of: id).map(\.id) == [first])
        #expect(try await next().redo?.id == third)
    }
}
