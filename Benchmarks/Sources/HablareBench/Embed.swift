import Foundation
import Hablare
import HablareNetwork
import HablareProviders
import HablareSQLite
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1

/// Short lines embedded a second through the engine on the SQLite store, against a stub on loopback that takes 20 ms
/// for a call: the provider's calls of up to 2,048 texts, beside one call each with the same number of calls at once.
///
/// The 20 ms stand for a service, whose answer takes 100 ms and more. Without them the figures would compare the engine
/// with itself.
enum Embed {
    private static let pause = TimeAmount.milliseconds(20)
    /// The number of lines with one call each: they take 2.5 ms each.
    private static let alone = 2000

    static func run(rounds: Int, lines: Int) async throws -> [Figure] {
        try await VectorServer.run(after: pause) { server in
            var rates: (shared: [Double], alone: [Double]) = ([], [])
            var calls = 0
            for round in 0..<rounds {
                rates.alone.append(try await measure(server, texts: 1, lines: min(lines, alone), round))
                let before = server.calls
                rates.shared.append(try await measure(server, texts: 2048, lines: lines, round))
                calls = server.calls - before
            }
            let ratios = zip(rates.shared, rates.alone).map { $0 / $1 }
            return [
                Figure(name: "embed.shared", value: median(rates.shared), unit: "lines/s", better: .higher),
                Figure(name: "embed.alone", value: median(rates.alone), unit: "lines/s", better: .higher),
                Figure(name: "embed.ratio", value: median(ratios), unit: "of alone", better: .higher),
                Figure(name: "embed.calls", value: Double(calls), unit: "calls", better: .lower),
            ]
        }
    }

    private static func measure(
        _ server: VectorServer, texts: Int, lines: Int, _ round: Int
    ) async throws -> Double {
        let transport = try NetworkTransport()
        let result: Result<Double, any Error>
        do {
            let address = try ServiceAddress("http://127.0.0.1:\(server.port)/v1")
            let key = try APIKey("sk-0123456789abcdef")
            let service = OpenAIService(
                address, transport: transport, key: { key }, compatibility: OpenAICompatibility(textsPerCall: texts),
                concurrency: 8)
            let provider = OpenAIEmbeddingProvider("openai", service: service, model: "stub")
            result = .success(
                try await withScratchFolder { folder in
                    let manager = try Lifecycle.manager(try SQLiteStore(directory: folder), provider)
                    return try await EngineService.run(manager) { try await embed(lines, manager) }
                })
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        return try result.get()
    }

    /// Submits a job of lines and waits for their vectors; lines per second.
    private static func embed(_ lines: Int, _ manager: AIRequestManager) async throws -> Double {
        let requests = (0..<lines).map { AIRequest(prompt: .text("A short line, number \($0).")) }
        let clock = ContinuousClock()
        let start = clock.now
        let ids = try await manager.submit(requests, to: "openai", jobKey: .hashing([Data("embed".utf8)]))
        for id in ids {
            guard case .embedding = try await manager.execute(requestID: id).content else {
                throw AIServiceError(.invalidState, "The stub answered with something else than a vector.")
            }
        }
        return Double(lines) / (clock.now - start).seconds
    }
}

/// A server on loopback that answers a call for vectors with one of eight numbers for each text, after a pause.
struct VectorServer: Sendable {
    let port: Int
    private let count: NIOLockedValueBox<Int>

    /// The number of calls so far.
    var calls: Int { count.withLockedValue { $0 } }

    /// Runs it while something runs.
    static func run<R: Sendable>(
        after pause: TimeAmount, _ body: @Sendable (VectorServer) async throws -> R
    ) async throws -> R {
        let count = NIOLockedValueBox(0)
        return try await StubServer.serve({ Answerer(pause: pause, count: count) }) {
            try await body(VectorServer(port: $0, count: count))
        }
    }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private struct Call: Decodable {
            let input: Input
        }

        private enum Input: Decodable {
            case one
            case many(Int)

            init(from decoder: any Decoder) throws {
                do {
                    self = .many(try decoder.singleValueContainer().decode([String].self).count)
                } catch DecodingError.typeMismatch {
                    self = .one
                }
            }
        }

        /// A vector of eight numbers, in base64.
        private static let vector = Data(repeating: 0x3F, count: 32).base64EncodedString()

        private let pause: TimeAmount
        private let count: NIOLockedValueBox<Int>
        private var body = Data()

        init(pause: TimeAmount, count: NIOLockedValueBox<Int>) {
            self.pause = pause
            self.count = count
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head: body = Data()
            case .body(let piece): body.append(contentsOf: piece.readableBytesView)
            case .end:
                count.withLockedValue { $0 += 1 }
                let answer = ByteBuffer(string: Self.answer(to: body))
                let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
                context.eventLoop.scheduleTask(in: pause) {
                    let (handler, context) = bound.value
                    handler.write(answer, context)
                }
            }
        }

        private static func answer(to body: Data) -> String {
            let texts: Int
            do {
                let call = try JSONDecoder().decode(Call.self, from: body)
                texts = if case .many(let count) = call.input { count } else { 1 }
            } catch {
                return "{}"  // it has no vectors, so the benchmark fails
            }
            let entries = (0..<texts).map { #"{"object":"embedding","index":\#($0),"embedding":"\#(vector)"}"# }
            return
                #"{"object":"list","model":"stub","data":[\#(entries.joined(separator: ","))],"usage":{"prompt_tokens":\#(texts * 8),"total_tokens":\#(texts * 8)}}"#
        }

        private func write(_ answer: ByteBuffer, _ context: ChannelHandlerContext) {
            let head = HTTPResponseHead(
                version: .http1_1, status: .ok,
                headers: ["content-type": "application/json", "content-length": "\(answer.readableBytes)"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(answer))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
