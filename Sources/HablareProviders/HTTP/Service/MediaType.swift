/// A media type without its parameters, in lower case (RFC 9110, 8.3.1).
struct MediaType: Sendable, Hashable {
    let text: String

    init(_ field: String) {
        // Media types are ASCII (RFC 6838, section 4.2). Byte comparison avoids the cost of Unicode for every answer.
        let bytes = field.utf8.prefix { $0 != UInt8(ascii: ";") }.lazy.filter { $0 != 0x20 && $0 != 0x09 }
        text = String(
            decoding: bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self)
    }

    /// Returns whether it matches one of these kinds: whole media types, or their first parts.
    func isOne(of kinds: [String]) -> Bool {
        kinds.contains {
            text == $0 || text.hasPrefix($0 + "/") || ($0 == "application/json" && text.hasSuffix("+json"))
        }
    }
}
