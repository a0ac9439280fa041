import Foundation
import HTTPTypes
import Hablare
import HablareProviders
import HablareSupport
import HablareTestKit
import HablareTestServers
import Testing

@Suite struct ServiceClientTests {
    private typealias Gate = HablareTestServers.Gate
    private static let key = "sk-geheim-0123456789abcdef"
    private static let now = Date(timeIntervalSince1970: 1_000_000)

    /// A dialect that reports limits and records the refusals that it gets.
    private final class Dialect: ServiceDialect {
        let name = "Example"
        let fields: HTTPFields = [.accept: "*/*"]
        private let state = Locked<[ServiceRefusal]>([])

        var refusals: [ServiceRefusal] { state.withLock { $0 } }

        func failure(for refusal: ServiceRefusal) -> AIServiceError {
            state.withLock { $0.append(refusal) }
            return refusal.usualFailure(of: name, detail: refusal.json.map { "\($0)" })
        }

        func limits(in fields: HTTPFields, now: Date) -> ReportedLimits? {
            fields[HTTPField.Name("x-left") ?? .date].flatMap { Int($0) }.map {
                ReportedLimits(requests: .init(remaining: Double($0)))
            }
        }
    }

    /// A transport that records the calls and returns scripted answers.
    private final class Kept: HTTPTransport {
        private let state = Locked<[HTTPCall]>([])
        private let answer: @Sendable (HTTPCall) async throws -> HTTPAnswer

        init(_ answer: @escaping @Sendable (HTTPCall) async throws -> HTTPAnswer) { self.answer = answer }

        var calls: [HTTPCall] { state.withLock { $0 } }

        func send(_ call: HTTPCall) async throws -> HTTPAnswer {
            state.withLock { $0.append(call) }
            return try await answer(call)
        }
    }

    private func client(
        _ base: String = "https://api.example/v1", over transport: any HTTPTransport, dialect: Dialect = Dialect(),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws -> ServiceClient {
        ServiceClient(
            try ServiceAddress(base), dialect: dialect, transport: transport,
            key: { () throws(AIServiceError) in try APIKey(Self.key) }, date: { Self.now }, clock: clock)
    }

    private func failure(
        _ client: ServiceClient, _ request: ServiceRequest = .get(["x"])
    ) async throws -> AIServiceError {
        try await #require(throws: AIServiceError.self) { try await client.send(request).data() }
    }

    @Test func `A call has path, query, fields, key and body`() async throws {
        try await LoopbackServer.withServer { _ in
            try .json(200, ["a": 1], fields: [.date: "today"])
        } _: { server in
            try await withTransport { transport in
                let client = try client("\(server.base)/v1", over: transport)
                let request = try ServiceRequest.post(
                    ["speech", "a/b"], query: [("format", "mp3 44")], json: ["t": "x"], accepts: ["application/json"])
                let answer = try await client.send(request)
                #expect(answer.status == 200)
                #expect(answer.mediaType == "application/json")
                #expect(answer.fields[.date] == "today")
                #expect(answer.receivedAt == Self.now)
                let value = try await answer.json(ParameterValue.self)
                #expect(value == ["a": 1])
                let call = try await server.call(0).call
                #expect(call.method == .post)
                #expect(call.target == "/v1/speech/a%2Fb?format=mp3%2044")
                #expect(call.field("authorization") == "Bearer \(Self.key)")
                #expect(call.field("content-type") == "application/json")
                #expect(call.body == Data(#"{"t":"x"}"#.utf8))
            }
        }
    }

    @Test func `The key is looked up for each call, and is among its secrets only`() async throws {
        let keys = Locked(["first-key-0123456789", "other-key-0123456789"])
        let transport = Kept { _ in HTTPAnswer(status: 200) }
        let client = ServiceClient(
            try ServiceAddress("https://api.example"), dialect: Dialect(), transport: transport,
            key: { () throws(AIServiceError) in try APIKey(keys.withLock { $0.removeFirst() }) })
        for _ in 0..<2 { _ = try await client.send(.get(["x"], accepts: [])) }
        #expect(
            transport.calls.map { $0.secrets[.authorization] } == [
                "Bearer first-key-0123456789", "Bearer other-key-0123456789",
            ])
        for call in transport.calls { #expect(!"\(call.fields)\(call.url)\(call)".contains("-key-")) }
    }

    @Test func `Without a key nothing secret is sent, and a key that cannot be had sends nothing`() async throws {
        let transport = Kept { _ in HTTPAnswer(status: 200) }
        let address = try ServiceAddress("http://localhost:8080")
        let open = ServiceClient(address, dialect: Dialect(), transport: transport, key: { nil })
        _ = try await open.send(.get(["x"], accepts: []))
        #expect(transport.calls.first?.secrets == [:])
        let missing = ServiceClient(
            address, dialect: Dialect(), transport: transport,
            key: { () throws(AIServiceError) in throw AIServiceError(.unauthorized, "There is no key.") })
        let error = try await failure(missing)
        #expect(error.code == .unauthorized)
        #expect(transport.calls.count == 1)
    }

    @Test func `The attempt's time is how long the server may be silent`() async throws {
        let transport = Kept { _ in HTTPAnswer(status: 200) }
        let call = ProviderCall(request: AIRequest(prompt: "x"), timeout: .seconds(17))
        _ = try await client(over: transport).send(.get(["x"], accepts: []), for: call)
        _ = try await client(over: transport).send(.get(["x"], accepts: []))
        #expect(transport.calls.map(\.idleTimeout) == [.seconds(17), nil])
    }

    @Test func `What is taken is asked for, and nothing else is taken`() async throws {
        let transport = Kept { _ in HTTPAnswer(status: 200, fields: [.contentType: "text/html; charset=utf-8"]) }
        let client = try client(over: transport)
        let error = try await failure(client, .get(["x"], accepts: ["application/json", "audio"]))
        #expect(error.code == .invalidResponse)
        #expect(error.disposition == .fail)
        #expect(error.cause?.contains("text.html") == true)
        _ = try await client.send(.get(["x"], accepts: ["text"]))
        _ = try await client.send(.get(["x"], accepts: []))
    }

    @Test func `Limits are reported, in success and refusal alike`() async throws {
        let left = try #require(HTTPField.Name("x-left"))
        for status in [200, 429, 500] {
            let transport = Kept { _ in HTTPAnswer(status: status, fields: [left: "3"]) }
            let heard = Locked<[ReportedLimits]>([])
            let call = ProviderCall(
                request: AIRequest(prompt: "x"), limits: { new in heard.withLock { $0.append(new) } })
            do {
                _ = try await client(over: transport).send(.get(["x"], accepts: []), for: call)
            } catch {
                #expect(status != 200)
            }
            #expect(heard.withLock { $0 } == [ReportedLimits(requests: .init(remaining: 3))], "\(status)")
        }
    }

    @Test func `A key that a server says back is in no error`() async throws {
        let statuses = [200, 302, 400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 503, 529]
        try await LoopbackServer.withServer { call in
            let said = call.field("authorization") ?? "?"
            let status = Int(call.query("status") ?? "") ?? 200
            return try .json(
                status, ["error": ["message": .string("bad key \(said)"), "code": .string(said)]],
                fields: [.contentType: "application/\(Self.key)", .server: said])
        } _: { server in
            try await withTransport { transport in
                let client = try client(server.base, over: transport)
                for status in statuses {
                    let request = ServiceRequest.get(["x"], query: [("status", "\(status)")])
                    let error = try await failure(client, request)
                    var dumped = "\(error)"
                    dump(error, to: &dumped)
                    #expect(!dumped.contains("geheim"), "\(status): \(dumped)")
                    #expect(!dumped.contains("0123456789abcdef"), "\(status): \(dumped)")
                }
            }
        }
    }

    @Test func `A key that a server says back as its name of the call is not beside an answer`() async throws {
        let transport = Kept { call in
            HTTPAnswer(
                status: 200,
                fields: [
                    .contentType: "application/json",
                    .init("x-request-id"): "of \(call.secrets[.authorization] ?? "?")",
                ])
        }
        let answer = try await client(over: transport).send(.get(["x"]))
        let id = try #require(answer.requestID)
        #expect(id.hasPrefix("of Bearer") && !id.contains(Self.key), "\(id)")
    }

    @Test func `Of an error page of 10 MB the first 64 KiB are read`() async throws {
        let piece = ServerStep.piece(Data(repeating: UInt8(ascii: "x"), count: 100_000))
        try await LoopbackServer.withServer { _ in
            .pieces(Array(repeating: piece, count: 100), status: 500, type: "text/html")
        } _: { server in
            try await withTransport { transport in
                let dialect = Dialect()
                let client = try client(server.base, over: transport, dialect: dialect)
                let error = try await failure(client)
                #expect(error.code == .overloaded)
                #expect(dialect.refusals.map(\.body.count) == [ServiceRefusal.mostOfBody])
                let left = try await server.call(0).clientLeft()
                #expect(left, "the rest of the page was fetched")
            }
        }
    }

    @Test func `An error page that breaks off is still the refusal it is`() async throws {
        try await LoopbackServer.withServer { _ in
            .pieces([.piece(#"{"error":"#), .cut(.finish)], status: 401)
        } _: { server in
            try await withTransport { transport in
                let error = try await failure(client(server.base, over: transport))
                #expect(error.code == .unauthorized)
            }
        }
    }

    @Test func `An answer larger than is taken is refused`() async throws {
        try await LoopbackServer.withServer { _ in
            .bytes(200, Data(count: 2000))
        } _: { server in
            try await withTransport { transport in
                let client = try client(server.base, over: transport)
                func count(_ most: Int) async throws -> Int {
                    try await client.send(.get(["x"], accepts: [], maximumAnswerBytes: most)).data().count
                }
                let count = try await count(2000)
                #expect(count == 2000)
                let error = try await failure(client, .get(["x"], accepts: [], maximumAnswerBytes: 1999))
                #expect(error.code == .responseTooLarge)
                #expect(error.message.contains("1999"))
            }
        }
    }

    @Test func `JSON of another form is unreadable, and names the call`() async throws {
        struct Voice: Decodable { let name: String }
        let id = try #require(HTTPField.Name("x-request-id"))
        let transport = Kept { _ in
            HTTPAnswer(
                status: 200, fields: [.contentType: "application/json", id: "req_1"],
                body: HTTPPieces([Data(#"{"prompt": "geheim"}"#.utf8)]))
        }
        let client = try client(over: transport)
        let error = try await #require(throws: AIServiceError.self) {
            try await client.send(.get(["x"])).json(Voice.self)
        }
        #expect(error.code == .invalidResponse)
        #expect(error.cause?.contains("req_1") == true)
        #expect(!"\(error)".contains("geheim"))
    }

    @Test func `A stream of events is read up to its last one`() async throws {
        try await LoopbackServer.withServer { _ in
            .pieces([.piece("data: 1\n"), .piece("\nda"), .piece("ta: 2\n\ndata: 3\n\n"), .hang])
        } _: { server in
            try await withTransport { transport in
                let client = try client(server.base, over: transport)
                func read() async throws -> [String] {
                    var seen: [String] = []
                    let ended = try await client.send(.get(["x"], accepts: ["text/event-stream"])).forEachEvent {
                        event in
                        seen.append(String(decoding: event.data, as: UTF8.self))
                        return seen.last != "2"
                    }
                    #expect(ended)
                    return seen
                }
                let seen = try await read()
                #expect(seen == ["1", "2"])
                let left = try await server.call(0).clientLeft()
                #expect(left)
            }
        }
    }

    @Test func `A stream that breaks off is of unknown outcome`() async throws {
        try await LoopbackServer.withServer { _ in
            .pieces([.piece("data: 1\n\n"), .cut(.finish)])
        } _: { server in
            try await withTransport { transport in
                let client = try client(server.base, over: transport)
                for (request, disposition) in [
                    (ServiceRequest(.post, ["x"]), FailureDisposition.outcomeUnknown),
                    (.get(["x"], accepts: [], mayBeBilled: true), .outcomeUnknown),
                    (.get(["x"], accepts: []), .retry(after: nil)),
                ] {
                    let error = try await #require(throws: AIServiceError.self) {
                        try await client.send(request).forEachEvent { _ in true }
                    }
                    #expect(error.code == .connectionLost)
                    #expect(error.disposition == disposition)
                }
            }
        }
    }

    @Test func `A failure of the way says whether the call may have arrived and cost something`() async throws {
        struct Strange: Error {}
        let lost = HTTPFailure(.connectionLost, mayHaveArrived: true, cause: "gone")
        let unsent = HTTPFailure(.connectionLost, mayHaveArrived: false, cause: "gone")
        let rows: [(ServiceRequest, any Error, FailureDisposition)] = [
            (ServiceRequest(.post, ["x"]), lost, .outcomeUnknown),
            (ServiceRequest(.delete, ["x"]), lost, .outcomeUnknown),
            (ServiceRequest(.post, ["x"]), Strange(), .outcomeUnknown),
            (ServiceRequest(.post, ["x"]), unsent, .retry(after: nil)), (.get(["x"]), lost, .retry(after: nil)),
            (ServiceRequest(.head, ["x"]), lost, .retry(after: nil)), (.get(["x"]), Strange(), .retry(after: nil)),
            (.get(["x"], mayBeBilled: true), lost, .outcomeUnknown),
        ]
        for (request, reason, disposition) in rows {
            let error = try await failure(client(over: Kept { _ in throw reason }), request)
            #expect(error.code == .connectionLost)
            #expect(error.disposition == disposition, "\(request.method), \(reason)")
            #expect(error.billing == nil)
        }
    }

    @Test func `What is of no use may have cost something, unless it was free`() async throws {
        let transport = Kept { _ in
            HTTPAnswer(status: 200, fields: [.contentType: "text/html"], body: HTTPPieces([Data(count: 9)]))
        }
        let client = try client(over: transport)
        for (method, billing) in [(HTTPRequest.Method.post, FailureBilling.maybeBilled), (.get, nil)] {
            let page = try await failure(client, ServiceRequest(method, ["x"], accepts: ["application/json"]))
            #expect(page.code == .invalidResponse && page.billing == billing)
            let large = try await failure(client, ServiceRequest(method, ["x"], maximumAnswerBytes: 8))
            #expect(large.code == .responseTooLarge && large.billing == billing)
        }
    }

    @Test func `A call that was carried out and whose result is nowhere may have cost something`() async throws {
        let client = try client(over: Kept { call in HTTPAnswer(status: call.method == .put ? 302 : 303) })
        for (method, billing) in [(HTTPRequest.Method.post, FailureBilling.maybeBilled), (.get, nil), (.put, nil)] {
            let error = try await failure(client, ServiceRequest(method, ["x"]))
            #expect(error.code == .invalidConfiguration && error.billing == billing, "\(method)")
        }
    }

    @Test(arguments: [
        (503, AIServiceError.Code.overloaded, FailureDisposition.outcomeUnknown), (429, .rateLimited, .outcomeUnknown),
        (404, .invalidRequest, .fail), (401, .unauthorized, .needsUser),
    ])
    func `A refusal to give the result of a call that was carried out has it not made again`(
        status: Int, code: AIServiceError.Code, disposition: FailureDisposition
    ) async throws {
        try await LoopbackServer.withServer { call in
            call.path == "/result"
                ? .text(status, "no", fields: [.retryAfter: "3"]) : .head(303, fields: [.location: "/result"])
        } _: { server in
            try await withTransport { transport in
                let client = try client(server.base, over: transport)
                let made = try await failure(client, ServiceRequest(.post, ["x"], body: .bytes(Data("b".utf8))))
                #expect(made.code == code && made.disposition == disposition && made.billing == .maybeBilled)
                // A free call is retried like any other.
                for request in [ServiceRequest.get(["x"]), ServiceRequest(.post, ["x"], mayBeBilled: false)] {
                    let asked = try await failure(client, request)
                    let isAgain = disposition == .outcomeUnknown
                    #expect(asked.code == code && asked.billing == nil)
                    #expect(asked.disposition == (isAgain ? .retry(after: .seconds(3)) : disposition))
                }
            }
        }
    }

    // MARK: Refusals whose body stalls

    /// Returns the error for a refusal whose body starts and then stalls, after an event.
    private func refusal(
        with clock: ManualClock, when happens: (inout ThrowingTaskGroup<ServiceAnswer, any Error>) async throws -> Void
    ) async throws -> (error: AIServiceError, heard: [Data]) {
        let isAsked = Gate()
        let dialect = Dialect()
        let error = try await LoopbackServer.withServer { _ in
            .pieces(
                [.piece("beg"), .open(isAsked), .hang], status: 429, type: "application/json",
                fields: [.retryAfter: "5"])
        } _: { server in
            try await withTransport { transport in
                let client = try client(server.base, over: transport, dialect: dialect, clock: clock)
                return try await withThrowingTaskGroup(of: ServiceAnswer.self) { group in
                    group.addTask { try await client.send(ServiceRequest(.post, ["x"])) }
                    try await isAsked.wait()
                    await clock.sleepers(reach: 1)
                    try await happens(&group)
                    let error = try await #require(throws: AIServiceError.self) { try await group.next() }
                    let left = try await server.call(0).clientLeft()
                    #expect(left)
                    return error
                }
            }
        }
        return (error, dialect.refusals.map(\.body))
    }

    @Test(.timeLimit(.minutes(5)))
    func `A refusal whose body stalls is what it is after a few seconds`() async throws {
        let clock = ManualClock()
        let (error, heard) = try await refusal(with: clock) { _ in clock.advance(by: ServiceRefusal.longestBody) }
        #expect(error.code == .rateLimited)
        #expect(error.disposition == .retry(after: .seconds(5)))
        #expect(heard.count == 1 && Data("beg".utf8).starts(with: heard[0]))
    }

    @Test(.timeLimit(.minutes(5)))
    func `Who is cancelled while a refusal comes is cancelled, and not refused`() async throws {
        let (error, heard) = try await refusal(with: ManualClock()) { $0.cancelAll() }
        #expect(error.code == .cancelled)
        #expect(heard.isEmpty)
    }

    @Test func `A cancelled call is cancelled, in its head and in its body`() async throws {
        let isRead = Gate()
        try await LoopbackServer.withServer { call in
            call.path == "/head" ? .silence : .pieces([.piece("data: 1\n\n"), .hang])
        } _: { server in
            try await withTransport { transport in
                let client = try client(server.base, over: transport)
                for (number, path) in ["head", "body"].enumerated() {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask {
                            _ = try await client.send(.get([path], accepts: [])).forEachEvent { _ in
                                isRead.open()
                                return true
                            }
                        }
                        let record = try await server.call(number)
                        if path == "body" { try await isRead.wait() }
                        group.cancelAll()
                        let error = try await #require(throws: AIServiceError.self) { try await group.next() }
                        #expect(error.code == .cancelled)
                        let left = try await record.clientLeft()
                        #expect(left)
                    }
                }
            }
        }
    }

    @Test func `An error of a transport's own making is not shown`() async throws {
        struct Strange: Error { let text = "geheim" }
        let error = try await failure(client(over: Kept { _ in throw Strange() }))
        #expect(error.code == .connectionLost)
        #expect(error.cause == "Strange")
    }
}
