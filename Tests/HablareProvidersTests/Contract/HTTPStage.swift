import Foundation
import HTTPTypes
import Hablare
import HablareProviders
import HablareTestKit
import HablareTestServers

/// A stage for a provider that calls a service over HTTP: a real server on loopback plays recorded answers.
struct HTTPStage: ProviderStage {
    /// A recorded answer, without its head.
    struct Recording: Sendable {
        var type: String
        var body: Data
        /// Whether it is sent in chunks, like a stream, or with its length.
        var isChunked = true
        /// The index in the body at which ``ServicePlay/pauses`` pauses. Default: the middle.
        var pause: Int?

        static func json(_ text: String) -> Recording {
            Recording(type: "application/json", body: Data(text.utf8), isChunked: false)
        }

        static func events(_ text: String, pause: Int? = nil) -> Recording {
            Recording(type: "text/event-stream", body: Data(text.utf8), pause: pause)
        }

        func reply(_ body: Data? = nil, fields: HTTPFields = [:]) -> ServerReply {
            let body = body ?? self.body
            return isChunked
                ? .pieces([.piece(body)], type: type, fields: fields) : .bytes(200, body, type: type, fields: fields)
        }
    }

    /// A refused reply, and the provider's expected error.
    struct Refusal: Sendable {
        let row: ProviderFailureRow
        /// The reply, created from the text that it may echo.
        let reply: @Sendable (_ said: String) -> ServerReply
    }

    static let key = "sk-contract-0123456789abcdef"
    static let otherKey = "sk-contract-fedcba9876543210"

    let name: String
    let responseType: ContentType
    var modes = ProviderMode.allCases
    var yieldingModes: [ProviderMode] = []
    var parameters: [String: ParameterValue] = [:]
    let usage: Usage
    var limits: ReportedLimits?
    /// The fields of ``limits``, and of other sources of the usage.
    var fields: HTTPFields = [:]
    var mostGathered = 64 << 20
    /// The ways in which the service shows that it is at work before it has any part of an answer.
    var signs: [String] = []
    /// The plays that the service does not support. Without ``signs`` it never shows that it is at work.
    var without: Set<ServicePlay> = []
    /// Whether to cut the head, too, at each of its bytes. All providers share the head's code, so one stage is enough.
    var cutsHead = false
    let keys = [HTTPStage.key, HTTPStage.otherKey]

    /// Creates the provider from base URL, transport, key and model.
    let make: @Sendable (ServiceAddress, any HTTPTransport, APIKey, String) -> any AIServiceProvider
    let answer: @Sendable (Int) -> ResponseContent
    let recording: @Sendable (Int, ProviderMode) -> Recording
    /// Returns the mode in which a call asks.
    var mode: @Sendable (ReceivedCall) -> ProviderMode = { _ in .whole }
    /// The data that repeats after the beginning of an endless answer.
    let more: @Sendable (ProviderMode) -> Data
    var endless: @Sendable (Int, ProviderMode) -> Data = { _, _ in Data() }
    /// Whether an answer that ends early can be distinguished from a complete one.
    var seesEarlyEnd: @Sendable (ProviderMode) -> Bool = { _ in true }
    let refusals: [Refusal]
    /// Replies that are not valid answers, by status, media type and body.
    let mistakes: [(status: Int, type: String, body: String)]
    /// The service's own ways to echo a text, beside the usual ones.
    var ownRepetitions: [@Sendable (_ said: String) -> ServerReply] = []

    var plays: Set<ServicePlay> {
        Set(ServicePlay.allCases).subtracting(without).subtracting(signs.isEmpty ? [.thinks] : [])
    }
    var signCount: Int { signs.count }

    func content(for number: Int) -> ResponseContent { answer(number) }

    func request(_ prompt: String, _ mode: ProviderMode) -> AIRequest {
        AIRequest(
            prompt: .text(prompt), parameters: parameters, streaming: mode == .streamed ? StreamingPolicy() : nil)
    }

    func byteCount(of play: ServicePlay, _ mode: ProviderMode) -> Int {
        let recording = recording(0, mode)
        // An answer that is equal in both modes is cut in only one.
        if mode != modes.last, let last = modes.last, self.recording(0, last).body == recording.body { return 0 }
        guard play == .endsEarly else { return recording.reply().wire.count - firstCut(of: recording.reply()) }
        return seesEarlyEnd(mode) ? recording.body.count : 0
    }

    /// Returns the index of the first cut on the wire: before the head, or before its last byte.
    private func firstCut(of reply: ServerReply) -> Int {
        guard !cutsHead else { return 0 }
        return reply.wire.firstRange(of: Data("\r\n\r\n".utf8)).map { $0.upperBound - 1 } ?? 0
    }

    var failures: [ProviderFailureRow] { refusals.map(\.row) }
    var flood: ProviderFailureRow { ProviderFailureRow("503 and a page of 10 MB", .overloaded) }
    var mistakeCount: Int { mistakes.count }
    var repetitionCount: Int { Self.repetitions.count + ownRepetitions.count }

    func provider(changing change: ProviderChange?) throws -> (any AIServiceProvider)? {
        let nowhere = ScriptedTransport { _ in HTTPAnswer(status: 500) }
        return make(
            try ServiceAddress("http://127.0.0.1:\(change == .address ? 10 : 9)/v1"), nowhere,
            try APIKey(change == .key ? Self.otherKey : Self.key), change == .model ? "model-b" : "model-a")
    }

    func withScene<R: Sendable>(
        _ play: ServicePlay, _ body: @escaping @Sendable (any ProviderScene) async throws -> R
    ) async throws -> R {
        let prompts = HTTPScene.Marks()
        return try await LoopbackServer.withServer { call in
            reply(play, to: call, prompts)
        } _: { server in
            try await withTransport { transport in
                let provider = make(
                    try ServiceAddress("\(server.base)/v1"), transport, try APIKey(Self.key), "model-a")
                return try await body(
                    HTTPScene(provider: provider, server: server, transport: transport, marks: prompts))
            }
        }
    }
}

extension HTTPStage {
    private func reply(_ play: ServicePlay, to call: ReceivedCall, _ marks: HTTPScene.Marks) -> ServerReply {
        let number = ProviderContract.number(in: String(decoding: call.body, as: UTF8.self)) ?? 0
        let mode = mode(call)
        let good = recording(number, mode)
        switch play {
        case .answers: return good.reply(fields: fields)
        case .drips: return .pieces([.drip(good.body, every: .microseconds(50))], type: good.type, fields: fields)
        case .breaksOff:
            // Usually an orderly end, and sometimes a reset, which may discard earlier bytes.
            let reply = good.reply()
            let address = number + firstCut(of: reply)
            return address < reply.wire.count
                ? reply.cut(after: address, by: number % 8 == 7 ? .reset : .finish) : reply
        case .endsEarly: return good.reply(good.body.prefix(number))
        case .pauses:
            let beginning = good.body.prefix(good.pause ?? good.body.count / 2)
            return .pieces([.piece(beginning), .open(marks.pause(of: call.number)), .hang], type: good.type)
        case .thinks: return .pieces(signs.map { .piece(Data($0.utf8)) } + [.hang], type: "text/event-stream")
        case .isSilent: return .silence
        case .neverEnds: return endless(call.number, mode, good.type, marks)
        case .refuses:
            guard refusals.indices.contains(number) else { return .head(599) }
            var reply = refusals[number].reply(said(by: call))
            for field in fields where reply.fields[field.name] == nil { reply.fields.append(field) }
            return reply
        case .floods:
            let piece = ServerStep.piece(Data(repeating: UInt8(ascii: "x"), count: 100_000))
            return .pieces(Array(repeating: piece, count: 100), status: 503, type: "text/html")
        case .mistakes:
            guard mistakes.indices.contains(number) else { return .head(599) }
            let mistake = mistakes[number]
            return .text(mistake.status, mistake.body, type: mistake.type)
        case .repeats:
            let usual = Self.repetitions.count
            if number < usual { return Self.repetitions[number](said(by: call), good) }
            return ownRepetitions[number - usual](said(by: call))
        }
    }

    /// Returns the confidential text of a call.
    private func said(by call: ReceivedCall) -> String {
        let number = ProviderContract.number(in: String(decoding: call.body, as: UTF8.self)) ?? 0
        return "\(Self.key) \(ProviderContract.prompt(number))"
    }

    private func endless(
        _ call: Int, _ mode: ProviderMode, _ type: String, _ marks: HTTPScene.Marks
    ) -> ServerReply {
        let more = more(mode)
        var steps = [ServerStep.piece(endless(call, mode))]
        var sent = 0
        // More than the rule allows.
        while sent < mostGathered + (24 << 20) {
            let mark = HablareTestServers.Gate()
            marks.add(mark, of: more.count, for: call)
            steps += [.piece(more), .open(mark)]
            sent += more.count
        }
        return .pieces(steps + [.hang], type: type)
    }

    /// The usual ways to echo a text.
    private static let repetitions: [@Sendable (_ said: String, Recording) -> ServerReply] = [
        { said, _ in .text(400, said) },
        { said, _ in .text(500, "<html>\(said)</html>", type: "text/html") },
        { said, _ in .text(401, quoted(said), type: "application/json", fields: [.init("x-request-id"): key]) },
        { said, _ in
            .text(
                429, quoted(said), type: "application/json",
                fields: [.init("request-id"): key, .init("retry-after"): key])
        },
        { said, _ in .text(200, said, type: key) },
        { said, _ in .text(200, said, type: "application/\(key)") },
        { said, _ in .text(200, quoted(said), type: "application/json", fields: [.init("x-request-id"): key]) },
        { said, good in .text(200, said, type: good.type, fields: [.init("request-id"): key]) },
        { _, good in good.reply(fields: [.init("x-request-id"): "req-\(key)", .init("request-id"): key.uppercased()]) },
        { _, _ in .head(302, fields: [.location: "ftp://\(key)/"]) },
        { said, _ in .raw([.piece("\(said)\r\n\r\n")]) },
        { said, _ in .raw([.piece("HTTP/1.1 200 OK\r\n\(said)\r\n\r\n")]) },
        { said, _ in .text(418, said, type: "application/json") },
    ]

    /// Returns an error body with the text in every member that may be read as a code.
    static func quoted(_ said: String) -> String {
        #"{"error":{"message":"\#(said)","type":"\#(said)","code":"\#(key)","param":"\#(key)"},"detail":{"status":"\#(key)","code":"\#(said)","message":"\#(said)"},"message":"\#(said)","type":"\#(key)"}"#
    }
}

extension HTTPField.Name {
    /// Creates a name that a test knows to be valid.
    init(_ known: StaticString) { self = Self("\(known)") ?? .accept }
}
