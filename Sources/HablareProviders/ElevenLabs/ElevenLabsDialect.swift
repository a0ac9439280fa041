public import Foundation
public import HTTPTypes
public import Hablare
import HablareJSON

/// How ElevenLabs speaks beside its answers: `xi-api-key`, its errors in three forms, how many calls run at once.
///
/// What the code of an error says wins over its status:
///
/// | code | whose move it is |
/// |---|---|
/// | `quota_exceeded`, `insufficient_credits`, `payment_required` and their like, also with status 401 | a person's: money |
/// | `invalid_api_key`, `missing_api_key`, `needs_authorization` | a person's: the key |
/// | `missing_permissions`, `detected_unusual_activity`, what a plan does not include | a person's: the key or the plan |
/// | `too_many_concurrent_requests`, `concurrent_limit_exceeded` | again, when calls of one's own have ended |
/// | `system_busy`, `rate_limit_exceeded` | again, after a back-off |
/// | `max_character_limit_exceeded`, `text_too_long` | fails: the text |
/// | `voice_not_found`, `model_not_found` | fails: the name |
/// | anything else | as ``ServiceRefusal/usualFailure(of:detail:)`` says |
/// | an error in the middle of a stream, after some sound, that passes by itself | unknown: the sound may be billed |
/// | any other error in the middle of a stream, after some sound | as the same error; the sound may be billed |
public struct ElevenLabsDialect: ServiceDialect {
    /// What the codes mean, in the order in which they win.
    private static let table: [(codes: Set<String>, code: AIServiceError.Code, message: String)] = [
        (
            [
                "quota_exceeded", "insufficient_credits", "insufficient_quota", "payment_required", "payment_issue",
                "credit_limit_exceeded",
            ], .quotaExceeded, "The account at ElevenLabs has too few credits left for this. Add some, then retry."
        ),
        (
            [
                "invalid_api_key", "missing_api_key", "needs_authorization", "api_key_not_found", "api_key_disabled",
            ], .unauthorized, "ElevenLabs does not accept the key. Check it, or set another one."
        ),
        (
            [
                "missing_permissions", "insufficient_permissions", "detected_unusual_activity", "only_for_creator+",
                "only_for_creator", "subscription_required", "feature_not_available", "output_format_not_allowed",
            ], .unauthorized,
            "ElevenLabs does not allow this with the key or the plan. Check what the key may do and the plan includes."
        ),
        (
            ["too_many_concurrent_requests", "concurrent_limit_exceeded"], .rateLimited,
            "As many calls run at ElevenLabs as the plan allows. It is tried again when some have ended."
        ),
        (["system_busy"], .overloaded, "ElevenLabs is overloaded at the moment."),
        (["rate_limit_exceeded"], .rateLimited, "ElevenLabs asks for fewer calls."),
        (
            ["max_character_limit_exceeded", "text_too_long"], .invalidRequest,
            "The text is longer than ElevenLabs takes from this model and plan in one call. Split it."
        ),
        (
            ["voice_not_found", "model_not_found", "voice_does_not_exist"], .invalidRequest,
            "ElevenLabs does not know the voice or the model. Look at the list of voices."
        ),
    ]

    /// Creates the dialect.
    public init() {}

    /// `ElevenLabs`.
    public var name: String { "ElevenLabs" }

    /// The field `xi-api-key`.
    public func secrets(for key: APIKey) -> HTTPFields {
        var fields = HTTPFields()
        fields[named: "xi-api-key"] = key.secret
        return fields
    }

    /// The field `request-id`.
    public func requestID(in fields: HTTPFields) -> String? { fields[named: "request-id"] }

    /// How many calls may run at once. The service has no limit of calls a minute.
    public func limits(in fields: HTTPFields, now: Date) -> ReportedLimits? {
        guard let text = fields[named: "maximum-concurrent-requests"],
            let most = Int(text.trimmingCharacters(in: .whitespaces)), most > 0
        else { return nil }
        return ReportedLimits(concurrency: most)
    }

    /// What a call cost in credits, one of which is what a character costs with the best models; `nil` where that is not
    /// said.
    public func credits(in fields: HTTPFields) -> Int64? {
        let amounts = ["character-cost", "x-character-count"].compactMap { fields.amount(named: $0) }
        return amounts.first { $0 < 1e15 }.map { Int64($0.rounded(.up)) }
    }

    /// What a refusal means.
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

    /// What an error means that comes in a stream whose status was a success, in the form of a refusal's body.
    ///
    /// - Parameters:
    ///   - said: The error, as JSON.
    ///   - hasBegun: Whether sound had come before: it may be billed.
    ///   - fields: The fields of the answer's head.
    ///   - now: When it came.
    func failure(inStream said: Data, hasBegun: Bool, fields: HTTPFields, now: Date) -> AIServiceError {
        let detail = ParameterValue(lenientJSON: said)?[member: "detail"]
        // A list is what is wrong with the body.
        let isOfBody = detail?.elements.isEmpty == false
        let error = failure(
            for: ServiceRefusal(status: isOfBody ? 422 : 500, fields: fields, body: said, now: now))
        return hasBegun ? error.afterwards : error
    }

    /// The codes of an error, the exact ones first: of an object its `code` and `status`; of a list, which is what is
    /// wrong with the body, the types of its entries; a text alone is a message, and may be anything.
    private static func codes(of json: ParameterValue?) -> [String] {
        let detail = json?[member: "detail"]
        switch detail {
        case .object: return ["code", "status", "type"].compactMap { detail?[member: $0]?.string }
        case .array(let entries): return entries.prefix(3).compactMap { $0[member: "type"]?.string }
        default: return []
        }
    }
}
