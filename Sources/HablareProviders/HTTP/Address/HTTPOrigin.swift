public import Foundation

/// The scheme, host and port of an address (RFC 6454). A key is sent only to the origin to which it belongs.
public struct HTTPOrigin: Sendable, Hashable {
    /// `http` or `https`.
    public let scheme: String
    /// The host's name in lower case, or its IP address. An IPv6 address has no brackets.
    public let host: String
    /// The port. If the address has no port, this is the default port of the scheme.
    public let port: Int

    /// Creates the origin of an address. Returns `nil` if the address is not an absolute `http` or `https` address.
    public init?(of url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty
        else { return nil }
        self.scheme = scheme
        self.host = Self.bare(host)
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// The origin as an address, without the scheme's default port.
    public var text: String {
        let name = host.contains(":") ? "[\(host)]" : host
        let isUsual = port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(name)\(isUsual ? "" : ":\(port)")"
    }

    /// Whether the host is this machine.
    public var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        // 127.0.0.0/8 and ::1, but not a name that only begins like one.
        guard let bytes = IPAddressBlock.bytes(of: host) else { return false }
        return bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
    }

    /// Returns a host without an IPv6 address's brackets.
    static func bare(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}
