import Foundation
public import Hablare

/// A proxy server.
///
/// The description and the mirror show ``text``, never the password.
public struct ProxyAddress: Sendable, Hashable {
    /// The protocol of a proxy.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An HTTP proxy. It is used with `CONNECT` for calls of `http` and of `https`. In a call of `https`, the proxy
        /// sees only the destination.
        case http
        /// A SOCKS 5 proxy, which resolves host names itself. A user name is not supported.
        case socks5
    }

    /// The protocol.
    public let kind: Kind
    /// The host. An IPv6 address has no brackets.
    public let host: String
    /// The port. Default: 1080, as in curl.
    public let port: Int
    /// The user name; `nil` if the proxy needs none.
    package let user: String?
    /// The password.
    package let password: String?

    /// Reads an address. Examples are `http://proxy.example:3128`, `http://user:password@proxy.example:3128`,
    /// `socks5://127.0.0.1`, and `proxy.example:3128` without a scheme.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration``, naming the problem. The message never contains
    ///   the address, because the address may have a password.
    public init(_ text: String) throws(AIServiceError) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let parts = URLComponents(string: trimmed.contains("://") ? trimmed : "http://\(trimmed)")
        guard let parts, let name = parts.host, !name.isEmpty else { throw Self.refusal("is not an address") }
        switch parts.scheme?.lowercased() {
        case "http": kind = .http
        case "socks5", "socks5h": kind = .socks5
        case "https":
            throw Self.refusal("uses https, which is not supported. Try http://")
        default: throw Self.refusal("has a scheme that is not supported. Use http:// or socks5://")
        }
        guard parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil else {
            throw Self.refusal("has a path. Remove everything after the port")
        }
        host = HTTPOrigin.bare(name.lowercased())
        port = parts.port ?? 1080
        guard (1...65_535).contains(port) else { throw Self.refusal("has an invalid port") }
        user = parts.user
        password = parts.password
        guard kind == .http || user == nil else {
            throw Self.refusal("has a user, which is not supported for SOCKS. Remove the user, or use an HTTP proxy")
        }
    }

    /// The address without user and password.
    public var text: String { "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    private static func refusal(_ reason: String) -> AIServiceError {
        AIServiceError(
            .invalidConfiguration, "The proxy's address \(reason). Example: http://proxy.example.com:3128")
    }
}

extension ProxyAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The address without user and password, ``text``.
    public var description: String { text }
    /// The address without user and password, ``text``.
    public var debugDescription: String { text }
    /// A mirror that contains only the address without user and password, ``text``.
    public var customMirror: Mirror { Mirror(self, children: [("address", text)]) }
}
