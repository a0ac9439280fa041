import Foundation
import HTTPTypes
import Hablare

/// The errors and limits of OpenAI's API and of compatible servers.
struct OpenAIDialect: ServiceDialect {
    let name: String
    let fields: HTTPFields
    /// The name of the header field for the key; `nil` for a bearer token.
    let keyField: String?

    init(name: String = "OpenAI", fields: HTTPFields = [:], keyField: String? = nil) {
        self.name = name
        self.fields = fields
        self.keyField = keyField
    }

    func secrets(for key: APIKey) -> HTTPFields {
        guard let keyField else { return [.authorization: "Bearer \(key.secret)"] }
        var fields = HTTPFields()
        fields[named: keyField] = key.secret
        return fields
    }

    func limits(in fields: HTTPFields, now: Date) -> ReportedLimits? { OpenAILimits.reported(in: fields) }

    func failure(for refusal: ServiceRefusal) -> AIServiceError {
        guard let error = OpenAIErrorBody(body: refusal.json) else { return refusal.usualFailure(of: name) }
        return failure(for: refusal, error)
    }

    /// Returns the error for an error object that is in an answer, or in place of an answer. The HTTP status reported
    /// success, so the object decides.
    ///
    /// - Parameters:
    ///   - error: The error's object or text.
    ///   - hasBegun: Whether a part of the answer arrived before the error. The service may bill that part. If the
    ///     failure would be retried, its outcome is then unknown.
    func failure(inAnswer error: ParameterValue, hasBegun: Bool, now: Date) -> AIServiceError {
        let body = OpenAIErrorBody(error)
        let failure = failure(for: ServiceRefusal(status: Self.status(of: body), now: now), body)
        return hasBegun ? failure.afterwards : failure
    }

    /// Returns an HTTP status for an error that reports none.
    private static func status(of error: OpenAIErrorBody) -> Int {
        if let status = error.status, (400..<600).contains(status) { return status }
        let words = [error.code, error.type].compactMap(\.self)
        if words.contains(where: { $0.contains("rate_limit") }) { return 429 }
        if words.contains(where: { $0.contains("overloaded") || $0.contains("unavailable") }) { return 503 }
        if words.contains(where: { $0.contains("authentication") }) { return 401 }
        if words.contains(where: { $0.contains("permission") }) { return 403 }
        if words.contains(where: { $0.contains("timeout") || $0.contains("server_error") }) { return 500 }
        if words.contains(where: { word in badRequests.contains { word.contains($0) } }) { return 400 }
        return 500
    }

    private static let badRequests = [
        "invalid", "unsupported", "not_found", "policy", "image", "too_large", "too_long", "BadRequest", "mismatch",
        "exceed",
    ]
}
