public import Foundation

/// Scheme, host and port: what a key belongs to (RFC 6454).
public struct HTTPOrigin: Sendable, Hashable {
    /// `http` or `https`.
    public let scheme: String
    /// The host's name in lower case, or its address; an IPv6 address without brackets.
    public let host: String
    /// The port, also where the address leaves it out.
    public let port: Int

    /// The origin of an address; `nil` where it is not an absolute one of `http` or `https`.
    public init?(of url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty
        else { return nil }
        self.scheme = scheme
        self.host = Self.bare(host)
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// As in an address; without the port where it is the scheme's own.
    public var text: String {
        let name = host.contains(":") ? "[\(host)]" : host
        let isUsual = port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(name)\(isUsual ? "" : ":\(port)")"
    }

    /// Whether it is this machine.
    public var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        // 127.0.0.0/8 and ::1, but no name that only begins like one.
        guard let bytes = IPAddressBlock.bytes(of: host) else { return false }
        return bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
    }

    /// A host without the brackets of an IPv6 address.
    static func bare(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}
