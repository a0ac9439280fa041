public import Foundation
public import HTTPTypes
public import Hablare

/// A service's conventions, except for the content of its answers: the fields that carry the key, the meaning of
/// refusals, and the reported limits.
///
/// All requirements are functions without side effects, so you can test them with tables.
public protocol ServiceDialect: Sendable {
    /// The service's name for use in a sentence, such as `OpenAI`.
    var name: String { get }

    /// The header fields of every call, in addition to the fields that describe the call's body.
    var fields: HTTPFields { get }

    /// Returns the fields that carry a key. The fields are sent only to the service's own origin.
    func secrets(for key: APIKey) -> HTTPFields

    /// Returns the error for a refusal, with its disposition and advice.
    ///
    /// The error must not contain text from the service that may repeat the prompt. The codes and types of a service's
    /// errors are safe. The service's messages may be unsafe.
    func failure(for refusal: ServiceRefusal) -> AIServiceError

    /// Returns the limits that an answer's head (status and header fields) reports; `nil` if it reports none. Called
    /// for successes and refusals.
    func limits(in fields: HTTPFields, now: Date) -> ReportedLimits?

    /// Returns the service's request id, which the service's support can look up; `nil` if there is none.
    func requestID(in fields: HTTPFields) -> String?
}

extension ServiceDialect {
    /// No additional fields.
    public var fields: HTTPFields { [:] }
    /// Returns a field with a bearer token (RFC 6750).
    public func secrets(for key: APIKey) -> HTTPFields { [.authorization: "Bearer \(key.secret)"] }
    /// Returns ``ServiceRefusal/usualFailure(of:detail:)``.
    public func failure(for refusal: ServiceRefusal) -> AIServiceError { refusal.usualFailure(of: name) }
    /// Returns `nil`.
    public func limits(in fields: HTTPFields, now: Date) -> ReportedLimits? { nil }
    /// Returns the value of the field `x-request-id` or `request-id`.
    public func requestID(in fields: HTTPFields) -> String? {
        fields[named: "x-request-id"] ?? fields[named: "request-id"]
    }
}
