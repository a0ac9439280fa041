import Foundation
import HablareSQLite
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

/// The response cache from the view of clients.
@Suite(.timeLimit(.minutes(5)))
struct CachingTests {
    /// Returns a provider that numbers its answers.
    private static func counting(_ id: ProviderID = "scripted") -> ScriptedProvider {
        let count = Locked(0)
        return ScriptedProvider(id: id) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .success(ProviderAnswer(.text(Body("answer \(number)")), usage: Usage(inputTokens: 7)))
        }
    }

    private static func ask(
        _ engine: Engine, _ caching: CachePolicy = .use, tags: [String] = []
    ) async throws -> AIResponseData {
        try await engine.manager.execute(AIRequest(prompt: "x", caching: caching, tags: tags), with: "scripted")
    }

    @Test("The second of two equal requests costs nothing and reports the age of its answer")
    func hit() async throws {
        let provider = Self.counting()
        let engine = try Engine([provider])
        try await engine.run {
            let first = try await Self.ask(engine)
            #expect(first.cacheUse == .miss)
            engine.dates.advance(by: 61.5)
            let second = try await Self.ask(engine)
            #expect(try await text(second) == "answer 1")
            #expect(second.cacheUse == .hit(age: 61) && second.usage == Usage(costMicroDollars: 0))
            #expect(second.receivedAt == first.receivedAt)
            #expect(try await engine.manager.response(for: second.requestID) == second)
            #expect(try await engine.manager.snapshot(for: second.requestID).isFromCache)
            #expect(provider.record.calls.count == 1)
            #expect(engine.manager.cacheStatistics.hits == 1 && engine.manager.cacheStatistics.misses == 1)
        }
    }

    @Test("A cached answer expires by the engine's time to live or by the request's own limit")
    func age() async throws {
        let engine = try Engine([Self.counting()])
        try await engine.run {
            _ = try await Self.ask(engine)
            engine.dates.advance(by: 3600)
            #expect(try await text(Self.ask(engine)) == "answer 1")
            engine.dates.advance(by: 1)
            #expect(try await text(Self.ask(engine, .use(within: 7200))) == "answer 1")
            #expect(try await text(Self.ask(engine)) == "answer 2")
            #expect(try await text(Self.ask(engine, .use(within: 0))) == "answer 3", "none is young enough")
        }
    }

    @Test("A refresh replaces the cached answer, and a bypass does not")
    func policies() async throws {
        let engine = try Engine([Self.counting()])
        try await engine.run {
            _ = try await Self.ask(engine)
            engine.dates.advance(by: 1)
            let bypass = try await Self.ask(engine, .bypass)
            #expect(try await text(bypass) == "answer 2")
            #expect(bypass.cacheUse == nil)
            #expect(try await text(Self.ask(engine)) == "answer 1")
            let refresh = try await Self.ask(engine, .refresh)
            #expect(try await text(refresh) == "answer 3")
            #expect(refresh.cacheUse == .refresh)
            #expect(try await text(Self.ask(engine)) == "answer 3")
        }
    }

    @Test("A regenerated request is sent despite the cache, and its answer replaces the cached one")
    func regenerated() async throws {
        let engine = try Engine([Self.counting()])
        try await engine.run {
            let first = try await Self.ask(engine)
            let second = try await engine.manager.regenerate(first.requestID)
            #expect(try await text(engine.manager.execute(requestID: second)) == "answer 2")
            #expect(try await text(Self.ask(engine)) == "answer 2")
        }
    }

    @Test("An invalid cache age or limit is refused")
    func badInput() async throws {
        let manager = try Engine().manager
        for age in [-1, -0.001, -.infinity, .nan] {
            let request = AIRequest(prompt: "x", caching: .use(within: age))
            #expect(await code { _ = try await manager.submit(request, to: "scripted") } == .invalidRequest)
            #expect(
                await code { _ = try await manager.cachedResponse(to: request, from: "scripted") } == .invalidRequest)
        }
        let endless = AIRequest(prompt: "x", caching: .use(within: .infinity))
        #expect(try await manager.cachedResponse(to: endless, from: "scripted") == nil)
        for limits in [
            CacheLimits(timeToLive: -1), CacheLimits(timeToLive: .nan), CacheLimits(maximumCount: 0),
            CacheLimits(maximumBytes: -1), CacheLimits(memoryCount: -1), CacheLimits(memoryBytes: -1),
        ] {
            let engine = try Engine(configuration: EngineConfiguration(cache: limits))
            #expect(await code { try await engine.run {} } == .invalidConfiguration)
        }
    }

    @Test("Invalidation removes the selected answers from memory and store, and no others")
    func invalidated() async throws {
        let engine = try Engine([Self.counting()])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x", tags: ["t"])
            _ = try await manager.execute(request, with: "scripted")
            #expect(try await manager.cachedResponse(to: request, from: "scripted") != nil)
            #expect(try await manager.invalidateCache(.tag("u")) == 0)
            #expect(try await manager.cachedResponse(to: request, from: "scripted") != nil)
            #expect(try await manager.invalidateCache(.tag("t")) == 1)
            #expect(try await manager.cachedResponse(to: request, from: "scripted") == nil)
            #expect(try await text(Self.ask(engine)) == "answer 2")
            let first = try #require(try await manager.response(for: request.id))
            #expect(try await text(first) == "answer 1")
        }
    }

    @Test("cachedResponse reads the store first, then memory, and records no request")
    func question() async throws {
        let engine = try Engine([Self.counting()])
        let manager = engine.manager
        try await engine.run {
            let question = AIRequest(prompt: "x")
            #expect(try await manager.cachedResponse(to: question, from: "scripted") == nil)
            _ = try await Self.ask(engine)
            for memoryHits in 0..<3 {
                engine.dates.advance(by: 2)
                let answer = try #require(try await manager.cachedResponse(to: question, from: "scripted"))
                #expect(answer.requestID == question.id && answer.cacheUse == .hit(age: 2 + 2 * memoryHits))
                #expect(manager.cacheStatistics.memoryHits == memoryHits)
            }
            #expect(await code { _ = try await manager.snapshot(for: question.id) } == .unknownRequest)
            let refreshing = AIRequest(prompt: "x", caching: .refresh)
            #expect(try await manager.cachedResponse(to: refreshing, from: "scripted") == nil)
            #expect(await code { _ = try await manager.cachedResponse(to: question, from: "no") } == .providerNotFound)
        }
    }

    @Test("A deleted, evicted or expired answer is not read from memory")
    func forgotten() async throws {
        let engine = try Engine([Self.counting()])
        let manager = engine.manager
        try await engine.run {
            for end in 0..<3 {
                let response = try await Self.ask(engine)
                let question = AIRequest(prompt: "x")
                for _ in 0..<2 { #expect(try await manager.cachedResponse(to: question, from: "scripted") != nil) }
                switch end {
                case 0: try await manager.delete(response.requestID)
                case 1: try await manager.evict(response.requestID)
                default: engine.dates.advance(by: 3601)
                }
                #expect(try await manager.cachedResponse(to: question, from: "scripted") == nil, "\(end)")
            }
        }
    }

    @Test(
        "An answer deleted by another process is not read from memory after the news, or without an engine")
    func elsewhere() async throws {
        let machine = ProcessStore.Machine()
        let engine = try Engine([Self.counting()], store: ProcessStore(machine))
        let other = try Engine([Self.counting()], store: ProcessStore(machine))
        let question = AIRequest(prompt: "x")
        try await engine.run {
            let response = try await Self.ask(engine)
            for _ in 0..<2 { #expect(try await engine.manager.cachedResponse(to: question, from: "scripted") != nil) }
            #expect(engine.manager.cacheStatistics.memoryHits == 1)
            try await other.manager.delete(response.requestID)
            try await engine.expectSoon {
                try await engine.manager.cachedResponse(to: question, from: "scripted") == nil
            }
            _ = try await Self.ask(engine)
        }
        let hits = engine.manager.cacheStatistics.memoryHits
        for _ in 0..<3 { #expect(try await engine.manager.cachedResponse(to: question, from: "scripted") != nil) }
        #expect(engine.manager.cacheStatistics.memoryHits == hits, "nobody tells it of others")
    }

    @Test("A cached stream can be read in chunks from any position")
    func stream() async throws {
        let provider = ScriptedProvider { call in
            do {
                for chunk in ["a", "b", "c"] { try await call.yield(chunk) }
                return .success(ProviderAnswer(streamed: .text))
            } catch {
                return .failure(StoreWorkbench.failure)
            }
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            var seen: [[String]] = []
            for start in [0, 0, 1] {
                let request = AIRequest(prompt: "x", streaming: StreamingPolicy())
                try await manager.submit(request, to: "scripted")
                var chunks: [String] = []
                for try await element in try await manager.stream(
                    for: request.id, from: StreamPosition(sequence: start))
                {
                    switch element {
                    case .chunk(let chunk): chunks.append("\(chunk.position.sequence)\(chunk.text)")
                    case .completed(let response): chunks.append(try await text(response))
                    case .restarted: chunks.append("restarted")
                    }
                }
                seen.append(chunks)
            }
            #expect(seen == [["0a", "1b", "2c", "abc"], ["0a", "1b", "2c", "abc"], ["1b", "2c", "abc"]])
            #expect(provider.record.calls.count == 1)
        }
    }

    @Test(
        "A cached answer equals the fresh one for any type and storage",
        arguments: [
            .text("Zürich 👩‍👩‍👧"), .data(Body(Data([0, 255, 10]))), .audio(Body(Data(count: 300_000)), .wav),
            .image(Body(Data(count: 3)), .png), .embedding([0, -1.5, .infinity]),
            .structured(["a": [1, nil, "b"]]), .text(Body(Data(repeating: 65, count: 200_000))), .data(Body(Data())),
        ] as [ResponseContent])
    func types(content: ResponseContent) async throws {
        let folder = try Folder()
        let provider = ScriptedProvider(responseType: content.type) { _ in .success(ProviderAnswer(content)) }
        let engine = try Engine([provider], store: try SQLiteStore(directory: folder.url))
        try await engine.run {
            let fresh = try await Self.ask(engine)
            let cached = try await Self.ask(engine)
            let read = try #require(
                try await engine.manager.cachedResponse(to: AIRequest(prompt: "x"), from: "scripted"))
            for response in [cached, read] {
                #expect(response.cacheUse == .hit(age: 0))
                #expect(response.result == fresh.result && response.result == .success(content))
                let bytes = try await response.content.body?.data()
                let expected = try await content.body?.data()
                #expect(bytes == expected)
            }
            #expect(provider.record.calls.count == 1)
        }
    }

    @Test("An answer whose content file is missing is logged and requested again")
    func lostFile() async throws {
        let folder = try Folder()
        let provider = ScriptedProvider(responseType: .data) { call in
            .success(ProviderAnswer(.data(Body(Data(repeating: UInt8(call.request.sample), count: 200_000)))))
        }
        let engine = try Engine([provider], store: try SQLiteStore(directory: folder.url))
        let manager = engine.manager
        try await engine.run {
            for sample in 0..<2 {
                let request = AIRequest(prompt: "x", sample: sample)
                let response = try await manager.execute(request, with: "scripted")
                #expect(try await manager.cachedResponse(to: request, from: "scripted") != nil)
                try FileManager.default.removeItem(at: try #require(try response.content.body?.fileURL))
                if sample == 1 { #expect(try await manager.cachedResponse(to: request, from: "scripted") == nil) }
                let again = try await manager.execute(AIRequest(prompt: "x", sample: sample), with: "scripted")
                #expect(again.cacheUse == .miss)
                let bytes = try await again.content.body?.data()
                #expect(bytes?.count == 200_000)
                #expect(manager.cacheStatistics.lost == sample + 1)
            }
            #expect(provider.record.calls.count == 4)
            let complaints = engine.log.lines.filter { $0.hasPrefix("warning: An answer was removed from the cache") }
            #expect(complaints.count == 2)
        }
    }

    @Test("A running engine keeps the cache within its limits and evicts unused answers first")
    func limits() async throws {
        let limits = CacheLimits(maximumCount: 8)
        let engine = try Engine(
            [Self.counting()],
            configuration: EngineConfiguration(
                attemptTimeout: .seconds(1_000_000_000), retry: .never, breaker: .never, cache: limits))
        let manager = engine.manager
        try await engine.run {
            let favourite = AIRequest(prompt: "favourite")
            _ = try await manager.execute(favourite, with: "scripted")
            for number in 0..<40 {
                engine.dates.advance(by: 1)
                #expect(try await manager.cachedResponse(to: favourite, from: "scripted") != nil, "\(number)")
                _ = try await manager.execute(AIRequest(prompt: .text("\(number)")), with: "scripted")
                try await engine.expectSoon { try await manager.statistics().cachedAnswers <= 8 }
            }
            #expect(try await manager.statistics().cachedAnswers == 8)
        }
    }

    @Test("An answer past the time to live stays for requests that accept older ones")
    func longWindow() async throws {
        let engine = try Engine([Self.counting()])
        let manager = engine.manager
        try await engine.run {
            _ = try await Self.ask(engine)
            engine.dates.advance(by: 7200)
            try await manager.answers.trim(manager.journal, at: engine.dates.now, manager.configuration.retention)
            #expect(try await text(Self.ask(engine, .use(within: 86_400))) == "answer 1")
            #expect(try await text(Self.ask(engine)) == "answer 2")
        }
    }

    @Test("Memory returns the answer recorded last, even to a reader that accepts older ones")
    func newestInMemory() async throws {
        let engine = try Engine([Self.counting()])
        let manager = engine.manager
        try await engine.run {
            let patient = AIRequest(prompt: "x", caching: .use(within: 86_400))
            _ = try await Self.ask(engine)
            for _ in 0..<2 { _ = try await manager.cachedResponse(to: patient, from: "scripted") }
            #expect(manager.cacheStatistics.memoryHits == 1)
            engine.dates.advance(by: 3601)
            #expect(try await text(Self.ask(engine)) == "answer 2")
            let answer = try #require(try await manager.cachedResponse(to: patient, from: "scripted"))
            #expect(try await text(answer) == "answer 2")
        }
    }

    @Test("Requests with another tenant, model, sample or parameters have answers of their own")
    func others() async throws {
        let provider = Self.counting()
        let engine = try Engine([provider])
        try await engine.run {
            for request in [
                AIRequest(prompt: "x"), AIRequest(prompt: "x", tenant: "t"), AIRequest(prompt: "x", model: "m"),
                AIRequest(prompt: "x", sample: 1), AIRequest(prompt: "x", parameters: ["a": 1]),
            ] {
                let response = try await engine.manager.execute(request, with: "scripted")
                #expect(response.cacheUse == .miss)
            }
            #expect(provider.record.calls.count == 5)
        }
    }

    @Test(
        "An answer from the cache is final, and submitting again or retrying does not change it"
    )
    func final() async throws {
        let engine = try Engine([Self.counting()])
        let manager = engine.manager
        try await engine.run {
            _ = try await Self.ask(engine)
            let request = AIRequest(prompt: "x")
            _ = try await manager.execute(request, with: "scripted")
            try await manager.invalidateCache(.everything)
            #expect(try await text(manager.execute(request, with: "scripted")) == "answer 1")
            #expect(await code { try await manager.retry(request.id) } == .invalidState)
            #expect(try await manager.cancelRequest(request.id) != .cancelled)
        }
    }

    /// A folder that is removed with the test.
    private final class Folder: Sendable {
        let url: URL

        init() throws {
            url = FileManager.default.temporaryDirectory.appendingPathComponent("hablare-\(UUID())", isDirectory: true)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit {
            do { try FileManager.default.removeItem(at: url) } catch { print("A test's folder stays: \(error)") }
        }
    }
}
