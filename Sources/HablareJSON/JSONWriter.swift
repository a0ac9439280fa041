import Foundation
import Hablare

/// A writer of a value as JSON. The members of an object are written in the order of the bytes of their names. This
/// type is pure.
///
/// It writes the same JSON as `JSONEncoder`, but does not create a container and a box for each part. It must be fast,
/// because it writes the body of every call to a service.
struct JSONWriter: Sendable {
    /// The reason why a value cannot be written.
    enum Problem: Error, Sendable, Hashable {
        /// The value has a number that JSON cannot express.
        case notFinite
        /// The value is nested more deeply than ``maximumDepth`` levels.
        case tooDeep
    }

    /// The maximum number of levels. `JSONEncoder` has the same limit. It is far above the limit for a request.
    static let maximumDepth = 512

    private var bytes: [UInt8] = []

    /// Returns the JSON of a value.
    static func data(of value: ParameterValue) throws(Problem) -> Data {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(512)
        try writer.write(value, depth: 0)
        return Data(writer.bytes)
    }

    private mutating func write(_ value: ParameterValue, depth: Int) throws(Problem) {
        guard depth <= Self.maximumDepth else { throw .tooDeep }
        switch value {
        case .null: write(verbatim: "null")
        case .bool(let value): write(verbatim: value ? "true" : "false")
        case .int(let value): bytes.append(contentsOf: String(value).utf8)
        case .double(let value): try write(value)
        case .string(let value): write(quoted: value)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try write(value, depth: depth + 1)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            let members = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(quoted: member.key)
                bytes.append(UInt8(ascii: ":"))
                try write(member.value, depth: depth + 1)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private mutating func write(verbatim word: StaticString) {
        word.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Writes a number with as few digits as possible, so that reading it gives the same number. Writes a whole number
    /// without a fraction.
    private mutating func write(_ number: Double) throws(Problem) {
        guard number.isFinite else { throw .notFinite }
        let text = number.description
        bytes.append(contentsOf: text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8)
    }

    private mutating func write(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { text in
            var plain = text.startIndex
            for index in text.indices where Self.mustBeEscaped(text[index]) {
                bytes.append(contentsOf: text[plain..<index])
                write(escaped: text[index])
                plain = index + 1
            }
            bytes.append(contentsOf: text[plain...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns whether JSON requires an escape for a byte (RFC 8259, section 7).
    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func write(escaped byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default: bytes.append(contentsOf: "u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8)
        }
    }
}
