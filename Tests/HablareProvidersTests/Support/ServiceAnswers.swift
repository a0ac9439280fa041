import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import HablareProviders
import HablareSupport

/// A service's answers for tests.
extension HTTPAnswer {
    /// Returns an answer of a media type.
    static func of(
        _ type: String, _ body: Data, status: Int = 200, fields: [String: String] = [:]
    ) -> HTTPAnswer {
        HTTPAnswer(status: status, fields: HTTPFields(naming: fields, type: type), body: HTTPPieces([body]))
    }

    /// Returns a JSON answer.
    static func json(_ text: String, status: Int = 200, fields: [String: String] = [:]) -> HTTPAnswer {
        .of("application/json; charset=utf-8", Data(text.utf8), status: status, fields: fields)
    }

    /// Returns a stream of events, split in two pieces at a cut.
    static func events(_ text: String, cutAt cut: Int? = nil, fields: [String: String] = [:]) -> HTTPAnswer {
        let bytes = Data(text.utf8)
        let pieces = cut.map { [bytes.prefix($0), bytes.dropFirst($0)] } ?? [bytes]
        return HTTPAnswer(
            status: 200, fields: HTTPFields(naming: fields, type: "text/event-stream"), body: HTTPPieces(pieces))
    }
}

extension HTTPFields {
    init(naming fields: [String: String], type: String? = nil) {
        self.init()
        for (name, value) in fields { self[named: name] = value }
        if let type { self[.contentType] = type }
    }
}

extension HTTPCall {
    /// The body as text.
    var text: String {
        switch body {
        case .none: ""
        case .bytes(let data): String(decoding: data, as: UTF8.self)
        case .pieces(let bodies):
            bodies.reduce(into: "") { text, body in
                if case .inline(let data) = body.storage { text += String(decoding: data, as: UTF8.self) }
            }
        }
    }

    /// The body as a value.
    var json: ParameterValue? { ParameterValue(json: Data(text.utf8)) }
}

/// The bytes that a provider yields.
final class YieldedBytes: Sendable {
    private let bytes = Locked(Data())

    var data: Data { bytes.withLock { $0 } }
    var text: String { String(decoding: data, as: UTF8.self) }
    func take(_ piece: Data) { bytes.withLock { $0.append(piece) } }
}

/// The outcome of a call made without an engine.
struct CallResult: Sendable {
    let result: Result<ProviderAnswer, AIServiceError>
    let yielded: Data
    let limits: ReportedLimits?

    var text: String { String(decoding: yielded, as: UTF8.self) }
    var failure: AIServiceError? { if case .failure(let error) = result { error } else { nil } }
    var metadata: [String: String] {
        get throws { try result.get().metadata }
    }
}

extension AIServiceProvider {
    /// Calls the provider without an engine.
    func answering(_ request: AIRequest) async -> CallResult {
        let yielded = YieldedBytes()
        let limits = Locked<ReportedLimits?>(nil)
        let result = await generate(
            ProviderCall(
                request: request, limits: { reported in limits.withLock { $0 = reported } },
                chunks: { yielded.take($0) }))
        return CallResult(result: result, yielded: yielded.data, limits: limits.withLock { $0 })
    }
}

extension InternetDate {
    /// Returns a date that a test knows to be valid.
    static func known(_ text: String) -> Date { date(text) ?? .distantPast }
}
