public import Foundation
public import HTTPTypes

/// A call over HTTP, which an ``HTTPTransport`` sends.
///
/// Confidential fields are separate, in ``secrets``. Descriptions never contain them. A call with secrets or with a
/// body does not follow a redirect to another origin.
public struct HTTPCall: Sendable {
    /// The HTTP method. Default: `POST`.
    public var method: HTTPRequest.Method
    /// The absolute address, with the scheme `http` or `https`. It must not contain a key, because addresses appear in
    /// errors and logs.
    public var url: URL
    /// The header fields.
    public var fields: HTTPFields
    /// The fields that only the origin of ``url`` may see, such as keys and tokens.
    public var secrets: HTTPFields
    /// The body.
    public var body: HTTPBody
    /// The idle timeout: the maximum time in which the server sends and receives nothing. Default: `nil`, for the
    /// transport's setting. For example, use `.seconds(600)` for a reasoning model.
    ///
    /// The timeout applies while the body is sent, until the answer's head arrives, and between two pieces of the
    /// answer. The time in which the reader of the answer requests no data does not count.
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
    /// The method, and the address without its query. The description does not have the query, the fields and the body,
    /// because they may contain user input.
    public var description: String { "\(method.rawValue) \(HTTPOrigin(of: url)?.text ?? "")\(url.path)" }

    /// A mirror that contains only ``description``, so that `dump` and a failed test show no secret.
    public var customMirror: Mirror { Mirror(self, children: [("call", description)]) }
}

extension HTTPRequest.Method {
    /// Whether the method only reads (RFC 9110, 9.2.1). If a call with such a method is lost, it may be repeated.
    var isSafe: Bool { self == .get || self == .head }
}

extension HTTPField.Name {
    /// The fields that usually hold a key, a token or a session. They belong in ``HTTPCall/secrets``.
    static let credentials: Set<HTTPField.Name> = Set(
        [.authorization, .cookie, .proxyAuthorization]
            + ["api-key", "x-api-key", "x-auth-token", "x-goog-api-key", "xi-api-key"].compactMap { HTTPField.Name($0) }
    )
}
