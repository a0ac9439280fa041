public import Foundation
public import HTTPTypes
public import Hablare
import HablareJSON

/// How Anthropic speaks beside its answers: `x-api-key`, the API's version, its errors and its limits.
///
/// Beyond what a status means by itself (``ServiceRefusal/usualFailure(of:detail:)``):
///
/// | what the error says | whose move it is |
/// |---|---|
/// | `billing_error`, one of the codes of a spend limit, too low a balance, whatever the status | a person's: money |
/// | `organization_on_hold`, a key of Claude Code whose owner left | a person's: the account |
/// | `cmek_key_disabled`, `cmek_key_network_blocked` | a person's: the workspace's encryption key |
/// | an error in the middle of a stream, before anything was written | as the same error's status |
/// | an error in the middle of a stream, afterwards, that passes by itself | unknown: what was written may be billed |
/// | any other error in the middle of a stream, afterwards | as the same error's status; what was written may be billed |
public struct AnthropicDialect: ServiceDialect {
    /// The version of the API that is spoken.
    public static let version = "2023-06-01"

    private static let spendCodes: Set<String> = [
        "enforced_spend_limit_reached", "contract_spend_limit_reached", "linked_organization_spend_limit_reached",
        "linked_organization_billing_unavailable",
    ]
    private static let accountCodes: Set<String> = ["organization_on_hold", "claude_code_key_creator_not_member"]
    private static let encryptionCodes: Set<String> = ["cmek_key_disabled", "cmek_key_network_blocked"]

    /// Creates the dialect.
    public init() {}

    /// `Anthropic`.
    public var name: String { "Anthropic" }

    /// The version of the API.
    public var fields: HTTPFields {
        var fields = HTTPFields()
        fields[named: "anthropic-version"] = Self.version
        return fields
    }

    /// The field `x-api-key`.
    public func secrets(for key: APIKey) -> HTTPFields {
        var fields = HTTPFields()
        fields[named: "x-api-key"] = key.secret
        return fields
    }

    /// The field `request-id`.
    public func requestID(in fields: HTTPFields) -> String? { fields[named: "request-id"] }

    /// What a refusal means.
    public func failure(for refusal: ServiceRefusal) -> AIServiceError {
        failure(for: refusal, saying: refusal.json?[member: "error"])
    }

    private func failure(for refusal: ServiceRefusal, saying error: ParameterValue?) -> AIServiceError {
        let type = error?[member: "type"]?.string
        let code = error?[member: "details"]?[member: "error_code"]?.string
        if type == "billing_error" || code.map(Self.spendCodes.contains) == true
            || Self.saysBalanceIsLow(error, refusal)
        {
            return refusal.failure(
                .quotaExceeded,
                "The account at Anthropic has no money left, or has reached its spend limit. Add credit or raise the limit, then retry.",
                saying: [type, code])
        }
        if let code, Self.accountCodes.contains(code) {
            return refusal.failure(
                .unauthorized, "Anthropic does not let this account or key make calls. Look into its console.",
                saying: [type, code])
        }
        if let code, Self.encryptionCodes.contains(code) {
            return refusal.failure(
                .invalidConfiguration,
                "Anthropic cannot use the workspace's own encryption key. Enable it, or let Anthropic reach it, then retry.",
                saying: [type, code])
        }
        return refusal.usualFailure(of: name, detail: code ?? type)
    }

    /// Accounts without credit are told so by a plain `invalid_request_error`, which has nothing else to know it by.
    private static func saysBalanceIsLow(_ error: ParameterValue?, _ refusal: ServiceRefusal) -> Bool {
        refusal.status == 400
            && error?[member: "message"]?.string?.lowercased().contains("credit balance is too low") == true
    }

    /// What an error means that comes as an event of a stream whose status was a success.
    ///
    /// - Parameters:
    ///   - said: The event's error.
    ///   - hasBegun: Whether the model had begun to write, be it thoughts: that is billed, so that nobody knows what is owed.
    ///   - fields: The fields of the answer's head.
    ///   - now: When it came.
    func failure(
        inStream said: ParameterValue, hasBegun: Bool, fields: HTTPFields, now: Date
    ) -> AIServiceError {
        let status = Self.status(of: said[member: "type"]?.string)
        let error = failure(for: ServiceRefusal(status: status, fields: fields, now: now), saying: said)
        guard hasBegun else { return error }
        return error.reworded("\(error.message) It had begun to answer, which may be billed.", cause: error.cause)
            .afterwards
    }

    /// The status with which an error of a type comes where it is not in the middle of a stream.
    private static func status(of type: String?) -> Int {
        switch type {
        case "invalid_request_error": 400
        case "authentication_error": 401
        case "billing_error": 402
        case "permission_error": 403
        case "not_found_error": 404
        case "conflict_error": 409
        case "request_too_large": 413
        case "rate_limit_error": 429
        case "timeout_error": 504
        case "overloaded_error": 529
        default: 500
        }
    }

    // MARK: Limits

    /// What the fields `anthropic-ratelimit-*` say: calls, and of the kinds of tokens the one of which the least is left.
    public func limits(in fields: HTTPFields, now: Date) -> ReportedLimits? {
        let requests = Self.quota("requests", in: fields, now: now)
        let tokens = ["tokens", "input-tokens", "output-tokens"].compactMap { Self.quota($0, in: fields, now: now) }
        let scarcest = tokens.min { ($0.remaining ?? .infinity) < ($1.remaining ?? .infinity) }
        guard requests != nil || scarcest != nil else { return nil }
        return ReportedLimits(requests: requests, units: scarcest)
    }

    private static func quota(_ name: String, in fields: HTTPFields, now: Date) -> ReportedLimits.Quota? {
        let prefix = "anthropic-ratelimit-\(name)-"
        let moment = fields[named: prefix + "reset"]?.trimmingCharacters(in: .whitespaces)
        let reset = moment.flatMap { InternetDate.date($0) }.map { date in
            Duration.milliseconds(Int64(min(max(0, date.timeIntervalSince(now)), 86_400) * 1000))
        }
        let quota = ReportedLimits.Quota(
            perMinute: fields.amount(named: prefix + "limit"), remaining: fields.amount(named: prefix + "remaining"),
            resetsAfter: reset)
        return quota == ReportedLimits.Quota() ? nil : quota
    }
}
