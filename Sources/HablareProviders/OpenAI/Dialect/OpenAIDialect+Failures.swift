import Foundation
import Hablare

/// The errors for the service's refusals.
extension OpenAIDialect {
    private static let spent: Set<String> = [
        "insufficient_quota", "credit_balance_exhausted", "billing_not_active", "insufficient_funds",
    ]
    private static let limited: Set<String> = [
        "organization_spend_limit_exceeded", "project_spend_limit_exceeded", "organization_usage_limit_exceeded",
        "billing_hard_limit_reached",
    ]
    private static let tooLong: Set<String> = ["context_length_exceeded", "exceed_context_size_error"]
    private static let noModel: Set<String> = ["model_not_found", "invalid_model", "model_not_available"]
    private static let refused: Set<String> = [
        "content_policy_violation", "moderation_blocked", "invalid_prompt", "content_filter", "bio_policy",
        "cyber_policy", "image_content_policy_violation", "image_generation_user_error",
    ]
    private static let elsewhere: Set<String> = ["unsupported_country_region_territory", "request_forbidden"]
    private static let unverified: Set<String> = ["unverified_organization", "organization_not_verified"]
    private static let badParameter: Set<String> = [
        "unsupported_parameter", "unsupported_value", "unknown_parameter", "invalid_value", "invalid_type",
        "missing_required_parameter", "integer_above_max_value", "integer_below_min_value", "decimal_above_max_value",
        "decimal_below_min_value", "string_above_max_length", "array_above_max_length", "invalid_json_schema",
    ]

    /// The minimum wait after the error `slow_down`, with which the service asks the client to return to its earlier,
    /// steady rate.
    static let slowDown = Duration.seconds(30)

    /// Returns the error for a refusal. The service's code and type decide. If they are unknown, the status decides.
    func failure(for refusal: ServiceRefusal, _ error: OpenAIErrorBody) -> AIServiceError {
        func failure(
            _ code: AIServiceError.Code, _ message: String, _ disposition: FailureDisposition? = nil
        ) -> AIServiceError {
            refusal.failure(code, message, disposition, saying: [error.word])
        }
        if error.isOne(of: Self.limited) {
            return failure(
                .quotaExceeded,
                """
                The account at \(name.inSentence) has reached its spending limit. Raise the limit in the account's \
                settings, then retry.
                """
            )
        }
        if error.isOne(of: Self.spent) {
            return failure(
                .quotaExceeded, "The account at \(name.inSentence) has no credit left. Add credit, then retry.")
        }
        if error.isOne(of: Self.tooLong) || refusal.status == 400 && error.says("context length") {
            return failure(.invalidRequest, tooLong(error))
        }
        if error.isOne(of: Self.noModel) || refusal.status == 404 {
            return failure(
                .invalidConfiguration,
                "\(name) does not have this model, or does not allow it for this key. Check the model's name and the base URL.",
                .fail)
        }
        if error.isOne(of: Self.refused) {
            return failure(
                .invalidRequest, "\(name) refuses the request because of its content rules. Change its wording.")
        }
        if error.isOne(of: Self.elsewhere), refusal.status == 403 {
            return failure(.unauthorized, "\(name) does not serve the country that the call comes from.")
        }
        if error.isOne(of: Self.unverified) || refusal.status < 429 && error.says("must be verified") {
            return failure(
                .unauthorized,
                "\(name) requires a verified organization for this. Verify the organization, or use another model.")
        }
        if error.isOne(of: ["slow_down"]) {
            return failure(
                .rateLimited, "\(name) asks for fewer calls, and for a slower increase of calls.",
                .retry(after: max(Self.slowDown, refusal.retryAfter ?? .zero)))
        }
        if refusal.status == 429, error.says("request too large") {
            return failure(
                .invalidRequest,
                "The request has more tokens than the account at \(name.inSentence) may use in a minute\(numbers(of: error)). Shorten it."
            )
        }
        if error.isOne(of: Self.badParameter), (400..<429).contains(refusal.status) {
            return failure(.invalidRequest, badParameter(error))
        }
        return refusal.usualFailure(of: name, detail: error.word)
    }

    private func tooLong(_ error: OpenAIErrorBody) -> String {
        """
        The request has more tokens than the model accepts\(numbers(of: error)). Shorten it, ask for fewer output \
        tokens, or use a model that accepts more.
        """
    }

    private func numbers(of error: OpenAIErrorBody) -> String {
        let numbers = error.numbers
        return numbers.isEmpty
            ? "" : " (\(name.inSentence) names these numbers: \(numbers.map(String.init).joined(separator: ", ")))"
    }

    private func badParameter(_ error: OpenAIErrorBody) -> String {
        guard let location = error.parameter.flatMap(Self.location) else {
            return "\(name) does not accept a parameter of the request with this model. Check the parameters."
        }
        return "\(name) does not accept the request's \(location) with this model. Correct it or leave it out."
    }

    /// Returns a text if it has the form of a parameter's name or path; otherwise `nil`.
    private static func location(_ text: String) -> String? {
        let words = text.split(omittingEmptySubsequences: true) { ".[]".contains($0) }
        guard !words.isEmpty, text.utf8.count <= 64, words.allSatisfy({ ServiceRefusal.word(String($0)) == $0 }) else {
            return nil
        }
        return text
    }
}
