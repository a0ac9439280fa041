import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// A caller's cancellation affects only that caller, and the last caller's cancellation the load.
@Suite(.timeLimit(.minutes(5)))
struct LoadCancellationTests {
    private let clock = ManualClock()

    private func loader(
        _ source: ScriptedSource, concurrency: Int = 5
    ) throws -> CoalescingLoader<String, String> {
        try CoalescingLoader(
            policy: LoaderPolicy(concurrency: concurrency), seams: .controlled(by: clock), load: source.load)
    }

    @Test("A cancelled caller returns at once, and the load continues for the others")
    func oneOfMany() async throws {
        let source = ScriptedSource()
        let loader = try loader(source)
        let callers = (0..<5).map { _ in LoadCaller(loader, "a") }
        try await source.asked(reach: 1)
        try await waitUntil { loader.statistics.shared == 4 }
        callers[0].cancel()
        callers[3].cancel()
        for index in [0, 3] {
            await #expect(throws: CancellationError.self) { try await callers[index].value() }
        }
        #expect(source.cancelled == [])
        try await source.succeed("a")
        for index in [1, 2, 4] { #expect(try await callers[index].value() == "value of a") }
    }

    @Test("The last caller's cancellation cancels the load, and nothing is cached")
    func lastOne() async throws {
        let source = ScriptedSource()
        let loader = try loader(source)
        let callers = (0..<3).map { _ in LoadCaller(loader, "a") }
        try await source.asked(reach: 1)
        try await waitUntil { loader.statistics.shared == 2 }
        for caller in callers { caller.cancel() }
        for caller in callers { await #expect(throws: CancellationError.self) { try await caller.value() } }
        try await waitUntil { source.cancelled == ["a"] && loader.statistics.loads == 1 }
        #expect(loader.cached("a") == nil)
        #expect(loader.statistics.retries == 0)
        #expect(loader.statistics.failures == 0, "nobody was told of a failure")
        #expect(loader.isIdle)
    }

    @Test("A caller that is already cancelled loads nothing")
    func beforehand() async throws {
        let source = ScriptedSource()
        let loader = try loader(source)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask {
                await #expect(throws: CancellationError.self) { try await loader.load("a") }
            }
            try await group.waitForAll()
        }
        #expect(source.asked == [])
        #expect(loader.isIdle)
    }

    @Test("A key requested while its cancelled load ends is loaded again, and the old value is not delivered")
    func again() async throws {
        let source = ScriptedSource(isDeaf: true)
        let loader = try loader(source)
        let first = LoadCaller(loader, "a")
        try await source.asked(reach: 1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value() }
        let second = LoadCaller(loader, "a")
        try await source.asked(reach: 2)
        try await source.succeed("a", with: "old")
        try await waitUntil { loader.statistics.loads == 1 }
        #expect(loader.cached("a") == nil)
        #expect(!second.isAnswered)
        try await source.succeed("a", with: "new")
        #expect(try await second.value() == "new")
        #expect(loader.cached("a") == "new")
    }

    @Test("A cancelled load that does not end keeps its slot")
    func deaf() async throws {
        let source = ScriptedSource(isDeaf: true)
        let loader = try loader(source, concurrency: 1)
        let first = LoadCaller(loader, "a")
        try await source.asked(reach: 1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value() }
        let second = LoadCaller(loader, "b")
        try await waitUntil { loader.state.withLock { $0.core.count } == 1 }
        #expect(source.asked == ["a"])
        try await source.succeed("a")
        try await source.succeed("b")
        #expect(try await second.value() == "value of b")
        #expect(source.mostUnderWay == 1)
    }

    @Test("A queued load without callers never starts")
    func queued() async throws {
        let source = ScriptedSource()
        let loader = try loader(source, concurrency: 1)
        let first = LoadCaller(loader, "a")
        try await source.asked(reach: 1)
        let second = LoadCaller(loader, "b")
        try await waitUntil { loader.state.withLock { $0.core.count } == 2 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value() }
        try await source.succeed("a")
        _ = try await first.value()
        try await waitUntil { loader.isIdle }
        #expect(source.asked == ["a"])
    }

    @Test("The last caller's cancellation ends the wait before a retry")
    func betweenAttempts() async throws {
        let source = ScriptedSource()
        let loader = try loader(source)
        let caller = LoadCaller(loader, "a")
        try await source.fail("a")
        await clock.sleepers(reach: 1)
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value() }
        try await waitUntil { clock.sleeperCount == 0 && loader.isIdle }
        clock.advance(by: .seconds(60))
        #expect(source.asked == ["a"])
    }

    @Test("A source that throws CancellationError is not retried, and its callers get the error")
    func bySource() async throws {
        let source = ScriptedSource()
        let loader = try loader(source)
        let caller = LoadCaller(loader, "a")
        try await source.fail("a", with: CancellationError())
        await #expect(throws: CancellationError.self) { try await caller.value() }
        #expect(source.asked == ["a"])
        #expect(clock.sleeperCount == 0)
    }
}
