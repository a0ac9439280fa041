import Hummingbird

/// The fields of an address's query, as forms write them: `+` is a space.
struct Query: Sendable {
    private var fields: [String: String] = [:]

    init(_ request: Request) { self.init(request.uri.query ?? "") }

    init(_ text: String) {
        for field in text.split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.map(Self.decoded), !name.isEmpty, fields[name] == nil else { continue }
            fields[name] = parts.count == 2 ? Self.decoded(parts[1]) : ""
        }
    }

    /// The value of the first field with a name; `nil` if there is none.
    subscript(name: String) -> String? { fields[name] }

    /// Bytes that are no UTF-8 become U+FFFD.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16), rest.count >= 2 {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
