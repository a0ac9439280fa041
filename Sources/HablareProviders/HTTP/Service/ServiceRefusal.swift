public import Foundation
public import HTTPTypes
public import Hablare
import HablareJSON

/// A refusal: an answer whose status is not between 200 and 299, or an error within a stream.
public struct ServiceRefusal: Sendable {
    /// The status.
    public let status: Int
    /// The head's fields.
    public let fields: HTTPFields
    /// The beginning of the body, at most ``mostOfBody`` bytes. The body may repeat the prompt. Do not put it into an
    /// error.
    public let body: Data
    /// The time at which the refusal arrived. Relative times in the fields, such as `Retry-After`, count from this
    /// time.
    public let now: Date

    /// The maximum number of bytes that are read of a refusal's body: 64 KiB.
    public static let mostOfBody = 64 << 10
    /// The maximum time for which the client waits for a refusal's body: 5 seconds. After this time, the part that has
    /// arrived is used.
    public static let longestBody = Duration.seconds(5)

    /// Creates a refusal.
    public init(status: Int, fields: HTTPFields = [:], body: Data = Data(), now: Date) {
        self.status = status
        self.fields = fields
        self.body = body
        self.now = now
    }

    /// The body as a JSON value; `nil` if the body is not JSON, such as a proxy's error page. If a name occurs twice in
    /// an object, the last value counts.
    public var json: ParameterValue? { ParameterValue(lenientJSON: body) }

    /// The pause that the service asks for, from `retry-after-ms` or `Retry-After`. `retry-after-ms` takes precedence.
    public var retryAfter: Duration? { RetryAfter.duration(in: fields, now: now) }
}

extension ServiceRefusal {
    /// Returns the usual error for a status, for a service that gives no further details (RFC 9110).
    ///
    /// | status | result |
    /// |---|---|
    /// | 401, 403 | needs the user, who must correct the key |
    /// | 402 | needs the user, who must add credit |
    /// | 404, 405, 410 | fails, because the model, voice or path does not exist |
    /// | 408, 429 | retried after the time in `Retry-After` |
    /// | 413 and all other 4xx | fails, because the request itself is wrong |
    /// | 409, 425, 500, 502, 503, 504, 529 and all other 5xx | retried |
    /// | 3xx that cannot be followed, and an invalid status | needs the user, who must correct the address |
    ///
    /// - Parameters:
    ///   - service: The service's name for use in a sentence.
    ///   - detail: The service's own error code, for the error's cause. Do not pass the service's message.
    public func usualFailure(of service: String, detail: String? = nil) -> AIServiceError {
        func failure(
            _ code: AIServiceError.Code, _ message: String, _ disposition: FailureDisposition? = nil
        ) -> AIServiceError {
            self.failure(code, message, disposition, saying: [detail])
        }
        let again = FailureDisposition.retry(after: retryAfter)
        switch status {
        case 401:
            return failure(.unauthorized, "\(service) does not accept the key. Check the key, or set another key.")
        case 403:
            return failure(
                .unauthorized,
                """
                \(service) does not allow this call with the key. Check the permissions of the key.
                """)
        case 402:
            return failure(
                .quotaExceeded, "The account at \(service.inSentence) has no credit left. Add credit, then retry.")
        case 404, 405, 410:
            return failure(
                .invalidRequest,
                "\(service) does not know the model, the voice or the path. Check their names and the base URL.")
        case 408, 425:
            return failure(.overloaded, "\(service) stopped the call before it began. The call is retried.", again)
        case 409, 423:
            return failure(.overloaded, "\(service) reports a conflict with another call.", again)
        case 413:
            return failure(.invalidRequest, "The request is too large for \(service.inSentence). Shorten it.")
        case 429:
            return failure(.rateLimited, "\(service) asks for fewer calls.", again)
        case 400..<500:
            return failure(.invalidRequest, "\(service) refuses the request (status \(status)). Check its parameters.")
        case 500..<600:
            return failure(.overloaded, "\(service) had an internal error or is overloaded (status \(status)).", again)
        default:
            return failure(
                .invalidConfiguration,
                "\(service) answered with status \(status), which is not part of its API. Check the base URL."
            )
        }
    }

    /// Returns an error whose cause names the status, and also the service's own code if the code has a safe form.
    func failure(
        _ code: AIServiceError.Code, _ message: String, _ disposition: FailureDisposition? = nil,
        saying words: [String?]
    ) -> AIServiceError {
        let cause = ["status \(status)"] + words.compactMap(\.self).map(Self.word)
        return AIServiceError(code, message, disposition: disposition, cause: cause.joined(separator: ", "))
    }

    /// Returns a service's code if it has the form of a code: a short word of letters, digits and a few punctuation
    /// marks. Otherwise returns "an unknown code", because any other text may quote the user's input.
    package static func word(_ text: String) -> String { isWord(text) ? text : "an unknown code" }

    /// Returns whether a text has the form of a service's code.
    static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isLetterOrDigit || "_-.".utf8.contains($0) }
    }
}
