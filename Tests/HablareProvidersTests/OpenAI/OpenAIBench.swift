import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import HablareSupport
import Testing

@testable import HablareProviders

/// A service with scripted answers, and one call of one of its providers.
struct OpenAIBench: Sendable {
    /// The outcome of a call.
    struct Outcome: Sendable {
        var result: Result<ProviderAnswer, AIServiceError>
        /// The yielded pieces, without the empty ones.
        var pieces: [Data]
        var limits: ReportedLimits?
        var calls: [HTTPCall]

        var text: String { String(decoding: Data(pieces.joined()), as: UTF8.self) }
        var error: AIServiceError? { if case .failure(let error) = result { error } else { nil } }
    }

    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let key = "sk-test-0123456789abcdef"

    var baseURL = OpenAIService.baseURL
    var compatibility: OpenAICompatibility?
    var isCharged: Bool?
    /// Without models, so that the tests do not depend on the list that ships.
    var catalog = ModelCatalog.empty

    func service(_ transport: any HTTPTransport) throws -> OpenAIService {
        OpenAIService(
            try ServiceAddress(baseURL), transport: transport,
            key: { () throws(AIServiceError) in try APIKey(Self.key) },
            compatibility: compatibility, isCharged: isCharged, catalog: catalog, date: { Self.now })
    }

    /// Calls a provider once.
    func call(
        _ request: AIRequest, answering answer: @escaping @Sendable (HTTPCall) async throws -> HTTPAnswer,
        _ provider: (OpenAIService) -> any AIServiceProvider
    ) async throws -> Outcome {
        let transport = ScriptedTransport(answer)
        let pieces = Locked<[Data]>([])
        let limits = Locked<ReportedLimits?>(nil)
        let call = ProviderCall(
            request: request, limits: { reported in limits.withLock { $0 = reported } },
            chunks: { piece in if !piece.isEmpty { pieces.withLock { $0.append(piece) } } })
        let result = await provider(try service(transport)).generate(call)
        return Outcome(
            result: result, pieces: pieces.withLock { $0 }, limits: limits.withLock { $0 }, calls: transport.calls)
    }

    static func chat(_ form: AnswerForm = .text) -> (OpenAIService) -> any AIServiceProvider {
        { OpenAIChatProvider("openai", service: $0, model: "gpt-4.1-mini", form: form) }
    }

    static func responses(_ form: AnswerForm = .text) -> (OpenAIService) -> any AIServiceProvider {
        { OpenAIResponsesProvider("openai", service: $0, model: "gpt-4.1-mini", form: form) }
    }

    // MARK: Answers

    static func json(_ text: String, status: Int = 200, _ fields: HTTPFields = [:]) -> HTTPAnswer {
        answer(Data(text.utf8), "application/json", status: status, fields)
    }

    static func answer(_ body: Data, _ type: String, status: Int = 200, _ fields: HTTPFields = [:]) -> HTTPAnswer {
        var all = fields
        all[.contentType] = type
        return HTTPAnswer(status: status, fields: all, body: HTTPPieces([body]))
    }

    /// Returns a stream of events, in pieces of this size, cut after this many bytes.
    static func stream(_ text: String, pieces size: Int = .max, cutAfter cut: Int = .max) -> HTTPAnswer {
        var rest = Data(text.utf8).prefix(cut)
        var pieces: [Data] = []
        while !rest.isEmpty {
            pieces.append(Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return HTTPAnswer(
            status: 200, fields: [.contentType: "text/event-stream; charset=utf-8"], body: HTTPPieces(pieces))
    }

    /// Returns the data lines of a stream.
    static func events(_ data: [String]) -> String { data.map { "data: \($0)\n\n" }.joined() }
}

extension ParameterValue {
    /// Parses JSON that a test contains.
    static func literal(_ text: String) throws -> ParameterValue { try #require(ParameterValue(json: Data(text.utf8))) }
}
