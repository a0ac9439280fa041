public import Foundation
public import Hablare

/// A service's base URL, such as `https://api.openai.com/v1`. The paths of the service's API are appended to it.
public struct ServiceAddress: Sendable, Hashable, CustomStringConvertible {
    /// The normalised address, without a trailing slash. Equivalent addresses have the same text.
    public let text: String
    /// The address's scheme, host and port.
    public let origin: HTTPOrigin
    private let base: URL

    /// Reads an address.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidConfiguration``, naming the problem. The address must have the
    ///   scheme `http` or `https` and a host. It must not have a user, a password, a query, a fragment or white space.
    public init(_ text: String) throws(AIServiceError) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else { throw Self.refusal("is empty") }
        guard trimmed.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else {
            throw Self.refusal("contains white space")
        }
        guard let colon = trimmed.range(of: "://") else {
            throw Self.refusal("has no scheme. Begin it with https:// or, for a server on this machine, http://")
        }
        let scheme = trimmed[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw Self.refusal("has the scheme \(scheme). Use https or http")
        }
        guard var parts = URLComponents(string: trimmed) else { throw Self.refusal("is not an address") }
        guard parts.user == nil, parts.password == nil else {
            throw Self.refusal(
                """
                contains a user or a password, but addresses are shown and stored. Store the key separately
                """)
        }
        guard parts.query == nil, parts.fragment == nil else {
            throw Self.refusal("has a query or a fragment. Remove the part that begins with ? or #")
        }
        parts.scheme = scheme
        parts.host = parts.host?.lowercased()
        if parts.port == (scheme == "https" ? 443 : 80) { parts.port = nil }
        while parts.percentEncodedPath.hasSuffix("/") { parts.percentEncodedPath.removeLast() }
        if let port = parts.port, !(1...65_535).contains(port) { throw Self.refusal("has an invalid port") }
        guard let url = parts.url, let origin = HTTPOrigin(of: url) else { throw Self.refusal("has no host") }
        base = url
        self.origin = origin
        self.text = url.absoluteString
    }

    /// Returns the URL of a path below this address.
    ///
    /// - Parameters:
    ///   - segments: The path's segments. Each segment is escaped, so that user input, such as the name of a voice,
    ///     cannot change the structure of the path.
    ///   - query: The query's names and values. They are also escaped.
    public func url(_ segments: [String], query: [(name: String, value: String)] = []) -> URL {
        var text = text
        for segment in segments {
            text += "/"
            text += Self.escaped(segment)
        }
        for (index, item) in query.enumerated() {
            text += index == 0 ? "?" : "&"
            text += "\(Self.escaped(item.name))=\(Self.escaped(item.value))"
        }
        return URL(string: text) ?? base
    }

    /// The address.
    public var description: String { text }

    /// Escapes everything except the unreserved characters of RFC 3986. A segment of dots is also escaped, because
    /// otherwise it would refer to another path.
    private static func escaped(_ text: String) -> String {
        if text.allSatisfy({ $0 == "." }) { return text.map { _ in "%2E" }.joined() }
        if text.utf8.allSatisfy(isUnreserved) { return text }
        return text.utf8.map { byte in
            isUnreserved(byte)
                ? String(UnicodeScalar(byte))
                : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "-._~".utf8.contains(byte)
    }

    private static func refusal(_ reason: String) -> AIServiceError {
        AIServiceError(
            .invalidConfiguration, "The base URL \(reason). Example: https://api.example.com/v1")
    }
}
