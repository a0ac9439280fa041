import Foundation

/// An IP address, or a block of addresses with the same prefix (RFC 4632), such as `192.0.2.1`, `10.0.0.0/8` or
/// `fd00::/8`.
struct IPAddressBlock: Sendable, Hashable {
    private let bytes: [UInt8]
    private let bits: Int

    /// Reads a block. Returns `nil` for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let bytes = Self.bytes(of: String(first)) else { return nil }
        let bits = parts.count == 2 ? Int(parts[1]) : bytes.count * 8
        guard let bits, (0...bytes.count * 8).contains(bits) else { return nil }
        self.bytes = bytes
        self.bits = bits
    }

    /// Returns whether the block contains an address, given as bytes. A block never contains an address of another IP
    /// version.
    func contains(_ address: [UInt8]) -> Bool {
        guard address.count == bytes.count else { return false }
        let whole = bits / 8
        guard address.prefix(whole) == bytes.prefix(whole) else { return false }
        let remainder = bits % 8
        return remainder == 0 || (address[whole] ^ bytes[whole]) >> (8 - remainder) == 0
    }

    /// Returns the 4 or 16 bytes of an address. Returns `nil` for any other text.
    static func bytes(of text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        var six = in6_addr()
        if inet_pton(AF_INET6, text, &six) == 1 { return withUnsafeBytes(of: six) { Array($0) } }
        return nil
    }
}
