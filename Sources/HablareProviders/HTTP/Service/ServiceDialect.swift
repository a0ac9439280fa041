public import Foundation
public import HTTPTypes
public import Hablare

/// How a service speaks beside its answers: where the key goes, what its refusals mean, what it says of its limits.
///
/// All of it is pure, so a table is its test.
public protocol ServiceDialect: Sendable {
    /// The service's name, as a sentence has it: `OpenAI`.
    var name: String { get }

    /// The fields that go with every call, beside the body's own.
    var fields: HTTPFields { get }

    /// The fields in which a key travels. They go to the service's own origin only.
    func secrets(for key: APIKey) -> HTTPFields

    /// What a refusal means: whose move it is, and what to do. Never with anything of what the service wrote that could be
    /// the prompt: the codes and types of its errors are words of its own, its messages may not be.
    func failure(for refusal: ServiceRefusal) -> AIServiceError

    /// What the head of an answer says of limits, in success and refusal alike; `nil` where it says nothing.
    func limits(in fields: HTTPFields, now: Date) -> ReportedLimits?

    /// The service's own name of the call, for its support; `nil` where it gives none.
    func requestID(in fields: HTTPFields) -> String?
}

extension ServiceDialect {
    /// None.
    public var fields: HTTPFields { [:] }
    /// A bearer token (RFC 6750).
    public func secrets(for key: APIKey) -> HTTPFields { [.authorization: "Bearer \(key.secret)"] }
    /// As ``ServiceRefusal/usualFailure(of:detail:)`` has it.
    public func failure(for refusal: ServiceRefusal) -> AIServiceError { refusal.usualFailure(of: name) }
    /// Nothing.
    public func limits(in fields: HTTPFields, now: Date) -> ReportedLimits? { nil }
    /// The field `x-request-id` or `request-id`.
    public func requestID(in fields: HTTPFields) -> String? {
        fields[named: "x-request-id"] ?? fields[named: "request-id"]
    }
}
