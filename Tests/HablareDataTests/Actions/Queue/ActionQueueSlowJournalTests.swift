import GRDB
import Hablare
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareData

/// A disk that takes longer than a queue's delays.
@Suite(.timeLimit(.minutes(2))) struct ActionQueueSlowJournalTests {
    @Test("A retry happens even if its time passes while the failure is being written")
    func outlastedBackoff() async throws {
        let interruption = CommitInterruption()
        let clock = Locked<ManualClock?>(nil)
        let isLate = Gate()
        let committer = ScriptedCommitter { item in
            guard item.attempt == 1 else { return .done }
            // The next transaction records this failure.
            interruption.body.withLock {
                $0 = {
                    clock.withLock { $0 }?.advance(by: .seconds(5))
                    isLate.open()
                }
            }
            return .failed(ScriptedCommitter.Failure(), isRetryable: true)
        }
        let desk = try ActionDesk(committer)
        clock.withLock { $0 = desk.clock }
        let queue = try await desk.queue()
        desk.database.add(transactionObserver: interruption)
        try await queue.whileRunning {
            try await queue.append(Swipe(1))
            // The quiet time is over, and no alarm is set that would wake the queue for another reason.
            await desk.clock.sleepers(reach: 1)
            desk.clock.advance(by: .milliseconds(500))
            // Not before, because a transaction of this test would otherwise be the next one.
            try await isLate.pass()
            // There are no further requests, and time stands still.
            for _ in 0..<5000 where queue.snapshot.pending > 0 {
                await Task.yield()
                // Everything that waits for the journal's thread is done before this write.
                _ = try await desk.database.write { _ in 0 }
            }
            #expect(queue.snapshot.pending == 0)
        }
        #expect(committer.calls.flatMap(\.items).map(\.attempt) == [1, 2])
    }
}
