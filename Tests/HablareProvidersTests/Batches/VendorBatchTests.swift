import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import HablareStores
import HablareSupport
import Testing

@testable import HablareProviders

/// Batches at both vendors: sent, awaited over restarts, expired half done, left for a live call.
@Suite(.timeLimit(.minutes(2))) struct VendorBatchTests {
    /// A clock that jumps to the end of each sleep, once the sleepers may go on.
    private struct JumpingClock: Clock {
        struct Instant: InstantProtocol {
            var offset: Duration
            func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
            func duration(to other: Instant) -> Duration { other.offset - offset }
            static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
        }

        let time = Locked(Instant(offset: .zero))
        var mayGoOn: @Sendable () -> Bool = { true }
        var start = VendorBatchTests.start
        var now: Instant { time.withLock { $0 } }
        var minimumResolution: Duration { .nanoseconds(1) }
        var date: Date { start.addingTimeInterval(now.offset / .seconds(1)) }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            repeat {
                try Task.checkCancellation()
                await Task.yield()
            } while !mayGoOn()
            time.withLock { $0 = max($0, deadline) }
        }
    }

    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    /// A vendor's server, which knows the requests of its one batch.
    private final class Server: Sendable {
        struct State: Sendable {
            var names: [String] = []
            var looks = 0
            var isCancelled = false
            var isCreated = false
        }

        let state = Locked(State())
        /// Answers instead, by the number of the look.
        let look: @Sendable (Int) throws -> HTTPAnswer?
        /// The lines of results, and of errors.
        let lines: @Sendable ([String]) -> (output: [String], errors: [String])
        var transport: ScriptedTransport { ScriptedTransport { [self] in try answer($0) } }

        init(
            look: @escaping @Sendable (Int) throws -> HTTPAnswer? = { _ in nil },
            lines: @escaping @Sendable ([String]) -> (output: [String], errors: [String])
        ) {
            self.look = look
            self.lines = lines
        }

        private func answer(_ call: HTTPCall) throws -> HTTPAnswer {
            let path = call.url.path
            switch (call.method, path) {
            case (.post, "/v1/files"):
                state.withLock { $0.names = Self.names(in: call.text) }
                return .json(#"{"id":"file_in"}"#)
            case (.post, "/v1/batches"):
                state.withLock { $0.isCreated = true }
                return .json(#"{"id":"batch_1","status":"validating"}"#)
            case (.post, "/v1/messages/batches"):
                state.withLock { state in
                    state.names = Self.names(in: call.text)
                    state.isCreated = true
                }
                return .json(#"{"id":"batch_1","processing_status":"in_progress"}"#)
            case (.post, "/v1/batches/batch_1/cancel"), (.post, "/v1/messages/batches/batch_1/cancel"):
                state.withLock { $0.isCancelled = true }
                return .json("{}")
            case (.get, "/v1/batches/batch_1"), (.get, "/v1/messages/batches/batch_1"):
                let number = state.withLock { state in
                    state.looks += 1
                    return state.looks
                }
                if let answer = try look(number) { return answer }
                return .json(
                    number < 3
                        ? #"{"status":"in_progress","processing_status":"in_progress"}"#
                        : #"{"status":"expired","output_file_id":"out","error_file_id":"err","processing_status":"ended"}"#
                )
            case (.get, "/v1/files/out/content"), (.get, "/v1/messages/batches/batch_1/results"):
                return lines(lines(state.withLock { $0.names }).output)
            case (.get, "/v1/files/err/content"): return lines(lines(state.withLock { $0.names }).errors)
            case (.post, "/v1/chat/completions"): return .json(VendorBatchTests.completion("live"))
            default: return .json("{}", status: 404)
            }
        }

        private func lines(_ lines: [String]) -> HTTPAnswer {
            .of("application/octet-stream", Data(lines.map { $0 + "\n" }.joined().utf8))
        }

        private static func names(in text: String) -> [String] {
            text.matches(of: /"custom_id":"([0-9a-f-]+)"/).map { String($0.output.1) }
        }
    }

    // MARK: Answers

    private static func completion(_ text: String) -> String {
        #"{"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"\#(text)"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}"#
    }

    private static func openAI(_ name: String, _ text: String) -> String {
        #"{"id":"r","custom_id":"\#(name)","response":{"status_code":200,"request_id":"q","body":\#(completion(text))},"error":null}"#
    }

    private static func expired(_ name: String) -> String {
        #"{"custom_id":"\#(name)","response":null,"error":{"code":"batch_expired","message":"secret"}}"#
    }

    private static func refused(_ name: String) -> String {
        #"{"custom_id":"\#(name)","response":{"status_code":400,"body":{"error":{"code":"bad","message":"secret"}}},"error":null}"#
    }

    private static func anthropic(_ name: String, _ result: String) -> String {
        #"{"custom_id":"\#(name)","result":\#(result)}"#
    }

    private static let message =
        #"{"type":"succeeded","message":{"id":"m","type":"message","model":"claude-sonnet-5-5","content":[{"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"text","text":"Good "},{"type":"text","text":"day"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":4}}}"#

    // MARK: Providers

    private func openAI(_ server: ScriptedTransport, _ clock: JumpingClock, requests: Int = 1) throws -> (
        live: OpenAIChatProvider, batch: VendorBatchProvider
    ) {
        let service = OpenAIService(
            try ServiceAddress(OpenAIService.baseURL), transport: server,
            key: { () throws(AIServiceError) in try APIKey(OpenAIBench.key) }, catalog: .empty, date: { clock.date })
        let live = OpenAIChatProvider("openai", service: service, model: "m")
        let batch = live.batched(
            as: "openai.batch", reserve: 1800, rules: BatchBoard.Rules(maximumRequests: requests), clock: clock,
            taskExecutor: nil)
        return (live, batch)
    }

    private func anthropic(_ server: ScriptedTransport, _ clock: JumpingClock) throws -> VendorBatchProvider {
        let service = AnthropicService(
            address: try ServiceAddress(AnthropicService.defaultAddress), transport: server,
            key: { () throws(AIServiceError) in try APIKey("sk-ant-api03-0123456789abcdef") },
            catalog: AnthropicBench.catalog, date: { clock.date })
        return AnthropicMessagesProvider(service: service).batched(
            as: "anthropic.batch", reserve: 1800, rules: BatchBoard.Rules(maximumRequests: 1), clock: clock,
            taskExecutor: nil)
    }

    private static func request(_ text: String = "Hello", hours: Double = 24) -> AIRequest {
        AIRequest(prompt: .text(text), deadline: start.addingTimeInterval(hours * 3600))
    }

    // MARK: One request

    @Test func `OpenAI answers a request by a file, a batch and a file of results`() async throws {
        let server = Server { names in (names.map { Self.openAI($0, "Good day") }, []) }
        let transport = server.transport
        let request = Self.request()
        let answer = try await openAI(transport, JumpingClock()).batch.answering(request).result.get()
        #expect(answer.content == .text(Body("Good day")))
        #expect(answer.usage == Usage(inputTokens: 7, outputTokens: 3))
        #expect(
            transport.calls.map { "\($0.method) \($0.url.path)" } == [
                "POST /v1/files", "POST /v1/batches", "GET /v1/batches/batch_1", "GET /v1/batches/batch_1",
                "GET /v1/batches/batch_1", "GET /v1/files/out/content", "GET /v1/files/err/content",
            ])
        let upload = try #require(transport.calls.first).text
        #expect(upload.contains(#""custom_id":"\#(request.id.uuidString.lowercased())""#))
        #expect(upload.contains(#""method":"POST","url":"/v1/chat/completions","body":{"#))
        #expect(upload.contains(#""stream":false"#) && upload.contains("name=\"purpose\"\r\n\r\nbatch\r\n"))
        #expect(
            transport.calls[1].json
                == [
                    "input_file_id": "file_in", "endpoint": "/v1/chat/completions", "completion_window": "24h",
                ])
    }

    @Test func `A response of OpenAI's is answered by a batch, not in the background`() async throws {
        let body =
            #"{"id":"r","status":"completed","model":"m","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Good day"}]}],"usage":{"input_tokens":7,"output_tokens":3}}"#
        let server = Server { names in
            (
                names.map { #"{"custom_id":"\#($0)","response":{"status_code":200,"body":\#(body)},"error":null}"# }, []
            )
        }
        let transport = server.transport
        let clock = JumpingClock()
        let service = OpenAIService(
            try ServiceAddress(OpenAIService.baseURL), transport: transport,
            key: { () throws(AIServiceError) in try APIKey(OpenAIBench.key) }, catalog: .empty, date: { clock.date })
        let batch = OpenAIResponsesProvider("openai", service: service, model: "m").batched(
            as: "openai.batch", reserve: 1800, rules: BatchBoard.Rules(maximumRequests: 1), clock: clock,
            taskExecutor: nil)
        var request = Self.request()
        request.parameters["background"] = true
        let answer = try await batch.answering(request).result.get()
        #expect(answer.content == .text(Body("Good day")))
        let upload = try #require(transport.calls.first).text
        #expect(upload.contains(#""url":"/v1/responses","body":{"#) && !upload.contains(#""background""#))
        #expect(transport.calls[1].json?[member: "endpoint"] == "/v1/responses")
    }

    @Test func `Anthropic answers a request by a batch and its results`() async throws {
        let server = Server { names in (names.map { Self.anthropic($0, Self.message) }, []) }
        let transport = server.transport
        let answer = try await anthropic(transport, JumpingClock()).answering(Self.request()).result.get()
        #expect(answer.content == .text(Body("Good day")) && answer.metadata["finish_reason"] == "stop")
        #expect(answer.metadata["thinking"]?.contains("Hm.") == true)
        #expect(answer.usage == Usage(inputTokens: 9, outputTokens: 4))
        let params = transport.calls.first?.json?[member: "requests"]?[element: 0]?[member: "params"]
        #expect(params?[member: "max_tokens"] == 128_000 && params?[member: "stream"] == nil)
        #expect(transport.calls.map(\.url.path).last == "/v1/messages/batches/batch_1/results")
    }

    @Test(
        "An error line fails the request as a live call does",
        arguments: [
            (
                #"{"type":"errored","error":{"type":"error","error":{"type":"invalid_request_error","message":"Bad 'secret'"}}}"#,
                .invalidRequest
            ),
            (#"{"type":"errored","error":{"type":"error","error":{"type":"overloaded_error"}}}"#, .overloaded),
            (#"{"type":"expired"}"#, .batchExpired), (#"{"type":"canceled"}"#, .batchExpired),
            (#"{"type":"tomorrow"}"#, .invalidResponse), ("7", .invalidResponse),
            (#"{"type":"succeeded","message":{"content":7}}"#, .invalidResponse),
            (#"{"type":"succeeded","message":{"content":[]}}"#, .invalidResponse),
        ] as [(String, AIServiceError.Code)])
    func errorLines(result: String, code: AIServiceError.Code) async throws {
        let server = Server { names in (["rubbish", "[]"] + names.map { Self.anthropic($0, result) }, []) }
        let failure = await (try anthropic(server.transport, JumpingClock())).answering(Self.request("secret")).failure
        #expect(failure?.code == code, "\(String(describing: failure))")
        let said = "\(String(describing: failure)) \(failure?.cause ?? "")"
        #expect(!said.contains("secret"))
        #expect((failure?.cause?.hasSuffix("Bad '[prompt]'") == true) == (code == .invalidRequest))
    }

    @Test func `A line's error has the vendor's message, without the words of its own request`() async throws {
        let bodies = [
            #""response":null,"error":{"code":"bad","message":"Bad 'secret' and 'other'"}"#,
            #""response":{"status_code":400,"body":{"error":{"code":"bad","message":"Bad 'secret' and 'other'"}}},"error":null"#,
        ]
        for body in bodies {
            let server = Server { names in ([], names.map { #"{"custom_id":"\#($0)",\#(body)}"# }) }
            let failure = await (try openAI(server.transport, JumpingClock())).batch.answering(Self.request("secret"))
                .failure
            #expect(failure?.cause?.hasSuffix("bad: Bad '[prompt]' and 'other'") == true, "\(failure?.cause ?? "")")
        }
    }

    @Test func `A batch that is refused or fails has the vendor's message, without the words of its requests`()
        async throws
    {
        let refusing = ScriptedTransport { _ in
            .json(#"{"error":{"code":"bad","message":"Bad 'secret' with \#(OpenAIBench.key)"}}"#, status: 400)
        }
        let refused = await (try openAI(refusing, JumpingClock())).batch.answering(Self.request("secret")).failure
        #expect(refused?.cause?.hasSuffix("Bad '[prompt]' with [key]") == true, "\(refused?.cause ?? "")")
        let other = await (try anthropic(refusing, JumpingClock())).answering(Self.request("secret")).failure
        #expect(other?.cause?.hasSuffix("Bad '[prompt]' with [key]") == true, "\(other?.cause ?? "")")
    }

    @Test func `A failed look is made again later, and a refused key ends the wait`() async throws {
        let server = Server(
            look: { number in
                switch number {
                case 1: throw HTTPFailure(.unreachable, mayHaveArrived: false, cause: "refused")
                case 2: .json("{}", status: 503)
                default: nil
                }
            }, lines: { names in (names.map { Self.openAI($0, "Good day") }, []) })
        let answer = await (try openAI(server.transport, JumpingClock())).batch.answering(Self.request())
        #expect(answer.failure == nil && server.state.withLock { $0.looks } == 3)
        let locked = Server(look: { _ in .json("{}", status: 401) }, lines: { _ in ([], []) })
        let failure = await (try openAI(locked.transport, JumpingClock())).batch.answering(Self.request()).failure
        #expect(failure?.code == .unauthorized)
    }

    @Test func `A batch that fails as a whole, and one that is not known, fail its requests`() async throws {
        let failed = Server(
            look: { _ in
                .json(
                    #"{"status":"failed","errors":{"data":[{"code":"invalid_json_line","message":"Not JSON: 'secret'"}]}}"#
                )
            }, lines: { _ in ([], []) })
        let failure = await (try openAI(failed.transport, JumpingClock())).batch.answering(Self.request("secret"))
            .failure
        #expect(failure?.code == .providerFailed)
        #expect(failure?.cause == "invalid_json_line: Not JSON: '[prompt]'")
        let unknown = Server(look: { _ in .json("{}", status: 404) }, lines: { _ in ([], []) })
        let lost = await (try openAI(unknown.transport, JumpingClock())).batch.answering(Self.request()).failure
        #expect(lost?.code == .workLost && lost?.disposition == .outcomeUnknown)
        let silent = Server { _ in ([Self.openAI("stranger", "Hello")], []) }
        let missing = await (try openAI(silent.transport, JumpingClock())).batch.answering(Self.request()).failure
        #expect(missing?.code == .workLost)
    }

    // MARK: Deadlines

    @Test func `Without a deadline, or with one that is near, nothing is sent`() async throws {
        let server = Server { _ in ([], []) }
        let transport = server.transport
        for request in [AIRequest(prompt: "x"), Self.request(hours: 0.5), Self.request(hours: -1)] {
            let failure = await (try openAI(transport, JumpingClock())).batch.answering(request).failure
            #expect(failure?.code == .batchExpired && failure?.billing == nil)
        }
        #expect(transport.calls.isEmpty)
    }

    @Test func `A batch that lasts too long is left before the deadline, and cancelled`() async throws {
        let clock = JumpingClock()
        let server = Server(look: { _ in .json(#"{"status":"in_progress"}"#) }, lines: { _ in ([], []) })
        let failure = await (try openAI(server.transport, clock)).batch.answering(Self.request(hours: 2)).failure
        #expect(failure?.code == .batchExpired && failure?.billing == .maybeBilled && failure?.disposition == .fail)
        #expect(server.state.withLock { $0.isCancelled })
        #expect(clock.date >= Self.start.addingTimeInterval(5400))
        #expect(clock.date < Self.start.addingTimeInterval(5500))
    }

    @Test func `A deadline is a date or a time, and takes away what a batch does not have`() {
        let request = AIRequest(
            prompt: "x", model: "m", attemptTimeout: .seconds(60), streaming: StreamingPolicy(),
            fallback: [FallbackTarget("other")])
        let slack = request.deadline(.slack, orLive: "openai", from: Self.start)
        #expect(slack.deadline == Self.start.addingTimeInterval(86_400) && slack.id == request.id)
        #expect(slack.fallback == [FallbackTarget("openai", model: "m"), FallbackTarget("other")])
        #expect(slack.streaming == nil && slack.attemptTimeout == nil)
        #expect(
            request.deadline(.within(.seconds(7200)), orLive: "openai", from: Self.start).deadline
                == Self.start.addingTimeInterval(7200))
        let date = Self.start.addingTimeInterval(5)
        let other = request.deadline(.by(date), model: "n", orLive: "openai", from: Self.start)
        #expect(other.deadline == date && other.fallback.first == FallbackTarget("openai", model: "n"))
    }

    // MARK: Engines

    @Test func `Requests that have a day are answered by one batch, as the article shows`() async throws {
        let server = Server { names in (names.map { Self.openAI($0, "Good day") }, []) }
        let transport = server.transport
        var clock = JumpingClock()
        clock.start = Date()
        clock.mayGoOn = { server.state.withLock { $0.isCreated } }
        let (live, batch) = try openAI(transport, clock, requests: 2)
        try await run(InMemoryStore(), [live, batch]) { manager in
            for id in try await summarize(["one", "two"], with: manager) {
                let response = try await manager.execute(requestID: id)
                let text = try await response.text()
                #expect(text == "Good day" && response.providerID == "openai.batch")
            }
        }
        #expect(transport.calls.count { $0.url.path == "/v1/batches" } == 1)
        #expect(try makeProviders(live.service).ids.count == 2)
    }

    private func run(
        _ store: any RequestStore, _ providers: [any AIServiceProvider],
        _ body: @escaping @Sendable (AIRequestManager) async throws -> Void
    ) async throws {
        let manager = AIRequestManager(
            store: store, providers: try ProviderRegistry(providers),
            configuration: EngineConfiguration(
                retry: RetryPolicy(maximumAttempts: 1),
                prices: try PriceTable([
                    PriceEntry(
                        provider: "openai", model: "m", unit: .outputToken, microDollarsPerMillion: 2_000_000_000)
                ]).withBatchPrices()))
        try await EngineService.run(manager) { try await body(manager) }
    }

    @Test func `A batch that expires half done: the rest is called live, for the same requests, at the full price`()
        async throws
    {
        let server = Server { names in
            (
                [Self.openAI("00000000-0000-0000-0000-000000000000", "stranger"), Self.openAI(names[0], "Good day")],
                [Self.expired(names[1]), Self.refused(names[2])]
            )
        }
        let transport = server.transport
        var clock = JumpingClock()
        clock.mayGoOn = { server.state.withLock { $0.isCreated } }
        let (live, batch) = try openAI(transport, clock, requests: 3)
        try await run(InMemoryStore(), [live, batch]) { manager in
            let requests = (0..<3).map { number in
                AIRequest(prompt: .text("Hello \(number)")).deadline(
                    .by(Date().addingTimeInterval(1_000_000_000)), orLive: "openai")
            }
            for request in requests { try await manager.submit(request, to: "openai.batch") }
            var texts: [String] = []
            var codes: [AIServiceError.Code] = []
            var costs: [Int64?] = []
            for request in requests {
                do {
                    let response = try await manager.execute(requestID: request.id)
                    texts.append(try await response.text())
                    costs.append(response.usage.costMicroDollars)
                } catch let error as AIServiceError {
                    codes.append(error.code)
                }
            }
            #expect(texts.sorted() == ["Good day", "live"])
            // Three tokens at 2 and at 1 thousandth of a dollar.
            #expect(costs.compactMap(\.self).sorted() == [3000, 6000])
            #expect(codes == [.invalidRequest])
        }
        #expect(transport.calls.count { $0.url.path == "/v1/batches" } == 1)
        #expect(transport.calls.count { $0.url.path == "/v1/chat/completions" } == 1)
        #expect(!server.state.withLock { $0.isCancelled })
    }

    /// Returns a service whose batch ends, with an answer for each request, once a test says so.
    private static func server(endsWhen isOver: Locked<Bool>) -> Server {
        Server(
            look: { _ in
                isOver.withLock { $0 } ? .json(#"{"status":"completed","output_file_id":"out"}"#) : nil
            }, lines: { names in (names.map { openAI($0, "Good day") }, []) })
    }

    @Test func `After a restart the same batch is awaited, and nothing is sent again`() async throws {
        let store = InMemoryStore()
        let isOver = Locked(false)
        let server = Self.server(endsWhen: isOver)
        let transport = server.transport
        let request = AIRequest(prompt: "Hello", deadline: Date().addingTimeInterval(1_000_000_000))
        var held = JumpingClock()
        held.mayGoOn = { false }
        let first = try openAI(transport, held).batch
        try await run(store, [first]) { manager in
            try await manager.submit(request, to: "openai.batch")
            // The engine shuts down once the service has the batch; its id is stored even then.
            while !server.state.withLock({ $0.isCreated }) { await Task.yield() }
        }
        isOver.withLock { $0 = true }
        let second = try openAI(transport, JumpingClock()).batch
        try await run(store, [second]) { manager in
            let response = try await manager.execute(requestID: request.id)
            let text = try await response.text()
            #expect(text == "Good day")
        }
        #expect(transport.calls.count { $0.url.path == "/v1/batches" } == 1)
        #expect(!server.state.withLock { $0.isCancelled })
    }

    @Test func `A request that sleeps while another sends their batch finds it after a restart`() async throws {
        let store = InMemoryStore()
        let isOver = Locked(false)
        let server = Self.server(endsWhen: isOver)
        let transport = server.transport
        let requests = (1...2).map { number in
            AIRequest(prompt: .text("Hello \(number)"), deadline: Date().addingTimeInterval(1_000_000_000))
        }
        var held = JumpingClock()
        held.mayGoOn = { false }
        let first = try openAI(transport, held, requests: 2).batch
        try await run(store, [first]) { manager in
            for request in requests { try await manager.submit(request, to: "openai.batch") }
            // The second sends the batch of both. The first still sleeps when the engine shuts down.
            while !server.state.withLock({ $0.isCreated }) { await Task.yield() }
        }
        isOver.withLock { $0 = true }
        let second = try openAI(transport, JumpingClock(), requests: 1).batch
        try await run(store, [second]) { manager in
            for request in requests {
                let response = try await manager.execute(requestID: request.id)
                let text = try await response.text()
                #expect(text == "Good day")
            }
        }
        #expect(transport.calls.count { $0.url.path == "/v1/batches" } == 1)
    }

    @Test(
        "A handle is read as it was written, and any other form is refused",
        arguments: ["", "{}", "7", #"{"batch":""}"#])
    func handles(text: String) throws {
        let handle = BatchHandle(batch: "batch_1", name: "n")
        #expect(try BatchHandle(handle.data()) == handle)
        #expect(BatchHandle(Data(text.utf8)) == nil)
    }

    @Test func `Prices of batches are half of the live ones, unless the table has its own`() throws {
        let odd = PriceEntry(provider: "anthropic", model: "c", unit: .inputToken, microDollarsPerMillion: 75_001)
        let image = PriceEntry(provider: "openai", model: "i", unit: .call, microDollarsPerMillion: 4)
        let table = try PriceTable([odd, image]).withBatchPrices()
        #expect(table.entries.count == 3)
        #expect(table.entries.last?.provider == "anthropic-batch")
        #expect(table.entries.last?.microDollarsPerMillion == 37_501)
        #expect(table.withBatchPrices() == table)
    }
}
