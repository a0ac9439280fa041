import Foundation
import HTTPTypes
import Hablare
import HablareNetwork
import HablareProviders
import HablareTestKit
import HablareTestServers
import Testing

/// A background response in an engine with a real server. The process crashes or shuts down, loses its connection, or
/// cancels the request; the service starts the work once.
@Suite(.timeLimit(.minutes(5))) struct OpenAIBackgroundEngineTests {
    private typealias Gate = HablareTestServers.Gate

    private let machine = MortalStore.Machine()
    /// The clock for the pauses, which stands still.
    private let clock = ManualClock()
    private static let pieces = ["Good ", "morning, ", "all."]
    private static let text = pieces.joined()

    /// Runs an engine of one process while a closure runs.
    private func process(
        at server: LoopbackServer, over transport: NetworkTransport,
        _ body: @escaping @Sendable (AIRequestManager, MortalStore) async throws -> Void
    ) async throws {
        let store = MortalStore(machine)
        let service = OpenAIService(
            try ServiceAddress(server.base), transport: transport,
            key: { () throws(AIServiceError) in try APIKey(OpenAIBench.key) })
        let manager = AIRequestManager(
            store: store,
            providers: try ProviderRegistry([
                OpenAIResponsesProvider("openai", service: service, model: "gpt-5", clock: clock)
            ]),
            configuration: EngineConfiguration(
                attemptTimeout: .seconds(600), shutdownGrace: .zero,
                retry: RetryPolicy(maximumAttempts: 3, baseDelay: .zero)))
        try await EngineService.run(manager) { try await body(manager, store) }
    }

    private static func json(_ text: String) -> ServerReply { .text(200, text, type: "application/json") }

    private static func request(streams: Bool = false) -> AIRequest {
        AIRequest(
            prompt: "Greet.", parameters: ["background": true], streaming: streams ? StreamingPolicy() : nil)
    }

    private func begun(_ server: LoopbackServer) -> Int {
        server.calls.count { $0.call.method == .post && $0.call.path == "/responses" }
    }

    private func ended(_ server: LoopbackServer) -> Int { server.calls.count { $0.call.path.hasSuffix("/cancel") } }

    @Test("After a crash between start and answer, the next process gets the answer, and the work starts once")
    func crash() async throws {
        let request = Self.request()
        try await LoopbackServer.withServer { call in
            Self.json(call.method == .post ? BackgroundScript.response("queued") : BackgroundScript.done(Self.text))
        } _: { server in
            try await withTransport { transport in
                try await process(at: server, over: transport) { manager, store in
                    try await manager.submit(request, to: "openai")
                    await clock.sleepers(reach: 1)
                    store.die()
                }
                #expect(server.calls.count == 1)
                try await process(at: server, over: transport) { manager, _ in
                    let response = try await manager.execute(requestID: request.id)
                    #expect(try await response.text() == Self.text)
                    #expect(response.usage.outputTokens == 4)
                    let attempts = try await manager.attempts(for: request.id)
                    #expect(attempts.map(\.outcome) == [.lost, .completed])
                    #expect(attempts.map(\.billing) == [.maybeBilled, .billed])
                    #expect(attempts.map(\.usage.outputTokens) == [0, 4], "it is paid for once")
                }
                #expect(begun(server) == 1 && ended(server) == 0)
                #expect(server.calls.last?.call.target == "/responses/resp_1")
            }
        }
    }

    @Test("After a crash in the middle of a stream, readers get the rest, and nothing twice")
    func crashOfStream() async throws {
        let request = Self.request(streams: true)
        let events = BackgroundScript.events(Self.pieces)
        try await LoopbackServer.withServer { call in
            guard call.method == .get else {
                return .pieces(events.prefix(3).map { .piece($0) } + [.hang])
            }
            let place = call.query("starting_after").flatMap { Int($0) } ?? -1
            return .pieces(events.dropFirst(place + 1).map { .piece($0) })
        } _: { server in
            try await withTransport { transport in
                let seen = "\(Self.pieces[0])\(Self.pieces[1])"
                try await process(at: server, over: transport) { manager, store in
                    try await manager.submit(request, to: "openai")
                    var text = ""
                    for try await element in try await manager.stream(for: request.id) {
                        if case .chunk(let chunk) = element { text += chunk.text }
                        if text == seen { break }
                    }
                    #expect(text == seen)
                    store.die()
                }
                try await process(at: server, over: transport) { manager, _ in
                    let position = StreamPosition(generation: 1, sequence: 2)
                    var rest = ""
                    for try await element in try await manager.stream(for: request.id, from: position) {
                        switch element {
                        case .chunk(let chunk): rest += chunk.text
                        case .restarted: Issue.record("The stream was begun anew.")
                        default: continue
                        }
                    }
                    #expect(seen + rest == Self.text)
                    let response = try await manager.execute(requestID: request.id)
                    #expect(try await response.text() == Self.text)
                    let attempts = try await manager.attempts(for: request.id)
                    #expect(attempts.map(\.usage.outputTokens) == [0, 4])
                }
                #expect(begun(server) == 1 && ended(server) == 0)
            }
        }
    }

    @Test("A connection lost in the middle of a stream is made again, and the stream resumes")
    func lostConnection() async throws {
        let request = Self.request(streams: true)
        let events = BackgroundScript.events(Self.pieces)
        try await LoopbackServer.withServer { call in
            call.method == .post
                ? .pieces(events.prefix(2).map { .piece($0) } + [.cut(.finish)])
                : .pieces(events.map { .piece($0) })
        } _: { server in
            try await withTransport { transport in
                try await process(at: server, over: transport) { manager, _ in
                    let response = try await manager.execute(request, with: "openai")
                    #expect(try await response.text() == Self.text)
                    let attempts = try await manager.attempts(for: request.id)
                    #expect(attempts.map(\.billing) == [.maybeBilled, .billed])
                }
                #expect(begun(server) == 1)
            }
        }
    }

    @Test("Cancelling a request cancels the work at the service")
    func cancelled() async throws {
        let request = Self.request()
        try await LoopbackServer.withServer { _ in
            Self.json(BackgroundScript.response("queued"))
        } _: { server in
            try await withTransport { transport in
                try await process(at: server, over: transport) { manager, _ in
                    try await manager.submit(request, to: "openai")
                    await clock.sleepers(reach: 1)
                    _ = try await manager.cancelRequest(request.id)
                    let call = try await server.call(1).call
                    #expect(call.method == .post && call.target == "/responses/resp_1/cancel")
                }
            }
        }
    }

    @Test("A shutdown does not cancel the work, and the next process resumes it")
    func shutdown() async throws {
        let request = Self.request()
        try await LoopbackServer.withServer { call in
            Self.json(call.method == .post ? BackgroundScript.response("queued") : BackgroundScript.done(Self.text))
        } _: { server in
            try await withTransport { transport in
                try await process(at: server, over: transport) { manager, _ in
                    try await manager.submit(request, to: "openai")
                    await clock.sleepers(reach: 1)
                }
                try await process(at: server, over: transport) { manager, _ in
                    let response = try await manager.execute(requestID: request.id)
                    #expect(try await response.text() == Self.text)
                }
                #expect(begun(server) == 1 && ended(server) == 0)
            }
        }
    }
}
