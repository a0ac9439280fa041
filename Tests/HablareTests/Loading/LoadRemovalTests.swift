import Foundation
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// Removed values do not reappear.
@Suite(.timeLimit(.minutes(5)))
struct LoadRemovalTests {
    private let cache = ScriptedBlobCache()
    private let source = ScriptedSource()

    private func loader(
        seams: EngineSeams = .controlled(by: ManualClock())
    ) throws -> CoalescingLoader<String, String> {
        try CoalescingLoader(blobs: BlobStorage(cache, coding: .text), seams: seams, load: source.load)
    }

    /// Loads a key, and waits until it is stored.
    private func load(_ key: String, _ value: String, by loader: CoalescingLoader<String, String>) async throws {
        let caller = LoadCaller(loader, key)
        try await source.succeed(key, with: value)
        #expect(try await caller.value() == value)
        try await waitUntil { loader.isIdle }
    }

    @Test("A removed key is loaded again")
    func removed() async throws {
        let loader = try loader()
        try await load("a", "old", by: loader)
        try await load("b", "kept", by: loader)
        try await loader.remove("a")
        #expect(loader.cached("a") == nil && cache.stored("a") == nil)
        #expect(loader.cached("b") == "kept" && cache.stored("b") != nil)
        try await load("a", "new", by: loader)
        #expect(loader.cached("a") == "new")
    }

    @Test("removeAll has every key loaded again")
    func removedAll() async throws {
        let loader = try loader()
        for key in ["a", "b"] { try await load(key, "old", by: loader) }
        try await loader.removeAll()
        #expect(loader.statistics.memoryCount == 0 && loader.statistics.memoryBytes == 0)
        for key in ["a", "b"] {
            #expect(cache.stored(key) == nil)
            try await load(key, "new", by: loader)
        }
    }

    @Test(
        "After a removal a load in progress serves only its earlier callers and is not cached",
        arguments: [false, true])
    func underWay(all: Bool) async throws {
        let loader = try loader()
        let early = LoadCaller(loader, "a")
        try await source.asked(reach: 1)
        try await all ? loader.removeAll() : loader.remove("a")
        let late = LoadCaller(loader, "a")
        try await source.asked(reach: 2)
        try await source.succeed("a", with: "old")
        #expect(try await early.value() == "old")
        try await waitUntil { loader.statistics.loads == 1 }
        #expect(loader.cached("a") == nil)
        try await source.succeed("a", with: "new")
        #expect(try await late.value() == "new")
        try await waitUntil { loader.isIdle }
        #expect(cache.stored("a") == Data("new".utf8))
    }

    @Test("A removal that overtakes the write of a value wins", arguments: [false, true])
    func overtaken(all: Bool) async throws {
        var seams = EngineSeams.controlled(by: ManualClock())
        seams.taskExecutor = QueueExecutor(.concurrent)
        let loader = try loader(seams: seams)
        cache.holdStores()
        let caller = LoadCaller(loader, "a")
        try await source.succeed("a", with: "old")
        #expect(try await caller.value() == "old")
        try await waitUntil { cache.calls.contains(.store("a")) }
        try await all ? loader.removeAll() : loader.remove("a")
        let late = LoadCaller(loader, "a")
        try await source.asked(reach: 2)
        cache.releaseStores()
        try await waitUntil { cache.calls.last == .remove("a") && cache.stored("a") == nil }
        try await source.succeed("a", with: "new")
        #expect(try await late.value() == "new")
    }

    @Test("A failed removal throws, and the blob is not read", arguments: [false, true])
    func notRemoved(all: Bool) async throws {
        let loader = try loader()
        try await load("a", "old", by: loader)
        cache.fail(true)
        await #expect(throws: ScriptedBlobCache.failure) {
            try await all ? loader.removeAll() : loader.remove("a")
        }
        cache.fail(false)
        #expect(cache.stored("a") == Data("old".utf8))
        #expect(loader.cached("a") == nil)
        #expect(loader.statistics.blobFailures == 1)
        let caller = LoadCaller(loader, "a")
        try await source.succeed("a", with: "new")
        #expect(try await caller.value() == "new")
        try await waitUntil { loader.state.withLock { $0.tasks.isEmpty } }
        #expect(cache.stored("a") == Data("new".utf8))
        #expect(loader.state.withLock { $0.traffic.isReadable("a") } == !all)
        try await loader.removeAll()
        #expect(loader.state.withLock { $0.traffic.isReadable("a") })
    }

    @Test("A loader without a blob cache removes values as well")
    func withoutBlobs() async throws {
        let loader = try CoalescingLoader(seams: .controlled(by: ManualClock()), load: source.load)
        try await load("a", "old", by: loader)
        try await loader.remove("a")
        try await load("a", "new", by: loader)
        try await loader.removeAll()
        #expect(loader.cached("a") == nil)
        #expect(loader.isIdle)
    }
}
