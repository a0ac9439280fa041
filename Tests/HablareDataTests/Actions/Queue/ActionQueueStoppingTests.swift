import GRDB
import Hablare
import HablareTestKit
import Testing

@testable import HablareData

/// A queue that is stopped while it is at work, and whoever asks it while it is.
@Suite(.timeLimit(.minutes(2))) struct ActionQueueStoppingTests {
    /// Does something in the middle of the next transaction.
    private final class Interruption: TransactionObserver, Sendable {
        let body = Guarded<(@Sendable () -> Void)?>(nil)

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ database: Database) {}
        func databaseDidRollback(_ database: Database) {}
        func databaseWillCommit() throws {
            let body = body.withLock { body in
                defer { body = nil }
                return body
            }
            body?()
        }
    }

    @Test("What is being handed over while the queue is paused is not, and was not tried", arguments: [false, true])
    func pausedMeanwhile(isRepeated: Bool) async throws {
        let desk = try ActionDesk(
            ScriptedCommitter { isRepeated && $0.attempt == 1 ? .unknown(ScriptedCommitter.Failure()) : .done })
        let queue = try await desk.queue()
        let interruption = Interruption()
        desk.database.add(transactionObserver: interruption)
        try await queue.whileRunning {
            try await queue.append(Swipe(1))
            if isRepeated { try await queue.flush() }
            let before = desk.committer.calls.count
            interruption.body.withLock { $0 = { queue.pause() } }
            try await queue.commit()
            await queue.soon { $0.underWay == 0 && !$0.isRunning }
            #expect(desk.committer.calls.count == before && queue.pendingActions.map(\.attempts) == [before])
            queue.resume()
            await queue.soon { $0.pending == 0 }
        }
        #expect(desk.committer.calls.flatMap(\.items).last?.isRepeated == isRepeated)
        #expect(desk.committer.inEffect == [1] && desk.committer.doubled.isEmpty)
    }

    @Test("A flush waits for each first attempt, and not for what stands behind a failed one of its subject")
    func flushBehindFailure() async throws {
        let committer = ScriptedCommitter { item in
            item.action.name == 1 && item.attempt == 1
                ? .failed(ScriptedCommitter.Failure(), isRetryable: true) : .done
        }
        let desk = try ActionDesk(committer)
        let queue = try await desk.queue()
        try await queue.whileRunning {
            try await queue.append([Swipe(1, subject: "photo"), Swipe(2, subject: "photo"), Swipe(3)])
            let snapshot = try await queue.flush()
            #expect(snapshot.pending == 2 && snapshot.retrying == 1)
            #expect(committer.inEffect == [3])
            try await queue.flush()
        }
        #expect(committer.calls.flatMap(\.names) == [1, 3, 1, 2])
    }

    /// An action that counts how often it is asked for its group.
    private struct Counted: QueuedAction {
        static let asked = Guarded(0)
        var name: Int
        var group: String {
            Self.asked.withLock { $0 += 1 }
            return "group"
        }
    }

    private struct Slow: ActionCommitter {
        let gate: AsyncStream<Void>
        func commit(_ items: [ActionItem<Counted>], of group: String) async -> [ActionOutcome] {
            for await _ in gate { break }
            return items.map { _ in .done }
        }
    }

    @Test("Whoever looks at a long queue asks no action of it anything, also while somebody flushes")
    func lookingIsCheap() async throws {
        let database = try DatabaseQueue()
        try await database.write { try ActionSchema.create($0) }
        let gate = AsyncStream<Void>.makeStream()
        let queue = try await DurableActionQueue(
            "counted", in: database, committer: Slow(gate: gate.stream),
            configuration: ActionQueueConfiguration(largestGroup: 1), seams: .controlled(by: ManualClock()))
        try await queue.append((1...500).map { Counted(name: $0) })
        try await queue.whileRunning {
            async let flushed = queue.flush()
            await queue.soon { $0.underWay == 1 }
            while queue.quietly({ $0.waiters.count }) < 2 { await Task.yield() }
            let before = Counted.asked.withLock { $0 }
            for _ in 1...100 { #expect(queue.snapshot.pending == 500) }
            _ = queue.pendingActions
            #expect(Counted.asked.withLock { $0 } == before)
            gate.continuation.finish()
            _ = try await flushed
        }
    }
}
