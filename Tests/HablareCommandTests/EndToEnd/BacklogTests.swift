import Foundation
import Hablare
import HablareSQLite
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareCommand

/// `hablare work` with a long backlog.
@Suite(.timeLimit(.minutes(5))) struct BacklogTests {
    /// A store that records its reads in order.
    private struct WatchedStore: ForwardingStore {
        let base: any RequestStore
        let reads: Locked<[SnapshotFilter]>
        let registered: Locked<Int?>
        let waiting: Gate

        func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot] {
            reads.withLock { $0.append(filter) }
            // By now some requests have waiters.
            if filter.ids != nil { waiting.open() }
            return try base.snapshots(filter)
        }

        func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
            if writes.contains(where: { if case .registerOwner = $0 { true } else { false } }) {
                let count = reads.withLock { $0.count }
                registered.withLock { $0 = $0 ?? count }
            }
            return try base.commit(writes)
        }
    }

    private let reads = Locked<[SnapshotFilter]>([])
    private let registered = Locked<Int?>(nil)
    private let waiting = Gate()

    /// Returns a stage whose store has these requests. The provider waits until a request has a waiter, and fails at
    /// "too much".
    private func stage(_ submissions: [Submission]) throws -> Stage {
        let stage = try Stage(
            provider: ScriptedProvider(id: "p", limits: ProviderLimits(breaker: .never)) { [waiting] call in
                do { try await waiting.pass() } catch { return .failure(AIServiceError(.cancelled, "Stopped.")) }
                guard call.request.prompt.plainText == "too much" else {
                    return .success(ProviderAnswer(.text(Body("an answer"))))
                }
                return .failure(AIServiceError(.invalidRequest, "That is too much."))
            },
            wrapStore: { [reads, registered, waiting] in
                WatchedStore(base: $0, reads: reads, registered: registered, waiting: waiting)
            })
        let bench = StoreWorkbench(store: try stage.store())
        for submission in submissions { try bench.submit(submission) }
        return stage
    }

    @Test func `work counts requests that expire while it starts`() async throws {
        let late = AIRequest(
            id: StoreWorkbench.id(1), prompt: "late", deadline: Date(timeIntervalSince1970: 1))
        let stage = try stage([try StoreWorkbench.submission(of: late), try StoreWorkbench.submission(2)])
        #expect(await stage.run("work", "--quiet") == .incomplete)
        // Before the engine was registered, only requests that may end during the start were read.
        let first = try #require(registered.withLock { $0 })
        let asked = reads.withLock { $0.prefix(first) }
        #expect(asked.count == 2)
        #expect(asked.allSatisfy { $0.phases == [.executing] || $0.dueBy != nil })
    }

    @Test func `work counts an urgent request that fails before older ones`() async throws {
        // More than one page of requests.
        var submissions = try (1...500).map { try StoreWorkbench.submission($0, prompt: .text("number \($0)")) }
        submissions.append(try StoreWorkbench.submission(501, prompt: .text("too much"), priority: .high))
        let stage = try stage(submissions)
        #expect(await stage.run("work") == .incomplete)
        #expect(stage.output == "500 requests completed, 1 failed (hablare ps --state failed)\n")
    }
}
