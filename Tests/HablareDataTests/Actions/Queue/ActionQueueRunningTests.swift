import Foundation
import GRDB
import Hablare
import HablareSupport
import HablareTestKit
import ServiceLifecycle
import Testing

@testable import HablareData

@Suite(.timeLimit(.minutes(2))) struct ActionQueueRunningTests {
    @Test("A permanent or repeated failure is kept, and can be retried or discarded explicitly")
    func failures() async throws {
        let isBroken = Locked(true)
        let committer = ScriptedCommitter { _ in
            isBroken.withLock { $0 } ? .failed(ScriptedCommitter.Failure(), isRetryable: true) : .done
        }
        let desk = try ActionDesk(committer, configuration: ActionQueueConfiguration(maximumAttempts: 2))
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.append([Swipe(1), Swipe(2)])
            try await queue.flush()
            #expect(queue.snapshot.retrying == 2)
            try await queue.flush()
            #expect(queue.snapshot.failed == 2 && queue.snapshot.pending == 0)
            let pending = try #require(queue.pendingActions.first)
            #expect(pending.phase == .failed && pending.attempts == 2 && pending.failure?.contains("Failure") == true)
            isBroken.withLock { $0 = false }
            #expect(try await queue.retryFailed() == 2)
            await queue.soon { $0.pending == 0 }
            #expect(committer.inEffect == [1, 2])
            isBroken.withLock { $0 = true }
            try await queue.append(Swipe(3))
            try await queue.flush()
            try await queue.flush()
            #expect(try await queue.discardFailed() == 1)
            #expect(queue.snapshot.failed == 0 && queue.snapshot.undoCount == 2)
        }
        #expect(try await desk.queue().snapshot.failed == 0)
    }

    @Test("The backoff doubles from one second to a minute")
    func backoff() {
        let configuration = ActionQueueConfiguration()
        #expect((1...8).map { configuration.backoff(after: $0) } == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        #expect(configuration.backoff(after: .max) == .seconds(60))
        #expect(ActionQueueConfiguration(retryDelay: .zero).backoff(after: .max) == .zero)
    }

    @Test("An item with an unknown outcome is repeated with a mark and the same key")
    func unknownOutcome() async throws {
        let committer = ScriptedCommitter { $0.attempt == 1 ? .unknown(ScriptedCommitter.Failure()) : .done }
        let desk = try ActionDesk(committer)
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.append(Swipe(1))
            try await queue.flush()
            try await queue.flush()
        }
        let items = committer.calls.flatMap(\.items)
        #expect(items.map(\.isRepeated) == [false, true])
        #expect(Set(items.map(\.idempotencyKey)).count == 1 && committer.doubled.isEmpty)
    }

    @Test("A missing outcome of a committer leads to a repetition")
    func tooFewOutcomes() async throws {
        struct Forgetful: ActionCommitter {
            let other: ScriptedCommitter
            func commit(_ items: [ActionItem<Swipe>], of group: String) async -> [ActionOutcome] {
                await Array(other.commit(items, of: group).prefix(1))
            }
        }
        let desk = try ActionDesk()
        let queue = try await DurableActionQueue(
            "forgetful", in: desk.database, committer: Forgetful(other: desk.committer),
            seams: .controlled(by: desk.clock), logger: desk.log.logger)
        try await queue.whileRunning {
            try await queue.append([Swipe(1), Swipe(2)])
            try await queue.flush()
            try await queue.flush()
        }
        #expect(desk.committer.calls.map(\.names) == [[1, 2], [2]])
        #expect(desk.log.says("warning: A committer must return one outcome for each item"))
    }

    @Test("A committer that can look items up is asked before a repetition", arguments: [true, false])
    func wasApplied(isApplied: Bool) async throws {
        let desk = try ActionDesk(ScriptedCommitter(knowsWhatWasApplied: true))
        let first = try await desk.queue()
        desk.committer.hold("trash")
        try await first.append(Swipe(1))
        // Another process takes over during the first one's commit, before the first one learns of it.
        await #expect(throws: ActionQueueError.self) {
            try await first.whileRunning {
                try await first.commit()
                let call = try #require(await desk.committer.nextCall())
                if isApplied { call.items.forEach(desk.committer.apply) }
                let second = try await desk.queue()
                try await second.undo()
                try await second.whileRunning {
                    try await second.flush()
                    await second.soon { $0.pending == 0 }
                }
            }
        }
        let items = desk.committer.calls.flatMap(\.items)
        #expect(items.map(\.isCompensation) == (isApplied ? [false, true] : [false]))
        #expect(desk.committer.inEffect.isEmpty)
    }

    @Test("A queue that was opened elsewhere stops working, and says so")
    func takenOver() async throws {
        let desk = try ActionDesk()
        let first = try await desk.queue()
        let second = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let end = await #expect(throws: ActionQueueError.self) { try await first.run() }
                #expect(end?.code == .takenOver)
            }
            await first.soon { $0.isRunning }
            let second = try await desk.queue()
            let error = await #expect(throws: ActionQueueError.self) { try await first.append(Swipe(1)) }
            #expect(error?.code == .takenOver)
            try await group.waitForAll()
            return second
        }
        let undo = await #expect(throws: ActionQueueError.self) { try await first.undo() }
        #expect(undo?.code == .takenOver)
        try await second.append(Swipe(2))
        #expect(second.pendingActions.map(\.action.name) == [2])
    }

    @Test("A queue runs only once at a time")
    func runOnce() async throws {
        let queue = try await ActionDesk().queue()
        try await queue.whileRunning {
            let error = await #expect(throws: ActionQueueError.self) { try await queue.run() }
            #expect(error?.code == .alreadyRunning)
        }
        let error = await #expect(throws: ActionQueueError.self) { try await queue.flush() }
        #expect(error?.code == .notRunning)
        try await queue.whileRunning {}
    }

    @Test("Nothing is handed over during a pause, and everything afterwards")
    func pausing() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        try await queue.whileRunning {
            queue.pause()
            await queue.soon { !$0.isRunning }
            try await queue.append((1...20).map { Swipe($0) })
            try await queue.undo()
            let error = await #expect(throws: ActionQueueError.self) { try await queue.flush() }
            #expect(error?.code == .notRunning && desk.committer.calls.isEmpty)
            queue.resume()
            await queue.soon { $0.pending == 0 }
        }
        #expect(desk.committer.inEffect == Set(1...19))
    }

    @Test("A graceful shutdown lets a commit end, and leaves the rest in the journal")
    func gracefulShutdown() async throws {
        let desk = try ActionDesk(configuration: ActionQueueConfiguration(largestGroup: 1))
        let queue = try await desk.queue()
        desk.committer.hold("trash")
        try await queue.append([Swipe(1), Swipe(2)])
        try await queue.commit()
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [queue], logger: desk.log.logger))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            #expect(await desk.committer.nextCall()?.names == [1])
            await services.triggerGracefulShutdown()
            await queue.soon { !$0.isRunning }
            // The first run still waits for its commits.
            let error = await #expect(throws: ActionQueueError.self) { try await queue.run() }
            #expect(error?.code == .alreadyRunning)
            desk.committer.open("trash")
            try await group.waitForAll()
        }
        #expect(desk.committer.inEffect == [1])
        #expect(try await desk.queue().pendingActions.map(\.action.name) == [2])
    }

    @Test("A cancelled commit does not count as an attempt, and is repeated by the next run")
    func cancelled() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        desk.committer.hold("trash")
        try await queue.append(Swipe(1))
        try await queue.whileRunning {
            try await queue.commit()
            _ = await desk.committer.nextCall()
        }
        #expect(queue.pendingActions.map(\.attempts) == [0])
        desk.committer.open("trash")
        try await queue.whileRunning {
            let call = await desk.committer.nextCall()
            #expect(call?.items.map(\.isRepeated) == [false])
            await queue.soon { $0.pending == 0 }
        }
        #expect(desk.committer.inEffect == [1])
    }

    @Test("Unreadable rows are kept, counted and skipped")
    func damagedRows() async throws {
        let desk = try ActionDesk()
        try await desk.queue().append((1...4).map { Swipe($0) })
        try await desk.database.write { database in
            try database.execute(sql: "UPDATE hablare_actions SET action = '{\"of\":\"tomorrow\"}' WHERE number = 2")
            try database.execute(sql: "UPDATE hablare_actions SET standing = 77 WHERE number = 4")
        }
        let queue = try await desk.queue()
        #expect(queue.snapshot.unreadable == 2)
        #expect(desk.log.says("warning: This version of the app cannot read some queued actions"))
        try await queue.whileRunning {
            try await queue.append(Swipe(5))
            try await queue.flush()
            for _ in 1...3 { try await queue.undo() }
            try await queue.flush()
        }
        #expect(desk.committer.calls.flatMap(\.names).sorted() == [1, 1, 3, 3, 5, 5])
        let kept = try await desk.database.read { database in
            try Int.fetchAll(database, sql: "SELECT number FROM hablare_actions WHERE number IN (2, 4)")
        }
        #expect(kept == [2, 4])
    }

    @Test("A queue with a full disk refuses requests, loses no outcomes, and continues afterwards")
    func journalFails() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        let breaker = CommitBreaker()
        desk.database.add(transactionObserver: breaker)
        try await queue.whileRunning {
            desk.committer.hold("trash")
            try await queue.append(Swipe(1))
            try await queue.commit()
            _ = await desk.committer.nextCall()
            breaker.left.withLock { $0 = 0 }
            let error = await #expect(throws: ActionQueueError.self) { try await queue.append(Swipe(2)) }
            #expect(error?.code == .diskFull && error?.isRetryable == true)
            #expect(error?.message.contains("Free some space") == true)
            desk.committer.open("trash")
            // The outcome is written again until it succeeds, even without further requests.
            for _ in 0..<100_000 where breaker.refused.withLock({ $0 }) < 3 {
                desk.clock.advance(by: .seconds(1))
                await Task.yield()
            }
            breaker.left.withLock { $0 = .max }
            for _ in 0..<100_000 where queue.snapshot.pending > 0 {
                desk.clock.advance(by: .seconds(1))
                await Task.yield()
            }
            #expect(queue.snapshot.pending == 0)
            #expect(queue.snapshot.undoCount == 1)
        }
        #expect(desk.committer.inEffect == [1] && desk.committer.calls.count == 1)
        #expect(try await desk.queue().snapshot.undoCount == 1)
    }

    @Test("Readers receive the current state, and the last change even if they are slow")
    func updates() async throws {
        let queue = try await ActionDesk().queue()
        let slow = queue.updates
        try await queue.append((1...9).map { Swipe($0) })
        try await queue.undo()
        for await snapshot in slow {
            #expect(snapshot.pending == 8 && snapshot.redoCount == 1)
            break
        }
    }

    @Test("Readers that are cancelled while states are published do not block the queue")
    func cancelledReaders() async throws {
        let queue = try await ActionDesk().queue()
        try await withThrowingTaskGroup { group in
            group.addTask { for number in 1...300 { try await queue.append(Swipe(number)) } }
            for _ in 0..<2_000 {
                let reader = TaskSpawner(executor: nil).start { for await _ in queue.updates {} }
                await Task.yield()
                reader.cancel()
            }
            try await group.waitForAll()
        }
        #expect(queue.snapshot.pending == 300)
    }
}
