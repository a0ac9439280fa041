public import Foundation
public import HTTPTypes
public import Hablare
import HablareJSON

/// The rules of ElevenLabs' API for authentication (`xi-api-key`), the three forms of its errors, and its concurrency
/// limit.
///
/// An error's code takes precedence over its status:
///
/// | code | result |
/// |---|---|
/// | `quota_exceeded`, `insufficient_credits`, `payment_required` and similar codes | needs the user: add credit |
/// | `invalid_api_key`, `missing_api_key`, `needs_authorization` | needs the user: correct the key |
/// | `missing_permissions`, `detected_unusual_activity`, features outside the plan | needs the user: key or plan |
/// | `too_many_concurrent_requests`, `concurrent_limit_exceeded` | retried when other calls have ended |
/// | `system_busy`, `rate_limit_exceeded` | retried after a backoff |
/// | `max_character_limit_exceeded`, `text_too_long` | fails, because the text is too long |
/// | `voice_not_found`, `model_not_found` | fails, because the name is unknown |
/// | any other code | the failure that ``ServiceRefusal/usualFailure(of:detail:)`` defines |
/// | a temporary error in a stream after some sound | outcome unknown; the sound may be billed |
/// | a permanent error in a stream after some sound | the failure for the error's code; the sound may be billed |
public struct ElevenLabsDialect: ServiceDialect {
    /// The errors for the codes. An earlier row takes precedence over a later row.
    private static let table: [(codes: Set<String>, code: AIServiceError.Code, message: String)] = [
        (
            [
                "quota_exceeded", "insufficient_credits", "insufficient_quota", "payment_required", "payment_issue",
                "credit_limit_exceeded",
            ], .quotaExceeded, "The account at ElevenLabs has too few credits left. Add credits, then retry."
        ),
        (
            [
                "invalid_api_key", "missing_api_key", "needs_authorization", "api_key_not_found", "api_key_disabled",
            ], .unauthorized, "ElevenLabs does not accept the key. Check the key, or set another key."
        ),
        (
            [
                "missing_permissions", "insufficient_permissions", "detected_unusual_activity", "only_for_creator+",
                "only_for_creator", "subscription_required", "feature_not_available", "output_format_not_allowed",
            ], .unauthorized,
            "ElevenLabs does not allow this call with the key or the plan. Check the permissions of the key, and what the plan includes."
        ),
        (
            ["too_many_concurrent_requests", "concurrent_limit_exceeded"], .rateLimited,
            """
            The plan's limit of simultaneous calls at ElevenLabs is reached. The call is retried when other calls have \
            ended.
            """
        ),
        (["system_busy"], .overloaded, "ElevenLabs is overloaded at the moment."),
        (["rate_limit_exceeded"], .rateLimited, "ElevenLabs asks for fewer calls."),
        (
            ["max_character_limit_exceeded", "text_too_long"], .invalidRequest,
            "The text is longer than ElevenLabs accepts for this model and plan in one call. Split it."
        ),
        (
            ["voice_not_found", "model_not_found", "voice_does_not_exist"], .invalidRequest,
            "ElevenLabs does not know the voice or the model. Check the list of voices."
        ),
    ]

    /// Creates the dialect.
    public init() {}

    /// `ElevenLabs`.
    public var name: String { "ElevenLabs" }

    /// Returns the key in the field `xi-api-key`.
    public func secrets(for key: APIKey) -> HTTPFields {
        var fields = HTTPFields()
        fields[named: "xi-api-key"] = key.secret
        return fields
    }

    /// Returns the field `request-id`.
    public func requestID(in fields: HTTPFields) -> String? { fields[named: "request-id"] }

    /// Returns the maximum number of concurrent calls. The service does not limit the number of calls per minute.
    public func limits(in fields: HTTPFields, now: Date) -> ReportedLimits? {
        guard let text = fields[named: "maximum-concurrent-requests"],
            let most = Int(text.trimmingCharacters(in: .whitespaces)), most > 0
        else { return nil }
        return ReportedLimits(concurrency: most)
    }

    /// Returns the cost of a call in credits; `nil` if the answer does not report the cost. With the best models, a
    /// character costs one credit.
    public func credits(in fields: HTTPFields) -> Int64? {
        let amounts = ["character-cost", "x-character-count"].compactMap { fields.amount(named: $0) }
        return amounts.first { $0 < 1e15 }.map { Int64($0.rounded(.up)) }
    }

    /// Returns the error for a refusal.
    public func failure(for refusal: ServiceRefusal) -> AIServiceError {
        let codes = Self.codes(of: refusal.json)
        for row in Self.table where codes.contains(where: row.codes.contains) {
            let isAgain = [.rateLimited, .overloaded].contains(row.code)
            return refusal.failure(
                row.code, row.message, isAgain ? .retry(after: refusal.retryAfter) : nil, saying: Array(codes.prefix(2))
            )
        }
        return refusal.usualFailure(of: name, detail: codes.first)
    }

    /// Returns the error for an error object in a stream. The HTTP status of the stream reported success, so the object
    /// decides. The object has the form of a refusal's body.
    ///
    /// - Parameters:
    ///   - said: The error, as JSON.
    ///   - hasBegun: Whether sound arrived before the error. The service may bill that sound.
    ///   - fields: The fields of the answer's head.
    ///   - now: The time at which the error arrived.
    func failure(inStream said: Data, hasBegun: Bool, fields: HTTPFields, now: Date) -> AIServiceError {
        let detail = ParameterValue(lenientJSON: said)?[member: "detail"]
        // A list describes errors in the request's body.
        let isOfBody = detail?.elements.isEmpty == false
        let error = failure(
            for: ServiceRefusal(status: isOfBody ? 422 : 500, fields: fields, body: said, now: now))
        return hasBegun ? error.afterwards : error
    }

    /// Returns the codes of an error, the most exact code first.
    ///
    /// - If the error is an object, the codes are its `code` and its `status`.
    /// - If the error is a list, it describes problems in the request's body, and the codes are the types of its
    ///   entries.
    /// - If the error is a text, it has no code.
    private static func codes(of json: ParameterValue?) -> [String] {
        let detail = json?[member: "detail"]
        switch detail {
        case .object: return ["code", "status", "type"].compactMap { detail?[member: $0]?.string }
        case .array(let entries): return entries.prefix(3).compactMap { $0[member: "type"]?.string }
        default: return []
        }
    }
}
