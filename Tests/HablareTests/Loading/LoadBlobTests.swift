import Foundation
import HablareSupport
import HablareTestKit
import Logging
import Testing

@testable import Hablare
@testable import HablareLoading

/// A loader with a blob cache behind its memory.
@Suite(.timeLimit(.minutes(5)))
struct LoadBlobTests {
    private let cache = ScriptedBlobCache()
    private let log = LogRecorder()
    private let asked = Locked<[String]>([])

    /// Returns a loader without memory.
    private func loader(
        coding: BlobCoding<String> = .text, seams: EngineSeams = .controlled(by: ManualClock())
    ) throws -> CoalescingLoader<String, String> {
        try CoalescingLoader(blobs: BlobStorage(cache, coding: coding), seams: seams, logger: log.logger) {
            [asked] key in
            asked.withLock { $0.append(key) }
            return "value of \(key)"
        }
    }

    @Test("A loaded value is found by the next loader on the same blob cache")
    func found() async throws {
        let first = try loader()
        _ = try await first.load("a")
        await first.shutdown()
        #expect(cache.stored("a") == Data("value of a".utf8))
        let second = try loader()
        #expect(try await second.load("a") == "value of a")
        #expect(second.cached("a") == "value of a")
        await second.shutdown()
        #expect(asked.withLock { $0 } == ["a"])
        #expect(second.statistics.diskHits == 1 && second.statistics.loads == 0)
        #expect(cache.calls == [.read("a"), .store("a"), .read("a")], "what was found is not stored again")
    }

    @Test("Blob keys have the names that the storage gives them")
    func names() async throws {
        let loader = try CoalescingLoader<Int, Data>(
            blobs: BlobStorage(cache, coding: .data) { "number/\($0)" }
        ) { Data("\($0)".utf8) }
        _ = try await loader.load(7)
        await loader.shutdown()
        #expect(cache.stored("number/7") == Data("7".utf8))
    }

    @Test("A failing blob cache fails no load, is counted at each call and logged once, as is its recovery")
    func failing() async throws {
        let loader = try loader()
        cache.fail(true)
        for key in ["a", "b"] { #expect(try await loader.load(key) == "value of \(key)") }
        try await waitUntil { loader.isIdle }
        #expect(loader.statistics.blobFailures == 4, "two could not be read, two not be stored")
        #expect(loader.statistics.failures == 0)
        #expect(log.lines.count == 1)
        #expect(log.says("warning: A blob cache failed."))
        #expect(log.lines.allSatisfy { !$0.contains("value of") })
        cache.fail(false)
        _ = try await loader.load("c")
        try await waitUntil { loader.isIdle }
        #expect(log.lines.count == 2)
        #expect(log.says("notice: The blob cache works again"))
        cache.fail(true)
        _ = try await loader.load("d")
        try await waitUntil { loader.isIdle }
        #expect(log.lines.count == 3)
    }

    @Test("Bytes that cannot be decoded are loaded again and replaced")
    func undecodable() async throws {
        cache.stores(Data([0xff, 0xfe]), for: "a")
        let loader = try loader()
        #expect(try await loader.load("a") == "value of a")
        await loader.shutdown()
        #expect(cache.stored("a") == Data("value of a".utf8))
        #expect(loader.statistics.blobFailures == 1)
        #expect(log.lines.count == 1 && log.says("debug: A blob could not be decoded"), "the cache itself works")
    }

    @Test("A value that cannot be encoded is delivered but not stored, and its error is not logged")
    func notEncodable() async throws {
        let coding = BlobCoding<String>(
            encode: {
                throw EncodingError.invalidValue($0, EncodingError.Context(codingPath: [], debugDescription: $0))
            },
            decode: { String(decoding: $0, as: UTF8.self) })
        let loader = try loader(coding: coding)
        #expect(try await loader.load("a") == "value of a")
        await loader.shutdown()
        #expect(cache.stored("a") == nil)
        #expect(loader.cached("a") == "value of a")
        #expect(loader.statistics.blobFailures == 1)
        #expect(log.lines.count == 1 && !log.lines.contains { $0.contains("value of") })
    }

    @Test("Undecodable bytes do not log the cache as failing and recovering")
    func manyUndecodable() async throws {
        let loader = try loader()
        for number in 0..<10 {
            cache.stores(Data([0xff]), for: "\(number)")
            _ = try await loader.load("\(number)")
        }
        await loader.shutdown()
        #expect(loader.statistics.blobFailures == 10)
        #expect(log.lines.allSatisfy { $0.hasPrefix("debug: ") })
    }

    @Test("The documentation's example loads through the blob cache")
    func example() async throws {
        @Sendable func download(_ url: URL) async throws -> Data { Data(url.path.utf8) }
        let url = try #require(URL(string: "https://example.org/a.png"))
        let images = try CoalescingLoader<URL, Data>(
            blobs: BlobStorage(cache, coding: .data, name: \.absoluteString)
        ) { url in
            try await download(url)
        }
        let data = try await images.load(url)
        #expect(data == Data("/a.png".utf8))
        await images.shutdown()
        #expect(cache.stored("https://example.org/a.png") == data)
    }

    @Test("A value is delivered before it is stored, and the load keeps its slot until then")
    func deliveredFirst() async throws {
        var seams = EngineSeams.controlled(by: ManualClock())
        seams.taskExecutor = QueueExecutor(.concurrent)
        let loader = try CoalescingLoader(
            policy: LoaderPolicy(concurrency: 1), blobs: BlobStorage(cache, coding: .text), seams: seams
        ) { [asked] key in
            asked.withLock { $0.append(key) }
            return "value of \(key)"
        }
        cache.holdStores()
        #expect(try await loader.load("a") == "value of a")
        #expect(cache.stored("a") == nil)
        let other = LoadCaller(loader, "b")
        try await waitUntil { loader.state.withLock { $0.core.count } == 1 }
        #expect(asked.withLock { $0 } == ["a"])
        cache.releaseStores()
        #expect(try await other.value() == "value of b")
        await loader.shutdown()
        #expect(cache.stored("a") != nil && cache.stored("b") != nil)
    }

    @Test("A retried load reads the blob cache once")
    func looksOnce() async throws {
        let clock = ManualClock()
        let source = ScriptedSource()
        let loader = try CoalescingLoader(
            blobs: BlobStorage(cache, coding: .text), seams: .controlled(by: clock), load: source.load)
        let caller = LoadCaller(loader, "a")
        try await source.fail("a")
        await clock.sleepers(reach: 1)
        clock.advance(by: .seconds(1))
        try await source.succeed("a")
        _ = try await caller.value()
        await loader.shutdown()
        #expect(cache.calls == [.read("a"), .store("a")])
    }

    @Test("JSON and text survive the round trip, and invalid bytes are an error")
    func codings() throws {
        let json = BlobCoding<[String: Int]>.json
        #expect(try json.decode(json.encode(["a": 1])) == ["a": 1])
        #expect(throws: DecodingError.self) { try json.decode(Data("[".utf8)) }
        #expect(try BlobCoding.text.decode(BlobCoding.text.encode("äb")) == "äb")
        #expect(throws: AIServiceError.self) { try BlobCoding.text.decode(Data([0xff])) }
    }

    @MainActor
    @Test("A load from the main actor runs no cache, coding, source or cost function there")
    func offTheMainActor() async throws {
        let wasOnMainActor = Locked(false)
        @Sendable func look() {
            let isMain = MainQueue.isCurrent
            if isMain { wasOnMainActor.withLock { $0 = true } }
        }
        let coding = BlobCoding<String>(
            encode: {
                look()
                return Data($0.utf8)
            },
            decode: {
                look()
                return String(decoding: $0, as: UTF8.self)
            })
        let policy = LoaderPolicy<String>(cost: {
            look()
            return $0.utf8.count
        })
        for _ in 0..<2 {
            let loader = try CoalescingLoader<String, String>(
                policy: policy, blobs: BlobStorage(cache, coding: coding)
            ) { key in
                look()
                return key
            }
            #expect(MainQueue.isCurrent)
            for number in 0..<20 { _ = try await loader.load("\(number)") }
            try await loader.remove("0")
            await loader.shutdown()
        }
        let last = try loader()
        try await last.removeAll()
        #expect(!wasOnMainActor.withLock { $0 })
        #expect(!cache.wasOnMainActor)
    }
}
