public import Foundation
public import HTTPTypes
public import Hablare
import HablareJSON

/// An answer that is none: its status is not between 200 and 299, or an error came in the middle of its stream.
public struct ServiceRefusal: Sendable {
    /// The status.
    public let status: Int
    /// The head's fields.
    public let fields: HTTPFields
    /// The body's beginning, at most ``mostOfBody`` bytes. It may repeat the prompt, and must not get into an error.
    public let body: Data
    /// When it came, for dates in it.
    public let now: Date

    /// How much of a refusal's body is read: 64 KiB.
    public static let mostOfBody = 64 << 10
    /// How long a refusal's body is waited for: 5 seconds. Then the refusal is what came of it.
    public static let longestBody = Duration.seconds(5)

    /// Creates a refusal.
    public init(status: Int, fields: HTTPFields = [:], body: Data = Data(), now: Date) {
        self.status = status
        self.fields = fields
        self.body = body
        self.now = now
    }

    /// The body as a value tree; `nil` where it is no JSON, as an error page of a proxy is not. Of a name that an object
    /// has twice the last value counts.
    public var json: ParameterValue? { ParameterValue(lenientJSON: body) }

    /// How long the service asks to be left alone: `retry-after-ms`, else `Retry-After` in seconds or as a date.
    public var retryAfter: Duration? { RetryAfter.duration(in: fields, now: now) }
}

extension ServiceRefusal {
    /// What a status means where the service says nothing more (RFC 9110).
    ///
    /// | status | whose move it is |
    /// |---|---|
    /// | 401, 403 | a person's: the key |
    /// | 402 | a person's: money |
    /// | 404, 405, 410 | fails: there is no such model, voice or path |
    /// | 408, 429 | again, after what `Retry-After` says |
    /// | 413 and all other 4xx | fails: the request itself |
    /// | 409, 425, 500, 502, 503, 504, 529 and all other 5xx | again |
    /// | 3xx that nobody may follow, and what is no status | a person's: the address |
    ///
    /// - Parameters:
    ///   - service: The service's name, as a sentence has it.
    ///   - detail: The service's own code for it, for the cause. Never its message.
    public func usualFailure(of service: String, detail: String? = nil) -> AIServiceError {
        func failure(
            _ code: AIServiceError.Code, _ message: String, _ disposition: FailureDisposition? = nil
        ) -> AIServiceError {
            self.failure(code, message, disposition, saying: [detail])
        }
        let again = FailureDisposition.retry(after: retryAfter)
        switch status {
        case 401:
            return failure(.unauthorized, "\(service) does not accept the key. Check it, or set another one.")
        case 403:
            return failure(.unauthorized, "\(service) does not allow this with the key. Check what the key may do.")
        case 402:
            return failure(
                .quotaExceeded, "The account at \(service.inSentence) has no money left. Add some, then retry.")
        case 404, 405, 410:
            return failure(
                .invalidRequest,
                "\(service) does not know the model, the voice or the path. Check their names and the base URL.")
        case 408, 425:
            return failure(.overloaded, "\(service) gave the call up before it began. It is made again.", again)
        case 409, 423:
            return failure(.overloaded, "\(service) is busy with something that stands in the call's way.", again)
        case 413:
            return failure(.invalidRequest, "The request is too large for \(service.inSentence). Shorten it.")
        case 429:
            return failure(.rateLimited, "\(service) asks for fewer calls.", again)
        case 400..<500:
            return failure(.invalidRequest, "\(service) refuses the request (status \(status)). Check its parameters.")
        case 500..<600:
            return failure(.overloaded, "\(service) failed inside or is overloaded (status \(status)).", again)
        default:
            return failure(
                .invalidConfiguration,
                "\(service) answered with status \(status), which is none of its API. Check the base URL."
            )
        }
    }

    /// A failure whose cause has the status and the service's own words for it, as far as each can be one.
    func failure(
        _ code: AIServiceError.Code, _ message: String, _ disposition: FailureDisposition? = nil,
        saying words: [String?]
    ) -> AIServiceError {
        let cause = ["status \(status)"] + words.compactMap(\.self).map(Self.word)
        return AIServiceError(code, message, disposition: disposition, cause: cause.joined(separator: ", "))
    }

    /// A code of a service's own, as far as it can be one: a vendor's word has letters, digits and few signs, and is
    /// short. Whatever else stands there may be what somebody wrote.
    package static func word(_ text: String) -> String { isWord(text) ? text : "an unknown code" }

    /// Whether a text can be a word of a vendor's own.
    static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isLetterOrDigit || "_-.".utf8.contains($0) }
    }
}
