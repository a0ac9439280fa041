import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// One load for each key, with any number of callers.
@Suite(.timeLimit(.minutes(5)))
struct CoalescingTests {
    private let source = ScriptedSource()

    private func loader(
        _ policy: LoaderPolicy<String> = LoaderPolicy()
    ) throws -> CoalescingLoader<String, String> {
        try CoalescingLoader(policy: policy, seams: .controlled(by: ManualClock()), load: source.load)
    }

    @Test("Concurrent callers of one key share one load and its value")
    func shared() async throws {
        let loader = try loader()
        let callers = (0..<100).map { _ in LoadCaller(loader, "a") }
        try await waitUntil { loader.statistics.shared == 99 }
        try await source.succeed("a")
        for caller in callers { #expect(try await caller.value() == "value of a") }
        #expect(source.asked == ["a"])
        #expect(loader.statistics.loads == 1)
    }

    @Test("Concurrent callers of one key share the error of a failed load")
    func sharedFailure() async throws {
        let loader = try loader(LoaderPolicy(retry: .never))
        let callers = (0..<10).map { _ in LoadCaller(loader, "a") }
        try await waitUntil { loader.statistics.shared == 9 }
        try await source.fail("a", with: ScriptedSource.Failure(number: 7))
        for caller in callers {
            await #expect(throws: ScriptedSource.Failure(number: 7)) { try await caller.value() }
        }
        #expect(loader.statistics.failures == 1)
    }

    @Test("A failure is not cached, and the next caller loads again")
    func failuresAreNotKept() async throws {
        let loader = try loader(LoaderPolicy(retry: .never))
        let first = LoadCaller(loader, "a")
        try await source.fail("a")
        await #expect(throws: ScriptedSource.Failure.self) { try await first.value() }
        let second = LoadCaller(loader, "a")
        try await source.succeed("a")
        #expect(try await second.value() == "value of a")
        #expect(source.asked == ["a", "a"])
    }

    @Test("The number of concurrent loads is bounded")
    func bounded() async throws {
        let loader = try loader(LoaderPolicy(concurrency: 3))
        let keys = (0..<20).map { "\($0)" }
        let callers = keys.map { LoadCaller(loader, $0) }
        try await source.asked(reach: 3)
        for _ in keys {
            let key = try await oldest()
            try await source.succeed(key)
        }
        for (key, caller) in zip(keys, callers) { #expect(try await caller.value() == "value of \(key)") }
        #expect(source.mostUnderWay == 3)
        #expect(source.asked.sorted() == keys.sorted())
    }

    /// Returns a key that was requested and has no answer yet.
    private func oldest() async throws -> String {
        try await waitUntil { source.underWay > 0 }
        return try #require(source.firstUnderWay)
    }

    @Test("A preload runs after visible loads, and a visible request raises its priority")
    func priorities() async throws {
        let loader = try loader(LoaderPolicy(concurrency: 1))
        let busy = LoadCaller(loader, "busy")
        try await source.asked(reach: 1)
        loader.preload(["p1", "p2", "p3"])
        let visible = LoadCaller(loader, "v")
        try await waitUntil { loader.state.withLock { $0.core.count } == 5 }
        let lifted = LoadCaller(loader, "p3")
        try await waitUntil { loader.statistics.shared == 1 }
        for key in ["busy", "v", "p3", "p1", "p2"] { try await source.succeed(key) }
        _ = try await busy.value()
        #expect(try await visible.value() == "value of v")
        #expect(try await lifted.value() == "value of p3")
        #expect(source.asked == ["busy", "v", "p3", "p1", "p2"])
        try await waitUntil { loader.statistics.memoryCount == 5 }
    }

    @Test("A preload caches values, and does not reload cached ones")
    func preload() async throws {
        let loader = try loader()
        let first = LoadCaller(loader, "a")
        try await source.succeed("a")
        _ = try await first.value()
        loader.preload(["a", "b"])
        try await source.succeed("b")
        try await waitUntil { loader.cached("b") == "value of b" }
        #expect(try await loader.load("b") == "value of b")
        #expect(source.asked == ["a", "b"])
    }

    @Test("A cancelled preload stops only loads without other callers")
    func cancelledPreload() async throws {
        let loader = try loader(LoaderPolicy(concurrency: 2))
        let preload = loader.preload(["a", "b", "c"])
        let other = loader.preload(["c"])
        try await source.asked(reach: 2)
        let caller = LoadCaller(loader, "b")
        try await waitUntil { loader.statistics.shared == 2 }
        preload.cancel()
        preload.cancel()
        try await source.succeed("b")
        #expect(try await caller.value() == "value of b")
        try await source.succeed("c")
        try await waitUntil { loader.cached("c") != nil }
        #expect(source.cancelled == ["a"])
        #expect(loader.cached("a") == nil)
        other.cancel()
        #expect(loader.cached("c") != nil, "what has come stays")
    }
}
