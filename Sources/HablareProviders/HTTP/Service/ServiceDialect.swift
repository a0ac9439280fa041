public import Foundation
public import HTTPTypes
public import Hablare

/// A service's conventions apart from the content of its answers: the fields for the key, the meaning of its refusals,
/// and its reported limits.
///
/// All of it is pure, so tests can check it with tables.
public protocol ServiceDialect: Sendable {
    /// The service's name for use in a sentence: `OpenAI`.
    var name: String { get }

    /// The header fields of every call, in addition to those that describe its body.
    var fields: HTTPFields { get }

    /// Returns the fields that carry a key. They are sent only to the service's own origin.
    func secrets(for key: APIKey) -> HTTPFields

    /// Returns the error for a refusal, with its disposition and advice. It must not contain text from the service that
    /// may repeat the prompt. The codes and types of a service's errors are safe; its messages may not be.
    func failure(for refusal: ServiceRefusal) -> AIServiceError

    /// Returns the limits in an answer's head, for successes and refusals alike; `nil` if it reports none.
    func limits(in fields: HTTPFields, now: Date) -> ReportedLimits?

    /// Returns the service's request id, for questions to the service's support; `nil` if there is none.
    func requestID(in fields: HTTPFields) -> String?
}

extension ServiceDialect {
    /// No fields.
    public var fields: HTTPFields { [:] }
    /// Returns a bearer token (RFC 6750).
    public func secrets(for key: APIKey) -> HTTPFields { [.authorization: "Bearer \(key.secret)"] }
    /// Returns ``ServiceRefusal/usualFailure(of:detail:)``.
    public func failure(for refusal: ServiceRefusal) -> AIServiceError { refusal.usualFailure(of: name) }
    /// Returns `nil`.
    public func limits(in fields: HTTPFields, now: Date) -> ReportedLimits? { nil }
    /// Returns the field `x-request-id` or `request-id`.
    public func requestID(in fields: HTTPFields) -> String? {
        fields[named: "x-request-id"] ?? fields[named: "request-id"]
    }
}
