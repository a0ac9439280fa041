import Foundation
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// The values that a loader holds in memory.
@Suite(.timeLimit(.minutes(5)))
struct LoadMemoryTests {
    private let asked = Locked<[String]>([])

    /// Returns a loader whose values are their keys.
    private func loader(
        count: Int = 100, bytes: Int = 1_000
    ) throws -> CoalescingLoader<String, String> {
        try CoalescingLoader(
            policy: LoaderPolicy(memoryCount: count, memoryBytes: bytes), seams: .controlled(by: ManualClock())
        ) { [asked] key in
            asked.withLock { $0.append(key) }
            return key
        }
    }

    @Test("A loaded value is in memory for load and cached")
    func kept() async throws {
        let loader = try loader()
        #expect(loader.cached("a") == nil)
        #expect(try await loader.load("a") == "a")
        #expect(try await loader.load("a") == "a")
        #expect(loader.cached("a") == "a")
        #expect(asked.withLock { $0 } == ["a"])
        let statistics = loader.statistics
        #expect(statistics.hits == 1 && statistics.loads == 1 && statistics.memoryCount == 1)
        #expect(statistics.memoryBytes == 1)
    }

    @Test("When there are too many values the least recently used are evicted, and cached counts as use")
    func byCount() async throws {
        let loader = try loader(count: 3)
        for key in ["a", "b", "c"] { _ = try await loader.load(key) }
        _ = try await loader.load("a")
        _ = loader.cached("b")
        _ = try await loader.load("d")
        #expect(loader.cached("c") == nil)
        #expect(["a", "b", "d"].allSatisfy { loader.cached($0) != nil })
    }

    @Test("When values are too large together the least recently used are evicted")
    func byBytes() async throws {
        let loader = try loader(bytes: 10)
        for key in ["aaaa", "bbbb", "cc"] { _ = try await loader.load(key) }
        #expect(loader.statistics.memoryBytes == 10)
        _ = try await loader.load("d")
        #expect(loader.cached("aaaa") == nil)
        #expect(loader.statistics.memoryBytes == 7)
    }

    @Test("A value larger than the memory limit is delivered, not kept, and evicts nothing")
    func tooLarge() async throws {
        let loader = try loader(bytes: 10)
        _ = try await loader.load("a")
        let large = String(repeating: "x", count: 11)
        for _ in 0..<2 { #expect(try await loader.load(large) == large) }
        #expect(loader.cached(large) == nil)
        #expect(loader.cached("a") == "a")
        #expect(asked.withLock { $0 } == ["a", large, large])
    }

    @Test("removeAllFromMemory frees memory at once and keeps blobs and loads in progress")
    func givenBack() async throws {
        let cache = ScriptedBlobCache()
        let source = ScriptedSource()
        let loader = try CoalescingLoader(
            blobs: BlobStorage(cache, coding: .text), seams: .controlled(by: ManualClock()), load: source.load)
        let first = LoadCaller(loader, "a")
        try await source.succeed("a")
        _ = try await first.value()
        try await waitUntil { loader.isIdle }
        let second = LoadCaller(loader, "b")
        try await source.asked(reach: 2)
        loader.removeAllFromMemory()
        #expect(loader.cached("a") == nil)
        #expect(loader.statistics.memoryCount == 0 && loader.statistics.memoryBytes == 0)
        #expect(!cache.calls.contains(.removeAll) && cache.stored("a") != nil)
        try await source.succeed("b")
        _ = try await second.value()
        #expect(loader.cached("b") == "value of b", "it was not forgotten while it was loaded")
        #expect(try await loader.load("a") == "value of a")
        #expect(source.asked == ["a", "b"])
        await loader.shutdown()
    }

    @Test("A loader without memory still coalesces concurrent callers")
    func nothing() async throws {
        let source = ScriptedSource()
        let loader = try CoalescingLoader(
            policy: LoaderPolicy(memoryCount: 0), seams: .controlled(by: ManualClock()), load: source.load)
        let callers = (0..<3).map { _ in LoadCaller(loader, "a") }
        try await waitUntil { loader.statistics.shared == 2 }
        try await source.succeed("a")
        for caller in callers { #expect(try await caller.value() == "value of a") }
        #expect(loader.cached("a") == nil)
    }

    @Test("Data and text cost their bytes, and other values what the policy says, at least zero")
    func costs() async throws {
        #expect(LoaderPolicy<Data>().cost(Data(count: 1_000)) == 1_000)
        #expect(LoaderPolicy<String>().cost("äb") == 3)
        #expect(LoaderPolicy<Int>().cost(7) == 8)
        let loader = try CoalescingLoader<Int, Int>(policy: LoaderPolicy(cost: { $0 })) { $0 }
        _ = try await loader.load(-5)
        #expect(loader.statistics.memoryBytes == 0)
        _ = try await loader.load(5)
        #expect(loader.statistics.memoryBytes == 5)
    }
}
