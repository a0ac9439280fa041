public import Foundation
public import HTTPTypes

/// One call over HTTP, as a ``HTTPTransport`` sends it.
///
/// What must never be told to anybody else stands apart from the rest, in ``secrets``: it is in no description, and a
/// call that has some follows no redirect to another origin. One with a body does not, either.
public struct HTTPCall: Sendable {
    /// What is done. Default: `POST`.
    public var method: HTTPRequest.Method
    /// Where: an absolute address with the scheme `http` or `https`. Never with a key in it: addresses are in errors and
    /// logs.
    public var url: URL
    /// What is said beside the body.
    public var fields: HTTPFields
    /// Fields that only the origin of ``url`` may see: keys and tokens.
    public var secrets: HTTPFields
    /// What is sent.
    public var body: HTTPBody
    /// How long the server may neither take nor say anything: while the body is sent, up to the head of the answer, and
    /// between two pieces of it. Time in which the answer's reader asks for nothing does not count. `nil`, the default: as
    /// the transport has it.
    public var idleTimeout: Duration?

    /// Creates a call.
    public init(
        _ method: HTTPRequest.Method = .post, _ url: URL, fields: HTTPFields = [:], secrets: HTTPFields = [:],
        body: HTTPBody = .none, idleTimeout: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.secrets = secrets
        self.body = body
        self.idleTimeout = idleTimeout
    }
}

extension HTTPCall: CustomStringConvertible, CustomReflectable {
    /// Method and place. No query, no fields, no body: each may hold what somebody wrote.
    public var description: String { "\(method.rawValue) \(HTTPOrigin(of: url)?.text ?? "")\(url.path)" }

    /// As ``description``, so that `dump` and a failed test tell no secret either.
    public var customMirror: Mirror { Mirror(self, children: [("call", description)]) }
}

extension HTTPRequest.Method {
    /// Whether it asks for nothing but what is there (RFC 9110, 9.2.1): a call that was lost may be made again.
    var isSafe: Bool { self == .get || self == .head }
}

extension HTTPField.Name {
    /// Fields that hold a key, a token or a session, whoever sends them: they belong among ``HTTPCall/secrets``.
    static let credentials: Set<HTTPField.Name> = Set(
        [.authorization, .cookie, .proxyAuthorization]
            + ["api-key", "x-api-key", "x-auth-token", "x-goog-api-key", "xi-api-key"].compactMap { HTTPField.Name($0) }
    )
}
