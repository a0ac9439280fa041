import Foundation

/// The destinations for which no proxy is used, in the form of `NO_PROXY`.
///
/// Commas or white space separate the entries. An entry is one of these:
///
/// - `*` for everything;
/// - a host with all its subdomains; `example.com` and `.example.com` mean the same;
/// - an IP address;
/// - a block of IP addresses, such as `10.0.0.0/8` or `fd00::/8`.
///
/// Each entry may have a port. Other entries match nothing.
struct ProxyExceptions: Sendable, Hashable {
    private enum HostPattern: Sendable, Hashable {
        case everything
        case domain(String)
        case block(IPAddressBlock)
    }
    private struct Entry: Sendable, Hashable {
        let pattern: HostPattern
        let port: Int?
    }

    private let entries: [Entry]

    init(_ text: String) {
        entries = text.split { $0 == "," || $0.isWhitespace }.map { Self.entry(String($0).lowercased()) }
    }

    func contains(_ origin: HTTPOrigin) -> Bool {
        let address = IPAddressBlock.bytes(of: origin.host)
        let host = origin.host.hasSuffix(".") ? String(origin.host.dropLast()) : origin.host
        return entries.contains { entry in
            if let port = entry.port, port != origin.port { return false }
            switch entry.pattern {
            case .everything: return true
            // An address has no subdomains.
            case .domain(let domain): return host == domain || (address == nil && host.hasSuffix(".\(domain)"))
            case .block(let block): return address.map(block.contains) ?? false
            }
        }
    }

    private static func entry(_ text: String) -> Entry {
        if text == "*" { return Entry(pattern: .everything, port: nil) }
        if let block = IPAddressBlock(text) { return Entry(pattern: .block(block), port: nil) }
        var name = text
        var port: Int?
        if let colon = text.lastIndex(of: ":"), let number = Int(text[text.index(after: colon)...]) {
            name = String(text[..<colon])
            port = number
        }
        if let block = IPAddressBlock(HTTPOrigin.bare(name)) { return Entry(pattern: .block(block), port: port) }
        if name == "*" { return Entry(pattern: .everything, port: port) }
        if name.hasPrefix("*.") { name.removeFirst() }
        if name.hasPrefix(".") { name.removeFirst() }
        if name.hasSuffix(".") { name.removeLast() }
        return Entry(pattern: .domain(name), port: port)
    }
}
