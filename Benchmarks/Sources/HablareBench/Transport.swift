import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hablare
import HablareNetwork
import HablareProviders
import HablareSQLite
import HablareStores
import NIOCore
import NIOHTTP1
import NIOPosix

/// Calls a second, and the 99th percentile of what one takes, to a stub on loopback: through async-http-client as it is,
/// and through ours. Each way is measured in turn on the same stub, so the ratios are of one run.
enum Transport {
    /// One way to make a call.
    struct Way: Sendable {
        let name: String
        let call: @Sendable () async throws -> Void
    }

    private struct Dialect: ServiceDialect {
        let name = "Stub"
    }

    static let widths = [1, 32, 256]
    static let ways = ["client", "provider", "engine", "durable"]
    private static let total = 20_000

    /// What is sent and what comes back: as large as a short chat is.
    private static let question =
        #"{"messages":[{"content":"Say in one sentence what a lighthouse is.","role":"user"}],"model":"stub"}"#
    private static let answer =
        #"{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"stub","choices":[{"index":0,"message":{"role":"assistant","content":"A lighthouse is a tower with a light that shows ships where the coast is."},"finish_reason":"stop"}],"usage":{"prompt_tokens":15,"completion_tokens":17,"total_tokens":32}}"#

    private static let answerTokens: Int64 = 17

    static func run(rounds: Int, widths: [Int], way: String?) async throws -> [Figure] {
        try await StubServer.run(answer: answer) { server in
            try await withPlain(server) { plain in
                try await withOurs(server) { ours in
                    let ours = ours.filter { way == nil || $0.name == way }
                    return try await compare([plain] + ours, rounds: rounds, widths: widths)
                }
            }
        }
    }

    private static func compare(_ ways: [Way], rounds: Int, widths: [Int]) async throws -> [Figure] {
        var figures: [Figure] = []
        for width in widths {
            var rates: [[Double]] = Array(repeating: [], count: ways.count)
            var tails: [[Double]] = Array(repeating: [], count: ways.count)
            for way in ways { _ = try await measure(width: width, total: total / 10, way.call) }
            for _ in 0..<rounds {
                for (index, way) in ways.enumerated() {
                    let (rate, tail) = try await measure(width: width, total: width == 1 ? total / 4 : total, way.call)
                    rates[index].append(rate)
                    tails[index].append(tail)
                }
            }
            for (index, way) in ways.enumerated() {
                let name = "transport.\(way.name).\(width)"
                figures.append(Figure(name: name, value: median(rates[index]), unit: "calls/s", better: .higher))
                figures.append(Figure(name: "\(name).p99", value: median(tails[index]), unit: "ms", better: .lower))
                guard index > 0 else { continue }
                let ratios = zip(rates[index], rates[0]).map { $0 / $1 }
                figures.append(Figure(name: "\(name).ratio", value: median(ratios), unit: "of plain", better: .higher))
            }
        }
        return figures
    }

    /// Calls a second, and the 99th percentile of one in milliseconds.
    private static func measure(
        width: Int, total: Int, _ call: @escaping @Sendable () async throws -> Void
    ) async throws -> (rate: Double, tail: Double) {
        let each = max(1, total / width)
        let clock = ContinuousClock()
        let start = clock.now
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for _ in 0..<width {
                group.addTask {
                    var times: [Double] = []
                    times.reserveCapacity(each)
                    for _ in 0..<each {
                        let start = clock.now
                        try await call()
                        times.append((clock.now - start).seconds * 1000)
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        return (Double(times.count) / (clock.now - start).seconds, percentile(times, 0.99))
    }

    // MARK: The ways

    private static func withPlain<R: Sendable>(
        _ server: StubServer, _ body: @Sendable (Way) async throws -> R
    ) async throws -> R {
        var configuration = HTTPClient.Configuration()
        // As many connections as callers, as ours has.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 512
        let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        let result: Result<R, any Error>
        do {
            result = .success(
                try await body(
                    Way(name: "plain") {
                        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/v1/chat/completions")
                        request.method = .POST
                        request.headers.add(name: "authorization", value: "Bearer sk-0123456789abcdef")
                        request.headers.add(name: "content-type", value: "application/json")
                        request.body = .bytes(ByteBuffer(string: question))
                        let response = try await client.execute(request, timeout: .seconds(30))
                        try expect(try await response.body.collect(upTo: 1 << 20).readableBytes)
                    }))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }

    /// The client alone, the provider alone, and the provider in an engine on either store.
    private static func withOurs<R: Sendable>(
        _ server: StubServer, _ body: @escaping @Sendable ([Way]) async throws -> R
    ) async throws -> R {
        let transport = try NetworkTransport()
        let result: Result<R, any Error>
        do {
            let address = try ServiceAddress("http://127.0.0.1:\(server.port)/v1")
            let key = try APIKey("sk-0123456789abcdef")
            let client = ServiceClient(address, dialect: Dialect(), transport: transport, key: { key })
            let provider = OpenAIChatProvider(
                "openai",
                service: OpenAIService(address, transport: transport, key: { key }, concurrency: 512), model: "stub")
            result = .success(
                try await withEngine(InMemoryStore(), provider) { memory in
                    try await withScratchFolder { folder in
                        try await withEngine(try SQLiteStore(directory: folder), provider) { durable in
                            try await body([
                                way(through: client), way(through: provider), way("engine", through: memory),
                                way("durable", through: durable),
                            ])
                        }
                    }
                })
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        return try result.get()
    }

    private static func withEngine<R: Sendable>(
        _ store: any RequestStore, _ provider: OpenAIChatProvider,
        _ body: @escaping @Sendable (AIRequestManager) async throws -> R
    ) async throws -> R {
        let manager = try Lifecycle.manager(store, provider)
        return try await EngineService.run(manager) { try await body(manager) }
    }

    private static func way(through client: ServiceClient) -> Way {
        Way(name: "client") {
            let request = ServiceRequest(
                .post, ["chat", "completions"], fields: [.contentType: "application/json"],
                body: .bytes(Data(question.utf8)), accepts: ["application/json"])
            try expect(try await client.send(request).data().count)
        }
    }

    private static func way(through provider: OpenAIChatProvider) -> Way {
        Way(name: "provider") {
            let answer = try await provider.generate(ProviderCall(request: Lifecycle.request())).get()
            try expect(answer.usage.outputTokens)
        }
    }

    private static func way(_ name: String, through manager: AIRequestManager) -> Way {
        Way(name: name) {
            try expect(try await manager.execute(Lifecycle.request(), with: "openai").usage.outputTokens)
        }
    }

    private static func expect(_ tokens: Int64) throws {
        guard tokens == answerTokens else {
            throw AIServiceError(.invalidState, "The stub's answer came with \(tokens) tokens.")
        }
    }

    private static func expect(_ count: Int) throws {
        guard count == answer.utf8.count else {
            throw AIServiceError(.invalidState, "The stub's answer came with \(count) bytes.")
        }
    }
}
