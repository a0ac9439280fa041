public import Foundation
public import HTTPTypes

/// A call over HTTP, as a ``HTTPTransport`` sends it.
///
/// Confidential fields are separate, in ``secrets``. They are in no description, and a call with secrets follows no
/// redirect to another origin. Neither does a call with a body.
public struct HTTPCall: Sendable {
    /// The HTTP method. Default: `POST`.
    public var method: HTTPRequest.Method
    /// The absolute address, with the scheme `http` or `https`. It must not contain a key, because addresses appear in
    /// errors and logs.
    public var url: URL
    /// The header fields.
    public var fields: HTTPFields
    /// The fields that only the origin of ``url`` may see: keys and tokens.
    public var secrets: HTTPFields
    /// The body.
    public var body: HTTPBody
    /// The maximum time in which the server neither receives nor sends anything: while the body is sent, until the
    /// answer's head, and between two pieces of the answer. Time in which the answer's reader requests nothing does not
    /// count. Default: `nil`, for the transport's setting. For example, `.seconds(600)` for a reasoning model.
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
    /// The method and the address without its query. Query, fields and body are omitted, because they may hold user
    /// input.
    public var description: String { "\(method.rawValue) \(HTTPOrigin(of: url)?.text ?? "")\(url.path)" }

    /// A mirror of ``description``, so that `dump` and a failed test reveal no secret.
    public var customMirror: Mirror { Mirror(self, children: [("call", description)]) }
}

extension HTTPRequest.Method {
    /// Whether the method only reads (RFC 9110, 9.2.1), so that a lost call may be repeated.
    var isSafe: Bool { self == .get || self == .head }
}

extension HTTPField.Name {
    /// The fields that usually hold a key, a token or a session. They belong among ``HTTPCall/secrets``.
    static let credentials: Set<HTTPField.Name> = Set(
        [.authorization, .cookie, .proxyAuthorization]
            + ["api-key", "x-api-key", "x-auth-token", "x-goog-api-key", "xi-api-key"].compactMap { HTTPField.Name($0) }
    )
}
