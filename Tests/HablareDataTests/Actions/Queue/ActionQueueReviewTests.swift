import GRDB
import Hablare
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareData

/// In review mode nothing is committed that the user has not confirmed in its current form.
@Suite(.timeLimit(.minutes(2))) struct ActionQueueReviewTests {
    @Test("An undo while the outcome is unknown takes effect with an explicit commit", arguments: [false, true])
    func undoneWhileUnknown(hasRestarted: Bool) async throws {
        let desk = try ActionDesk(
            ScriptedCommitter { $0.attempt == 1 && $0.executions == 0 ? .unknown(ScriptedCommitter.Failure()) : .done },
            configuration: ActionQueueConfiguration(mode: .review))
        var queue = try await desk.queue()
        try await queue.append(Swipe(1))
        try await queue.whileRunning { [queue] in
            try await queue.flush()
            #expect(try await queue.undo().effect == .undecided)
        }
        if hasRestarted { queue = try await desk.queue() }
        try await queue.whileRunning { [queue] in
            while desk.committer.calls.count < 2 {
                desk.clock.advance(by: .seconds(1))
                await Task.yield()
            }
            await queue.soon { $0.underWay == 0 && $0.retrying == 0 }
            // The action was carried out, and reverting it needs its own commit.
            desk.clock.advance(by: .seconds(100))
            try await queue.append(Swipe(2))
            #expect(queue.pendingActions.map(\.isUndone) == [true, false])
            #expect(desk.committer.inEffect == [1] && desk.committer.calls.count == 2)
            try await queue.flush()
        }
        #expect(desk.committer.inEffect == [2] && desk.committer.doubled.isEmpty)
    }

    @Test("A commit after the undo includes the compensation")
    func wordAfterUndo() async throws {
        let desk = try ActionDesk(configuration: ActionQueueConfiguration(mode: .review))
        let queue = try await desk.queue()
        try await queue.whileRunning {
            desk.committer.hold("trash")
            try await queue.append(Swipe(1))
            try await queue.commit()
            await queue.soon { $0.underWay == 1 }
            try await queue.undo()
            try await queue.commit()
            desk.committer.open("trash")
            await queue.soon { $0.pending == 0 }
        }
        #expect(desk.committer.inEffect.isEmpty && desk.committer.calls.count == 2)
    }

    @Test("One of many actions can be withdrawn, unless it was carried out")
    func withdrawing() async throws {
        let desk = try ActionDesk(configuration: ActionQueueConfiguration(mode: .review))
        let queue = try await desk.queue()
        let ids = try await queue.append((1...5).map { Swipe($0) })
        try await queue.withdraw(ids[2])
        #expect(queue.pendingActions.map(\.action.name) == [1, 2, 4, 5] && queue.snapshot.undoCount == 4)
        #expect(try desk.rows() == 4)
        try await queue.whileRunning {
            try await queue.flush()
            let error = await #expect(throws: ActionQueueError.self) { try await queue.withdraw(ids[0]) }
            #expect(error?.code == .notPending)
        }
        #expect(desk.committer.inEffect == [1, 2, 4, 5])
    }

    @Test("Of several failed actions, one is retried and another one is discarded")
    func oneByOne() async throws {
        let isBroken = Locked(true)
        let desk = try ActionDesk(
            ScriptedCommitter { _ in
                isBroken.withLock { $0 } ? .failed(ScriptedCommitter.Failure(), isRetryable: false) : .done
            })
        let queue = try await desk.queue()
        try await queue.whileRunning {
            let ids = try await queue.append((1...3).map { Swipe($0) })
            let early = await #expect(throws: ActionQueueError.self) { try await queue.retry(ids[0]) }
            #expect(early?.code == .notPending)
            try await queue.flush()
            isBroken.withLock { $0 = false }
            try await queue.retry(ids[0])
            try await queue.discard(ids[1])
            await queue.soon { $0.pending == 0 }
            #expect(queue.pendingActions.map(\.id) == [ids[2]] && desk.committer.inEffect == [1])
            let twice = await #expect(throws: ActionQueueError.self) { try await queue.discard(ids[1]) }
            #expect(twice?.code == .notPending)
        }
    }

    @Test("Unreadable rows are removed on an explicit call")
    func unreadable() async throws {
        let desk = try ActionDesk()
        try await desk.queue().append((1...3).map { Swipe($0) })
        try await desk.database.write { database in
            try database.execute(sql: "UPDATE hablare_actions SET action = '{}' WHERE number > 1")
        }
        let queue = try await desk.queue()
        #expect(queue.snapshot.unreadable == 2)
        #expect(try await queue.discardUnreadable() == 2)
        #expect(queue.snapshot.unreadable == 0)
        #expect(try desk.rows() == 1)
    }
}
