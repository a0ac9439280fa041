import Hablare

/// A failure that real providers report. Each row corresponds to an error in the documentation of a service, in the
/// form in which a provider reports it to the engine.
struct ProviderFailure: Sendable {
    let code: AIServiceError.Code
    let category: AIServiceError.Category
    let disposition: FailureDisposition
    /// Whether the provider may have billed a call with this failure.
    let mayBeBilled: Bool

    func error(call: Int32) -> AIServiceError {
        AIServiceError(code, "It failed.", category: category, disposition: disposition, cause: "\(call)")
    }

    private init(
        _ code: String, _ category: AIServiceError.Category = .provider, _ disposition: FailureDisposition,
        mayBeBilled: Bool = false
    ) {
        self.code = AIServiceError.Code(rawValue: code)
        self.category = category
        self.disposition = disposition
        self.mayBeBilled = mayBeBilled
    }

    /// Whether the failure asks for a pause that is longer than any simulated history.
    var isAbsurd: Bool { retryAfter.map { $0 > .seconds(3600) } ?? false }

    /// The minimum wait before the next attempt.
    var retryAfter: Duration? {
        if case .retry(let after) = disposition { after } else { nil }
    }

    /// Returns the number of a row that is a network failure.
    static func ofNetwork(_ number: Int32) -> Int32 {
        let network = rows.indices.filter { rows[$0].category == .network }
        return Int32(network[Int(number) % network.count])
    }

    /// The numbers of the rows after which another attempt may succeed, except the rows with extremely long pauses.
    static let retryable = rows.indices.filter { row in
        if case .retry = rows[row].disposition { !rows[row].isAbsurd } else { false }
    }.map { Int32($0) }

    /// The failures of OpenAI, Anthropic and ElevenLabs, and of the network.
    static let rows: [ProviderFailure] = [
        ProviderFailure("rate-limit-exceeded", .provider, .retry(after: .seconds(2))),
        ProviderFailure("slow-down", .provider, .retry(after: nil)),
        ProviderFailure("server-error-500", .provider, .retry(after: nil)),
        ProviderFailure("bad-gateway-502", .provider, .retry(after: nil)),
        ProviderFailure("server-overloaded-503", .provider, .retry(after: .milliseconds(700))),
        ProviderFailure("overloaded-529", .provider, .retry(after: nil)),
        ProviderFailure("request-timeout-408", .provider, .retry(after: nil)),
        ProviderFailure("conflict-409", .provider, .retry(after: nil)),
        ProviderFailure("gateway-timeout-504", .network, .outcomeUnknown, mayBeBilled: true),
        ProviderFailure("overloaded-in-stream", .provider, .outcomeUnknown, mayBeBilled: true),
        ProviderFailure("connection-lost", .network, .outcomeUnknown, mayBeBilled: true),
        ProviderFailure("connection-refused", .network, .retry(after: nil)),
        ProviderFailure("too-many-concurrent-requests", .provider, .retry(after: nil)),
        ProviderFailure("system-busy", .provider, .retry(after: nil)),
        ProviderFailure("insufficient-quota", .provider, .needsUser),
        ProviderFailure("spend-limit-exceeded", .provider, .needsUser),
        ProviderFailure("quota-exceeded-401", .provider, .needsUser),
        ProviderFailure("invalid-api-key-401", .configuration, .needsUser),
        ProviderFailure("payment-required-402", .provider, .needsUser),
        ProviderFailure("forbidden-403", .configuration, .needsUser),
        ProviderFailure("bad-request-400", .data, .fail),
        ProviderFailure("not-found-404", .data, .fail),
        ProviderFailure("too-large-413", .data, .fail),
        ProviderFailure("unprocessable-422", .data, .fail),
        ProviderFailure("max-character-limit-exceeded", .data, .fail),
        ProviderFailure("voice-not-found", .data, .fail),
        ProviderFailure("rate-limited", .provider, .retry(after: .seconds(3))),
        ProviderFailure("rate-limited", .provider, .retry(after: nil)),
        ProviderFailure("overloaded", .provider, .retry(after: .seconds(1))),
        ProviderFailure("come-back-in-ten-years", .provider, .retry(after: .seconds(315_360_000))),
        ProviderFailure("came-back-too-late", .provider, .retry(after: .seconds(-3))),
        ProviderFailure(AIServiceError.Code.invalidRequest.rawValue, .data, .fail),
    ]

    /// The number of the row after which no other provider is called, because the request itself is invalid. Only
    /// requests with fallback providers use it.
    static let invalidRequest = Int32(rows.count - 1)
}
