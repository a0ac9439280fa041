import GRDB
import Hablare
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareData

/// A queue that is stopped while it works, and requests during that time.
@Suite(.timeLimit(.minutes(2))) struct ActionQueueStoppingTests {
    @Test("An item whose handover coincides with a pause is not tried", arguments: [false, true])
    func pausedMeanwhile(isRepeated: Bool) async throws {
        let desk = try ActionDesk(
            ScriptedCommitter { isRepeated && $0.attempt == 1 ? .unknown(ScriptedCommitter.Failure()) : .done })
        let queue = try await desk.queue()
        let interruption = CommitInterruption()
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

    @Test("A flush waits for each first attempt, and not for actions behind a failed one of their subject")
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

    @Test("Reading a queue's state does not evaluate the conditions of waiters")
    func lookingIsCheap() async throws {
        let queue = try await ActionDesk().queue()
        let (asked, isOver) = (Locked(0), Locked(false))
        async let wait: Void = queue.wait { _ in
            asked.withLock { $0 += 1 }
            return isOver.withLock { $0 }
        }
        while queue.quietly({ $0.waiters.isEmpty }) { await Task.yield() }
        try await queue.append(Swipe(1))
        while queue.quietly({ $0.writer != nil }) { await Task.yield() }
        let before = asked.withLock { $0 }
        for _ in 1...100 { #expect(queue.snapshot.pending == 1 && queue.pendingActions.count == 1) }
        #expect(asked.withLock { $0 } == before)
        isOver.withLock { $0 = true }
        queue.pause()
        await wait
    }
}
