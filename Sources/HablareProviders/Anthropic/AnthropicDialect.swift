public import Foundation
public import HTTPTypes
public import Hablare
import HablareJSON

/// The rules of Anthropic's API for authentication (`x-api-key`), the API version, errors and rate limits.
///
/// For most errors, the HTTP status decides the failure: see ``ServiceRefusal/usualFailure(of:detail:)``. The dialect
/// differs for these errors:
///
/// | error | result |
/// |---|---|
/// | `billing_error`, a spend-limit code, or a low balance, with any status | needs the user, who must add credit |
/// | `organization_on_hold`, or a key of Claude Code whose owner left | needs the user, who must restore the account |
/// | `cmek_key_disabled`, `cmek_key_network_blocked` | needs the user, who must repair the workspace's encryption key |
/// | an error in a stream before any output | the failure for the status that the error has outside a stream |
/// | a temporary error in a stream after some output | outcome unknown; the output may be billed |
/// | a permanent error in a stream after some output | as before any output, but the output may be billed |
public struct AnthropicDialect: ServiceDialect {
    /// The API version that the dialect sends with each request.
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

    /// The field `anthropic-version`.
    public var fields: HTTPFields {
        var fields = HTTPFields()
        fields[named: "anthropic-version"] = Self.version
        return fields
    }

    /// Returns the key in the field `x-api-key`.
    public func secrets(for key: APIKey) -> HTTPFields {
        var fields = HTTPFields()
        fields[named: "x-api-key"] = key.secret
        return fields
    }

    /// Returns the field `request-id`.
    public func requestID(in fields: HTTPFields) -> String? { fields[named: "request-id"] }

    /// Returns the error for a refusal.
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
                "The account at Anthropic has no credit left, or has reached its spending limit. Add credit or raise the limit, then retry.",
                saying: [type, code])
        }
        if let code, Self.accountCodes.contains(code) {
            return refusal.failure(
                .unauthorized, "Anthropic does not let this account or key make calls. Check its console.",
                saying: [type, code])
        }
        if let code, Self.encryptionCodes.contains(code) {
            return refusal.failure(
                .invalidConfiguration,
                "Anthropic cannot use the workspace's own encryption key. Enable the key, or give Anthropic access to it, then retry.",
                saying: [type, code])
        }
        return refusal.usualFailure(of: name, detail: code ?? type)
    }

    /// Returns whether the account's balance is too low. For a low balance, the API sends a plain
    /// `invalid_request_error`, which can be recognised only by its message.
    private static func saysBalanceIsLow(_ error: ParameterValue?, _ refusal: ServiceRefusal) -> Bool {
        refusal.status == 400
            && error?[member: "message"]?.string?.lowercased().contains("credit balance is too low") == true
    }

    /// Returns the error for an `error` event in a stream. The HTTP status of the stream reported success, so the
    /// event's type decides.
    ///
    /// - Parameters:
    ///   - said: The event's error.
    ///   - hasBegun: Whether the model has already written text or thinking. The service may bill that output, so the
    ///     cost is unknown.
    ///   - fields: The fields of the answer's head.
    ///   - now: The time at which the event arrived.
    func failure(
        inStream said: ParameterValue, hasBegun: Bool, fields: HTTPFields, now: Date
    ) -> AIServiceError {
        let status = Self.status(of: said[member: "type"]?.string)
        let error = failure(for: ServiceRefusal(status: status, fields: fields, now: now), saying: said)
        guard hasBegun else { return error }
        return error.reworded("\(error.message) The answer had begun, and may be billed.", cause: error.cause)
            .afterwards
    }

    /// Returns the HTTP status that the API uses for this error type outside a stream.
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

    /// Returns the limits from the fields `anthropic-ratelimit-*`: the limit of requests and the limit of tokens. If
    /// several kinds of tokens have limits, returns the limit with the fewest remaining tokens.
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
