#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Decodes the text of XML: UTF-8 with references to characters and to the five predefined entities.
enum MarkupText {
    /// Text, and whether it had to be repaired.
    struct Decoded {
        /// The text. Invalid bytes are U+FFFD.
        var text: String
        /// A Boolean value that tells whether the bytes are no UTF-8.
        var hasInvalidBytes = false
        /// The first reference to an entity that is not known; it stays in the text as it is.
        var unknownEntity: String?
    }

    /// Returns a Boolean value that tells whether a byte is white space of XML.
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// Decodes bytes. `entities` are more entities by name, such as `nbsp`.
    static func decode(_ bytes: ArraySlice<UInt8>, entities: [String: String]) -> Decoded {
        guard hasReference(bytes) else { return plain(bytes) }
        var result = Decoded(text: "")
        var rest = bytes
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            add(rest[..<start], to: &result)
            let name = rest[(start + 1)...].prefix(32).prefix { $0 != UInt8(ascii: ";") }
            if name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: ";"),
                let value = value(of: String(decoding: name, as: UTF8.self), entities: entities)
            {
                result.text += value
                rest = rest[(name.endIndex + 1)...]
            } else {
                result.unknownEntity = result.unknownEntity ?? "&" + String(decoding: name, as: UTF8.self)
                result.text += "&"
                rest = rest[(start + 1)...]
            }
        }
        add(rest, to: &result)
        return result
    }

    /// Decodes the bytes of a section of character data, in which `&` is a character.
    static func decode(_ bytes: ArraySlice<UInt8>, literally: Bool) -> Decoded {
        literally ? plain(bytes) : decode(bytes, entities: [:])
    }

    private static func hasReference(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return false }
            return memchr(base, Int32(UInt8(ascii: "&")), bytes.count) != nil
        }
    }

    private static func plain(_ bytes: ArraySlice<UInt8>) -> Decoded {
        if let text = String(validating: bytes, as: UTF8.self) { return Decoded(text: text) }
        return Decoded(text: String(decoding: bytes, as: UTF8.self), hasInvalidBytes: true)
    }

    private static func add(_ bytes: ArraySlice<UInt8>, to result: inout Decoded) {
        let part = plain(bytes)
        result.text += part.text
        result.hasInvalidBytes = result.hasInvalidBytes || part.hasInvalidBytes
    }

    private static func value(of name: String, entities: [String: String]) -> String? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.first == "#" else { return entities[name] }
        let digits = name.dropFirst()
        let code = digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let code, code >= 0x20 || code == 9 || code == 10 || code == 13 else { return nil }
        return Unicode.Scalar(code).map { String(Character($0)) }
    }
}
