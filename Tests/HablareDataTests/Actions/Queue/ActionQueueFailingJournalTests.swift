import GRDB
import Hablare
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareData

/// The behaviour of a queue whose journal cannot be written.
@Suite(.timeLimit(.minutes(2))) struct ActionQueueFailingJournalTests {
    @Test("A failing journal is retried once a second, and no events pile up")
    func tries() async throws {
        let desk = try ActionDesk()
        let queue = try await desk.queue()
        let breaker = CommitBreaker()
        desk.database.add(transactionObserver: breaker)
        try await queue.whileRunning {
            try await queue.append(Swipe(1))
            breaker.left.withLock { $0 = 0 }
            await desk.clock.sleepers(reach: 1)
            // The quiet time is over, and the handover cannot be written.
            desk.clock.advance(by: .milliseconds(500))
            for round in 1...20 {
                while breaker.refused.withLock({ $0 }) < round { await Task.yield() }
                await desk.clock.sleepers(reach: 1)
                for _ in 0..<200 { await Task.yield() }
                #expect(breaker.refused.withLock { $0 } == round)
                #expect(queue.apply { $0.inbox.count } == 0)
                desk.clock.advance(by: .milliseconds(999))
                for _ in 0..<200 { await Task.yield() }
                #expect(breaker.refused.withLock { $0 } == round)
                desk.clock.advance(by: .milliseconds(1))
            }
            breaker.left.withLock { $0 = .max }
            while queue.snapshot.pending > 0 {
                desk.clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        #expect(desk.committer.inEffect == [1] && desk.committer.calls.count == 1)
    }
}
