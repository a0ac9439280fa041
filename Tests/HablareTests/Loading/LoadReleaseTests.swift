import Foundation
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareLoading

/// Values that call the loader when they are deallocated, so none may be deallocated under the loader's lock.
@Suite(.timeLimit(.minutes(5)))
struct LoadReleaseTests {
    /// Reports its deallocation.
    private final class Picture: Sendable {
        let name: String
        private let atEnd: @Sendable (String) -> Void

        init(_ name: String, atEnd: @escaping @Sendable (String) -> Void) {
            self.name = name
            self.atEnd = atEnd
        }

        deinit { atEnd(name) }
    }

    private typealias Loader = CoalescingLoader<String, Picture>

    /// A reference to the loader for its values.
    private final class Weakly: Sendable {
        private let loader = Locked<(@Sendable () -> Void)?>(nil)

        /// Uses the loader, which deadlocks or traps if the loader's lock is held.
        func use() {
            let use = loader.withLock { $0 }
            use?()
        }

        func set(_ use: (@Sendable () -> Void)?) { loader.withLock { $0 = use } }
    }

    private let ended = Locked<[String]>([])
    private let weakly = Weakly()
    private let cache = ScriptedBlobCache()

    private func loader(memoryCount: Int, executor: (any TaskExecutor)? = nil) throws -> Loader {
        var seams = EngineSeams.controlled(by: ManualClock())
        seams.taskExecutor = executor
        let make: @Sendable (String) -> Picture = { [ended, weakly] name in
            Picture(name) { name in
                weakly.use()
                ended.withLock { $0.append(name) }
            }
        }
        let coding = BlobCoding<Picture>(
            encode: { Data($0.name.utf8) }, decode: { make(String(decoding: $0, as: UTF8.self)) })
        let loader = try Loader(
            policy: LoaderPolicy(memoryCount: memoryCount), blobs: BlobStorage(cache, coding: coding), seams: seams
        ) { make($0) }
        weakly.set { [weak loader] in
            _ = loader?.cached("")
            _ = loader?.statistics
            loader?.preload([]).cancel()
        }
        return loader
    }

    private func load(_ name: String, by loader: Loader) async throws {
        _ = try await loader.load(name)
        try await waitUntil { loader.isIdle }
    }

    private func ended(_ names: Set<String>) async throws {
        try await waitUntil { Set(ended.withLock { $0 }).isSuperset(of: names) }
    }

    @Test("An evicted value is deallocated outside the lock")
    func pushedOut() async throws {
        let loader = try loader(memoryCount: 1)
        for name in ["a", "b", "c"] { try await load(name, by: loader) }
        try await ended(["a", "b"])
        #expect(loader.cached("c") != nil)
    }

    @Test("A removed value is deallocated outside the lock", arguments: [false, true])
    func removed(all: Bool) async throws {
        let loader = try loader(memoryCount: 10)
        for name in ["a", "b"] { try await load(name, by: loader) }
        try await all ? loader.removeAll() : loader.remove("a")
        try await ended(all ? ["a", "b"] : ["a"])
    }

    @Test("A value freed by removeAllFromMemory is deallocated outside the lock")
    func givenBack() async throws {
        let loader = try loader(memoryCount: 10)
        for name in ["a", "b"] { try await load(name, by: loader) }
        loader.removeAllFromMemory()
        try await ended(["a", "b"])
    }

    @Test("A value kept only until it is stored is deallocated outside the lock")
    func stored() async throws {
        let loader = try loader(memoryCount: 0)
        try await load("a", by: loader)
        try await ended(["a"])
    }

    @Test("A value removed before it is stored is deallocated outside the lock")
    func superseded() async throws {
        let loader = try loader(memoryCount: 0, executor: QueueExecutor(.concurrent))
        cache.holdStores()
        for _ in 0..<2 {
            _ = try await loader.load("a")
            try await waitUntil { loader.state.withLock { $0.tasks.count } <= 1 && cache.calls.contains(.store("a")) }
            try await loader.remove("a")
        }
        try await ended(["a"])
        cache.releaseStores()
        try await waitUntil { loader.isIdle && ended.withLock { $0.count } == 2 }
    }
}
