import Foundation
import Hablare
import HablareJSON
import HablareStores
import HablareStructured
import HablareSupport
import HablareTestServers
import Testing

@testable import HablareProviders

/// Vectors through an engine: texts share calls, and each has its own answer.
@Suite(.timeLimit(.minutes(5))) struct EmbeddingBatchingTests {
    /// A server of vectors. It refuses a call that has the text `bad`, and counts a token for each character.
    private struct VectorServer: Sendable {
        let transport: ScriptedTransport

        init(status: Int = 200, isReversed: Bool = false) {
            transport = ScriptedTransport { call in
                let input = call.json?[member: "input"] ?? .null
                let texts = input.string.map { [$0] } ?? input.elements.compactMap(\.string)
                guard status == 200 else { return OpenAIBench.json("{}", status: status) }
                guard !texts.contains("a bad one") else {
                    return OpenAIBench.json(
                        #"{"error":{"message":"Too long.","type":"invalid_request_error","param":"input"}}"#,
                        status: 400)
                }
                var entries = texts.enumerated().map { index, text in
                    #"{"object":"embedding","index":\#(index),"embedding":[\#(VectorServer.number(of: text))]}"#
                }
                if isReversed { entries.reverse() }
                let tokens = texts.reduce(0) { $0 + $1.utf8.count }
                return OpenAIBench.json(
                    #"{"data":[\#(entries.joined(separator: ","))],"model":"m","usage":{"prompt_tokens":\#(tokens)}}"#)
            }
        }

        /// A vector that tells the text.
        static func number(of text: String) -> Float { Float(text.utf8.reduce(0) { ($0 * 31 + Int($1)) % 65_521 }) }

        var sizes: [Int] { transport.calls.map { max(1, $0.json?[member: "input"]?.elements.count ?? 0) } }
    }

    /// A clock that stands still, and jumps to the end of each sleep once the sleepers may go on.
    private struct HeldClock: Clock {
        let start = ContinuousClock().now
        let jumped = Locked(Duration.zero)
        let mayGoOn: @Sendable () -> Bool
        var now: ContinuousClock.Instant { start.advanced(by: jumped.withLock { $0 }) }
        var minimumResolution: Duration { .nanoseconds(1) }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            repeat {
                try Task.checkCancellation()
                await Task.yield()
            } while !mayGoOn()
            jumped.withLock { $0 = max($0, start.duration(to: deadline)) }
        }
    }

    private func withManager<R: Sendable>(
        _ server: VectorServer, attempts: Int = 1, textsPerCall: Int = 2048,
        clock: any Clock<Duration> = ContinuousClock(), registering: (OpenAIEmbeddingProvider) -> Void = { _ in },
        _ body: @Sendable @escaping (AIRequestManager) async throws -> R
    ) async throws -> R {
        let compatibility = OpenAICompatibility(encodesVectors: false, textsPerCall: textsPerCall)
        let service = try OpenAIBench(compatibility: compatibility).service(server.transport)
        let provider = OpenAIEmbeddingProvider("openai.embedding", service: service, model: "m", clock: clock)
        registering(provider)
        let manager = AIRequestManager(
            store: InMemoryStore(), providers: try ProviderRegistry([provider]),
            configuration: EngineConfiguration(retry: RetryPolicy(maximumAttempts: attempts, baseDelay: .zero)))
        return try await EngineService.run(manager) { try await body(manager) }
    }

    @Test("10,000 texts share five calls, and make none a second time")
    func tenThousand() async throws {
        let server = VectorServer(isReversed: true)
        let requestor = try EmbeddingRequestor("openai.embedding.m")
        // The clock goes on when four full calls are answered and all other texts wait for the fifth.
        let mayGoOn = Locked<@Sendable () -> Bool>({ false })
        let clock = HeldClock { mayGoOn.withLock { $0 }() }
        try await withManager(server, clock: clock) { provider in
            mayGoOn.withLock {
                $0 = { server.transport.calls.count == 4 && provider.gatherer.waitingCount == 10_000 - 4 * 2048 }
            }
        } _: { manager in
            let texts = (0..<10_000).map { "line \($0)" }
            let key = JobKey.hashing([Data("job".utf8)])
            let outputs = try await requestor.ask(texts, manager: manager, jobKey: key)
            #expect(outputs.map(\.value) == texts.map { [VectorServer.number(of: $0)] })
            #expect(server.sizes == [2048, 2048, 2048, 2048, 1808])
            mayGoOn.withLock { $0 = { true } }
            let calls = server.sizes.count
            // The same job, and the same texts in another one: each text has a cached answer of its own.
            _ = try await requestor.ask(texts, manager: manager, jobKey: key)
            _ = try await requestor.ask(texts.reversed(), manager: manager)
            #expect(server.sizes.count == calls)
            _ = try await requestor.ask(texts + ["another line"], manager: manager)
            #expect(server.sizes.count == calls + 1 && server.sizes.last == 1)
        }
    }

    @Test("A refusal that quotes one of the texts is kept without the words of all of them")
    func quoted() async throws {
        let transport = ScriptedTransport { call in
            let texts = (call.json?[member: "input"]?.elements ?? []).compactMap(\.string)
            return OpenAIBench.json(
                #"{"error":{"message":"Bad: \#(texts.joined(separator: ", "))","code":"bad"}}"#, status: 500)
        }
        let service = try OpenAIBench(compatibility: OpenAICompatibility(encodesVectors: false)).service(transport)
        let mayGoOn = Locked<@Sendable () -> Bool>({ false })
        let clock = HeldClock { mayGoOn.withLock { $0 }() }
        let provider = OpenAIEmbeddingProvider("openai.embedding", service: service, model: "m", clock: clock)
        mayGoOn.withLock { $0 = { provider.gatherer.waitingCount == 3 } }
        let texts = ["Gorgonzola", "Kowalski", "Trondheim"]
        let failures = await withTaskGroup(of: AIServiceError?.self) { group in
            for text in texts {
                group.addTask { await provider.answering(AIRequest(prompt: .text(text))).failure }
            }
            return await group.reduce(into: [AIServiceError?]()) { $0.append($1) }
        }
        #expect(transport.calls.map { $0.json?[member: "input"]?.elements.count } == [3])
        for failure in failures {
            let cause = try #require(failure?.cause)
            for text in texts { #expect(!cause.contains(text), "\(cause)") }
            #expect(cause.contains("bad: Bad"))
        }
    }

    @Test("The tokens of a call are divided among its texts, and the ledger has each text's own")
    func ledger() async throws {
        let server = VectorServer()
        let requestor = try EmbeddingRequestor("openai.embedding.m")
        try await withManager(server) { manager in
            let texts = ["a", "bcd", "ef gh", "ijklmnopqrstuvwx"]
            let outputs = try await requestor.ask(texts, manager: manager)
            #expect(outputs.map(\.response.usage.inputTokens) == texts.map { Int64($0.utf8.count) })
            for output in outputs {
                let attempts = try await manager.attempts(for: output.response.requestID)
                #expect(attempts.count == 1 && attempts[0].usage.inputTokens == output.response.usage.inputTokens)
            }
        }
    }

    @Test("One bad text fails alone, and the others have their vectors")
    func badText() async throws {
        let server = VectorServer()
        try await withManager(server) { manager in
            var requests = (0..<100).map { AIRequest(prompt: .text("text \($0)")) }
            requests.insert(AIRequest(prompt: "a bad one"), at: 57)
            _ = try await manager.submit(together: requests, to: "openai.embedding")
            for request in requests {
                let isBad = request.prompt == "a bad one"
                do {
                    let response = try await manager.execute(requestID: request.id)
                    #expect(!isBad)
                    let expected = VectorServer.number(of: request.prompt.plainText)
                    #expect(try response.content == .embedding([expected]))
                } catch let error as AIServiceError {
                    #expect(isBad && error.code == .invalidRequest)
                }
                #expect(try await manager.attempts(for: request.id).count == 1)
            }
            #expect(server.sizes.count < 30)
        }
    }

    @Test("An empty text is refused before anything is sent")
    func emptyText() async throws {
        let server = VectorServer()
        let service = try OpenAIBench().service(server.transport)
        let provider = OpenAIEmbeddingProvider("e", service: service, model: "m")
        let result = await provider.generate(ProviderCall(request: AIRequest(prompt: " \n")))
        #expect(throws: AIServiceError.self) { try result.get() }
        #expect(throws: AIServiceError.self) { try provider.check(AIRequest(prompt: "")) }
        #expect(server.sizes.isEmpty)
    }

    @Test("A temporary failure of a call is retried for each of its texts, together again")
    func retries() async throws {
        let server = VectorServer(status: 503)
        let requestor = try EmbeddingRequestor("openai.embedding.m")
        try await withManager(server, attempts: 3) { manager in
            let texts = (0..<50).map { "text \($0)" }
            await #expect(throws: AIServiceError.self) { try await requestor.ask(texts, manager: manager) }
            #expect(server.sizes.first == 50 && server.sizes.count >= 2)
        }
    }

    @Test("A cancelled request leaves its call, which goes on for the others")
    func cancellation() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { call in
            try await gate.wait()
            let count = call.json?[member: "input"]?.elements.count ?? 1
            let entries = (0..<count).map { #"{"index":\#($0),"embedding":[\#($0)]}"# }
            return OpenAIBench.json(#"{"data":[\#(entries.joined(separator: ","))]}"#)
        }
        let service = try OpenAIBench(compatibility: OpenAICompatibility(encodesVectors: false)).service(transport)
        let provider = OpenAIEmbeddingProvider("e", service: service, model: "m")
        let results = Locked<[String: Result<ProviderAnswer, AIServiceError>]>([:])
        func start(_ text: String) -> Task<Void, Never> {
            TaskSpawner(executor: nil).start {
                let result = await provider.generate(ProviderCall(request: AIRequest(prompt: .text(text))))
                results.withLock { $0[text] = result }
            }
        }
        let first = start("one")
        let second = start("two")
        while transport.calls.isEmpty { await Task.yield() }
        first.cancel()
        await first.value
        #expect(throws: AIServiceError.self) { try results.withLock { $0 }["one"]?.get() }
        gate.open()
        await second.value
        #expect(try results.withLock { $0 }["two"]?.get().content.type == .embedding)
    }

    @Test("Vectors that do not belong to the texts are refused and billed by share")
    func strangeVectors() async throws {
        for data in [
            #"[{"index":0,"embedding":[1]}]"#, #"[{"index":0,"embedding":[1]},{"index":0,"embedding":[2]}]"#,
            #"[{"index":0,"embedding":[1]},{"index":7,"embedding":[2]}]"#,
        ] {
            let transport = ScriptedTransport { _ in
                OpenAIBench.json(#"{"data":\#(data),"usage":{"prompt_tokens":6}}"#)
            }
            let service = try OpenAIBench(compatibility: OpenAICompatibility(textsPerCall: 2)).service(transport)
            let provider = OpenAIEmbeddingProvider("e", service: service, model: "m")
            async let one = provider.generate(ProviderCall(request: AIRequest(prompt: "abcd")))
            async let two = provider.generate(ProviderCall(request: AIRequest(prompt: "ef")))
            let errors = await [one, two].map {
                if case .failure(let error) = $0 { error } else { nil } as AIServiceError?
            }
            #expect(errors.compactMap { $0?.code } == [.invalidResponse, .invalidResponse])
            #expect(
                errors.map { $0?.billing } == [.billed(Usage(inputTokens: 4)), .billed(Usage(inputTokens: 2))])
        }
    }

    @Test("Shares add up to the total")
    func shares() {
        #expect(TokenShares.divide(10, by: [1, 1, 1]) == [3, 3, 4])
        #expect(TokenShares.divide(0, by: [1, 2]) == [0, 0] && TokenShares.divide(5, by: [0, 0]) == [5, 0])
        #expect(TokenShares.divide(.max, by: [.max / 2, .max / 2]).reduce(0, +) == .max)
        for total in [1, 7, 1_000_003] as [Int64] {
            #expect(TokenShares.divide(total, by: (1...50).map(Int64.init)).reduce(0, +) == total)
        }
    }

    @Test("The lane admits the texts of four calls, and no limit of requests")
    func limits() throws {
        let service = try OpenAIBench().service(ScriptedTransport { _ in OpenAIBench.json("{}") })
        let limits = OpenAIEmbeddingProvider("e", service: service, model: "m").limits
        #expect(limits.concurrency == 4 * 2048 && limits.rate?.requestsPerMinute == nil && limits.rate != nil)
    }
}
