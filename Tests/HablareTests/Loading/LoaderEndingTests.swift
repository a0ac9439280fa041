import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// The end of a loader, by a shutdown or by its deallocation.
@Suite(.timeLimit(.minutes(5)))
struct LoaderEndingTests {
    private let clock = ManualClock()

    private func loader(
        _ source: ScriptedSource, concurrency: Int = 5
    ) throws -> CoalescingLoader<String, String> {
        try CoalescingLoader(
            policy: LoaderPolicy(concurrency: concurrency), seams: .controlled(by: clock), load: source.load)
    }

    private func code(_ caller: LoadCaller) async -> AIServiceError.Code? {
        let error = await #expect(throws: AIServiceError.self) { try await caller.value() }
        return error?.code
    }

    @Test("A shutdown notifies all waiting callers, cancels running loads, and refuses new ones")
    func shutdown() async throws {
        let source = ScriptedSource()
        let loader = try loader(source, concurrency: 2)
        let done = LoadCaller(loader, "done")
        try await source.succeed("done")
        _ = try await done.value()
        let failed = LoadCaller(loader, "failed")
        try await source.fail("failed")
        await clock.sleepers(reach: 1)
        let running = LoadCaller(loader, "running")
        try await source.asked(reach: 3)
        loader.preload(["preloaded", "queued"])
        try await source.asked(reach: 4)
        await loader.shutdown()
        #expect(await code(failed) == .invalidState)
        #expect(await code(running) == .invalidState)
        #expect(source.cancelled.sorted() == ["preloaded", "running"])
        #expect(source.underWay == 0 && clock.sleeperCount == 0)
        #expect(await code(LoadCaller(loader, "later")) == .invalidState)
        loader.preload(["later"])
        #expect(!source.asked.contains("queued") && !source.asked.contains("later"))
        #expect(try await loader.load("done") == "value of done", "memory can be read")
        #expect(loader.isIdle)
        await loader.shutdown()
    }

    @Test("A shutdown waits for a source that ends slowly")
    func shutdownWaits() async throws {
        let source = ScriptedSource(isDeaf: true)
        let loader = try loader(source)
        let caller = LoadCaller(loader, "a")
        try await source.asked(reach: 1)
        let isOver = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await loader.shutdown()
                isOver.withLock { $0 = true }
            }
            #expect(await code(caller) == .invalidState)
            for _ in 0..<100 { try await pause() }
            #expect(!isOver.withLock { $0 })
            try await source.succeed("a")
            try await group.waitForAll()
        }
        #expect(loader.cached("a") == nil)
    }

    @Test("A released loader is deallocated during a load, and cancels it")
    func dropped() async throws {
        let source = ScriptedSource()
        var loader: CoalescingLoader<String, String>? = try loader(source, concurrency: 1)
        weak let gone = loader
        let preload = loader?.preload(["a", "b"])
        try await source.asked(reach: 1)
        loader = nil
        #expect(gone == nil)
        try await waitUntil { source.cancelled == ["a"] && source.underWay == 0 }
        preload?.cancel()
        #expect(source.asked == ["a"])
    }

    @Test("A released loader does not wait for a retry")
    func droppedBetweenAttempts() async throws {
        let source = ScriptedSource()
        var loader: CoalescingLoader<String, String>? = try loader(source)
        weak let gone = loader
        loader?.preload(["a"])
        try await source.fail("a")
        await clock.sleepers(reach: 1)
        loader = nil
        // The task that failed may be about to return.
        try await waitUntil { gone == nil && clock.sleeperCount == 0 }
        clock.advance(by: .seconds(10))
        #expect(source.asked == ["a"])
    }

    @Test("A waiting caller retains the loader and gets its value")
    func held() async throws {
        let source = ScriptedSource()
        var loader: CoalescingLoader<String, String>? = try loader(source)
        let caller = try LoadCaller(#require(loader), "a")
        try await source.asked(reach: 1)
        loader = nil
        try await source.succeed("a")
        #expect(try await caller.value() == "value of a")
    }
}
