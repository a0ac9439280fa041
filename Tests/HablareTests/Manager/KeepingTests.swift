import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

@Suite(.timeLimit(.minutes(5)))
struct KeepingTests {
    private static func engine(_ retention: Retention) throws -> Engine {
        try Engine(
            configuration: EngineConfiguration(
                attemptTimeout: .seconds(1_000_000_000), retry: .never, breaker: .never, retention: retention,
                pruneInterval: .seconds(60)))
    }

    private static func isKept(_ id: UUID, in engine: Engine) async throws -> Bool {
        guard case .success = try await engine.manager.response(for: id)?.result else { return false }
        return true
    }

    private static func ask(_ engine: Engine, _ request: AIRequest = AIRequest(prompt: "p", caching: .bypass))
        async throws -> UUID
    {
        _ = try await engine.manager.execute(request, with: "scripted")
        engine.dates.advance(by: 1)
        return request.id
    }

    @Test("A running engine evicts the oldest responses over the limit, and no others")
    func byItself() async throws {
        let engine = try Self.engine(Retention(maximumCount: 2))
        try await engine.run {
            var ids: [UUID] = []
            for _ in 0..<5 { ids.append(try await Self.ask(engine)) }
            for id in ids { #expect(try await Self.isKept(id, in: engine)) }
            let (oldest, last) = (ids[0], ids[2])
            try await engine.advance(by: .seconds(20)) { try await !Self.isKept(oldest, in: engine) }
            try await engine.expectSoon { try await !Self.isKept(last, in: engine) }
            for (number, id) in ids.enumerated() { #expect(try await Self.isKept(id, in: engine) == (number > 2)) }
            let error = await code { _ = try await engine.manager.execute(requestID: oldest) }
            #expect(error == .responseExpired)
        }
    }

    @Test("A running engine searches for abandoned content at its first cleanup, then once an hour")
    func searches() async throws {
        let store = SearchedStore()
        let engine = try Engine(
            store: store, configuration: EngineConfiguration(retry: .never, pruneInterval: .seconds(60)))
        try await engine.run {
            try await engine.advance(by: .seconds(20)) { store.plans >= 6 }
            #expect(store.searches == 1)
            engine.dates.advance(by: 3599)
            let before = store.plans
            try await engine.advance(by: .seconds(20)) { store.plans >= before + 3 }
            #expect(store.searches == 1)
            engine.dates.advance(by: 1)
            try await engine.advance(by: .seconds(20)) { store.searches >= 2 }
            #expect(store.searches == 2)
            _ = try await engine.manager.prune()
            #expect(store.searches >= 3, "whoever asks for it gets it")
        }
    }

    @Test("Pinned and unmerged responses outlive age and count until they are released")
    func protected() async throws {
        let engine = try Self.engine(Retention(maximumAge: 100, maximumCount: 1))
        try await engine.run {
            let manager = engine.manager
            let unmerged = try await Self.ask(engine, AIRequest(prompt: "p", keepUntilMerged: true))
            let pinned = try await Self.ask(engine)
            try await manager.pin(pinned)
            let free = try await Self.ask(engine)
            engine.dates.advance(by: 1000)
            #expect(try await manager.prunePlan().responses == 1)
            #expect(try await manager.prune().responses == 1)
            for (id, isKept) in [(unmerged, true), (pinned, true), (free, false)] {
                #expect(try await Self.isKept(id, in: engine) == isKept)
            }
            try await manager.merged(unmerged)
            #expect(try await !Self.isKept(unmerged, in: engine), "it is past its age now")
            try await manager.unpin(pinned)
            #expect(try await manager.prune().responses == 2)
            #expect(try await manager.prune() == AIRequestManager.PruneReport())
        }
    }

    @Test("A regenerated request awaits its merge like the original")
    func regenerated() async throws {
        let engine = try Self.engine(Retention())
        try await engine.run {
            let id = try await Self.ask(engine, AIRequest(prompt: "p", keepUntilMerged: true))
            let second = try await engine.manager.regenerate(id)
            #expect(try await engine.manager.snapshot(for: second).awaitsMerge)
        }
    }

    @Test("Many responses are pruned in several commits")
    func batches() async throws {
        let engine = try Self.engine(Retention())
        try await engine.run {
            for _ in 0..<150 { _ = try await Self.ask(engine) }
            let report = try await engine.manager.prune(Retention(maximumAge: 0))
            #expect(report.responses == 150 && report.bytes == 150)
        }
    }

    @Test("Pinning, unpinning or merging an unknown request throws unknownRequest")
    func unknown() async throws {
        let manager = try Self.engine(Retention()).manager
        let id = UUID()
        #expect(await code { try await manager.pin(id) } == .unknownRequest)
        #expect(await code { try await manager.unpin(id) } == .unknownRequest)
        #expect(await code { try await manager.merged(id) } == .unknownRequest)
    }

    @Test(
        "An invalid retention policy is refused before anything is pruned",
        arguments: [
            Retention(maximumAge: -1), Retention(maximumAge: .nan), Retention(maximumCount: 0),
            Retention(maximumBytes: -1),
        ])
    func refused(retention: Retention) async throws {
        let engine = try Self.engine(retention)
        #expect(await code { try await engine.run {} } == .invalidConfiguration)
        #expect(await code { try await engine.manager.prune() } == .invalidConfiguration)
        #expect(await code { _ = try await engine.manager.prunePlan() } == .invalidConfiguration)
    }

    @Test("Content written within the last hour is not treated as abandoned")
    func graceOfContent() async throws {
        let store = SearchedStore()
        let engine = try Engine(store: store)
        _ = try await engine.manager.prune()
        #expect(store.searchedBefore.withLock { $0 } == StoreWorkbench.date(-3600))
    }
}

/// Counts the prune plans and the searches for abandoned content.
private final class SearchedStore: ForwardingStore {
    let base: any RequestStore = InMemoryStore()
    private let counts = Locked((plans: 0, searches: 0))
    var plans: Int { counts.withLock { $0.plans } }
    var searches: Int { counts.withLock { $0.searches } }
    /// The date before which the searched content was written.
    let searchedBefore = Locked<Date?>(nil)

    func prunePlan(_ retention: Retention, at date: Date) throws -> PrunePlan {
        counts.withLock { $0.plans += 1 }
        return try base.prunePlan(retention, at: date)
    }

    func abandonedContent(before date: Date, removing: Bool) -> AbandonedContent {
        counts.withLock { $0.searches += 1 }
        searchedBefore.withLock { $0 = date }
        return AbandonedContent()
    }
}
