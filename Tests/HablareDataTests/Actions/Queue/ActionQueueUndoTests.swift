import Hablare
import HablareTestKit
import Testing

@testable import HablareData

@Suite(.timeLimit(.minutes(2))) struct ActionQueueUndoTests {
    @Test("An action that is undone before its commit is committed only after a redo")
    func beforeCommit() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.append(Swipe(1))
        let undone = try await queue.undo()
        #expect(undone.effect == .immediate)
        try await queue.whileRunning {
            try await queue.flush()
            #expect(desk.committer.calls.isEmpty)
            let redone = try await queue.redo()
            #expect(redone.id == undone.id && redone.effect == .queued)
            try await queue.flush()
        }
        #expect(desk.committer.inEffect == [1])
    }

    @Test("An action that is undone during a successful commit is reverted afterwards")
    func duringCommit() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.whileRunning {
            desk.committer.hold("trash")
            try await queue.append(Swipe(1))
            try await queue.commit()
            await queue.soon { $0.underWay == 1 }
            #expect(try await queue.undo().effect == .undecided)
            desk.committer.open("trash")
            await queue.soon { $0.underWay == 0 }
            try await queue.flush()
        }
        #expect(desk.committer.inEffect.isEmpty)
        #expect(desk.committer.calls.map(\.group) == ["trash", "restore"])
    }

    @Test("An undo during a failing commit needs no compensation")
    func duringFailingCommit() async throws {
        let desk = try ActionDesk(
            ScriptedCommitter { _ in .failed(ScriptedCommitter.Failure(), isRetryable: true) })
        let queue = try await desk.queue()
        try await queue.whileRunning {
            desk.committer.hold("trash")
            try await queue.append(Swipe(1))
            try await queue.commit()
            await queue.soon { $0.underWay == 1 }
            try await queue.undo()
            desk.committer.open("trash")
            await queue.soon { $0.pending == 0 }
            #expect(queue.snapshot.failed == 0 && queue.snapshot.redoCount == 1)
        }
        #expect(desk.committer.calls.count == 1)
    }

    @Test("A redo cancels a compensation before its commit, and each turn has its own key")
    func turns() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.whileRunning {
            let id = try await queue.append(Swipe(1))
            try await queue.flush()
            try await queue.undo()
            #expect(try await queue.redo().effect == .immediate)
            try await queue.flush()
            #expect(desk.committer.calls.count == 1)
            try await queue.undo()
            try await queue.flush()
            try await queue.redo()
            try await queue.flush()
            #expect(desk.committer.calls.flatMap(\.items).map(\.idempotencyKey) == ["\(id)/0", "\(id)/1", "\(id)/2"])
        }
        #expect(desk.committer.inEffect == [1])
    }

    @Test("A new action ends the possibility to redo")
    func appendClearsRedo() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.append([Swipe(1), Swipe(2)])
        try await queue.undo()
        try await queue.append(Swipe(3))
        #expect(!queue.snapshot.canRedo && queue.snapshot.undoCount == 2)
        let error = await #expect(throws: ActionQueueError.self) { try await queue.redo() }
        #expect(error?.code == .nothingToRedo)
        #expect(try desk.rows() == 2)
    }

    @Test("An action that does nothing is not committed, and is a step of the history")
    func nothing() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.append([Swipe(1), Swipe(2, isNothing: true)])
            #expect(queue.snapshot.pending == 1)
            #expect(try await queue.undo().effect == .immediate)
            #expect(try await queue.undo().action.name == 1)
            try await queue.redo()
            try await queue.redo()
            try await queue.flush()
        }
        #expect(desk.committer.calls.flatMap(\.names) == [1])
    }

    @Test("An action without a compensation can be undone until it is handed over, and not afterwards")
    func withoutCompensation() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.append(Swipe(1, canBeTakenBack: false))
            #expect(queue.snapshot.canUndo)
            try await queue.undo()
            try await queue.redo()
            try await queue.flush()
            #expect(!queue.snapshot.canUndo)
            let error = await #expect(throws: ActionQueueError.self) { try await queue.undo() }
            #expect(error?.code == .cannotBeUndone)
            #expect(!queue.snapshot.canRedo)
        }
        #expect(desk.committer.inEffect == [1])
    }

    @Test("Undo throws an error if the history is empty")
    func emptyHistory() async throws {
        let queue = try await ActionDesk().queue()
        let error = await #expect(throws: ActionQueueError.self) { try await queue.undo() }
        #expect(error?.code == .nothingToUndo)
    }

    @Test("Rows beyond the undo depth are removed once they are carried out, and the others stay")
    func depth() async throws {
        let desk = try ActionDesk(configuration: ActionQueueConfiguration(undoDepth: 5))
        let queue = try await desk.queue()
        try await queue.append((1...20).map { Swipe($0) })
        #expect(try desk.rows() == 20)
        try await queue.whileRunning { _ = try await queue.flush() }
        #expect(queue.snapshot.undoCount == 5)
        #expect(try desk.rows() == 5)
        try await queue.append(Swipe(21, isNothing: true))
        #expect(try desk.rows() == 5)
    }

    @Test("Actions of one subject run one after another across groups, and their compensations in reverse")
    func subjects() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.append([
                Swipe(1, group: "trash", subject: "photo"), Swipe(2, group: "album", subject: "photo"),
                Swipe(3, group: "trash", subject: "photo"),
            ])
            try await queue.flush()
            #expect(desk.committer.calls.map(\.names) == [[1], [2], [3]])
            for _ in 1...3 { try await queue.undo() }
            try await queue.flush()
            #expect(desk.committer.calls.map(\.names) == [[1], [2], [3], [3], [2], [1]])
        }
    }
}
