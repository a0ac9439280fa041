import Foundation
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// Writes to the blob cache in flight: their values are found, and they are written in order.
@Suite(.timeLimit(.minutes(5)))
struct BlobWritesTests {
    private let cache = ScriptedBlobCache()
    private let source = ScriptedSource()

    /// Returns a loader without memory, on threads that a cache may block.
    private func loader() throws -> CoalescingLoader<String, String> {
        var seams = EngineSeams.controlled(by: ManualClock())
        seams.taskExecutor = QueueExecutor(.concurrent)
        return try CoalescingLoader(
            policy: LoaderPolicy(memoryCount: 0), blobs: BlobStorage(cache, coding: .text), seams: seams,
            load: source.load)
    }

    private func load(_ value: String, by loader: CoalescingLoader<String, String>) async throws {
        let caller = LoadCaller(loader, "a")
        try await source.succeed("a", with: value)
        #expect(try await caller.value() == value)
    }

    private var stores: Int { cache.calls.count { $0 == .store("a") } }

    @Test("A value is found while it is written to the blob cache, and not loaded again")
    func found() async throws {
        let loader = try loader()
        cache.holdStores()
        try await load("1", by: loader)
        let second = LoadCaller(loader, "a")
        try await waitUntil { second.isAnswered || source.asked.count == 2 }
        #expect(source.asked == ["a"])
        #expect(loader.cached("a") == "1")
        #expect(loader.statistics.hits == 1)
        loader.preload(["a"])
        #expect(loader.state.withLock { $0.core.count } == 0)
        cache.releaseStores()
        try await waitUntil { loader.isIdle }
        #expect(loader.cached("a") == nil, "nobody holds it now but the blob cache")
        #expect(try await loader.load("a") == "1")
        #expect(loader.statistics.diskHits == 1)
    }

    @Test("A value removed during its write is not found, and the next value is stored after it")
    func inOrder() async throws {
        let loader = try loader()
        cache.holdStores()
        try await load("old", by: loader)
        try await waitUntil { stores == 1 }
        try await loader.remove("a")
        #expect(loader.cached("a") == nil)
        try await load("new", by: loader)
        #expect(loader.cached("a") == "new")
        try await waitUntil { loader.state.withLock { $0.tasks.count } == 1 || stores == 2 }
        #expect(stores == 1, "the one that began first is not over")
        cache.releaseStores()
        try await waitUntil { loader.isIdle }
        #expect(cache.stored("a") == Data("new".utf8))
    }

    @Test("A pending write whose key is removed does not happen", arguments: [false, true])
    func spared(all: Bool) async throws {
        let loader = try loader()
        cache.holdStores()
        for value in ["1", "2"] {
            try await load(value, by: loader)
            try await waitUntil { stores == 1 }
            try await all ? loader.removeAll() : loader.remove("a")
        }
        cache.releaseStores()
        try await waitUntil { loader.isIdle }
        #expect(stores == 1)
        #expect(cache.stored("a") == nil)
    }
}
