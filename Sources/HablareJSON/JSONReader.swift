package import Foundation
package import Hablare

/// A reader of a JSON value that begins at a position in a text. Other text may follow the value.
///
/// The reader follows RFC 8259 strictly, because a model wrote the text and may write anything. Its time is
/// proportional to the length that it reads. It reads values that are nested up to ``CanonicalEncoding/maximumDepth``
/// levels deep. It refuses:
///
/// - An object that has a name twice. For such an object, Foundation uses the first value of the name, and other
///   readers use the last value. However, the value that is checked must be the value that is decoded.
/// - An object with two names that Unicode considers equivalent, such as `é` and `e` with a combining accent. In JSON
///   these are two names, but a Swift dictionary can store only one of them.
/// - A number that is too large for a `Double`.
///
/// With ``takesLast``, the reader accepts a name that occurs twice in an object, and uses its last value. In all other
/// respects, it is as strict as without this option.
package struct JSONReader {
    /// The reason why the reader returns no value.
    package enum Problem: Error, Equatable {
        /// The text ends inside the value. More text could complete the value.
        case cut
        /// JSON does not allow the byte at this offset, or the value is nested too deeply.
        case unexpected(at: Int)
        /// An object has a name for the second time. The value is the offset of the second name.
        case nameTwice(at: Int)
    }

    private let bytes: [UInt8]
    package private(set) var offset: Int
    /// Whether a name may occur twice in an object. If so, the last value is used.
    private let takesLast: Bool
    /// Whether the reader has read a number that is not written as a whole number or is too large for a whole number.
    private var hasReals = false

    /// Creates a reader at a position in a text.
    package init(_ bytes: [UInt8], at offset: Int = 0, takesLast: Bool = false) {
        self.bytes = bytes
        self.offset = offset
        self.takesLast = takesLast
    }

    /// Returns the value of a whole text. The text may have nothing else except white space and a byte order mark.
    package static func value(of text: Data, takesLast: Bool = false) throws(Problem) -> ParameterValue {
        var reader = try JSONReader(whole: text, takesLast: takesLast)
        return try reader.wholeValue()
    }

    /// Returns the value of a whole text, with each number in a single form (``ParameterValue/normalized(below:)``).
    /// Returns `nil` if a number has no such form. In other respects, the function behaves like
    /// ``value(of:takesLast:)``.
    package static func normalizedValue(of text: Data, takesLast: Bool = false) throws(Problem) -> ParameterValue? {
        var reader = try JSONReader(whole: text, takesLast: takesLast)
        let value = try reader.wholeValue()
        // Most texts have only whole numbers, which are in that form already.
        return reader.hasReals ? value.normalized() : value
    }

    private init(whole text: Data, takesLast: Bool) throws(Problem) {
        let bytes = Array(text)
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .unexpected(at: 0) }
        self.init(bytes, at: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0, takesLast: takesLast)
    }

    private mutating func wholeValue() throws(Problem) -> ParameterValue {
        let value = try value()
        skipSpace()
        guard offset == bytes.count else { throw .unexpected(at: offset) }
        return value
    }

    /// Reads the next value. Moves the position to the end of the value.
    package mutating func value() throws(Problem) -> ParameterValue {
        try value(depth: 0)
    }

    /// Skips white space.
    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func unexpected() -> Problem { offset < bytes.count ? .unexpected(at: offset) : .cut }

    private mutating func value(depth: Int) throws(Problem) -> ParameterValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte): return try number()
        default: throw unexpected()
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func enter(_ depth: Int) throws(Problem) {
        guard depth <= CanonicalEncoding.maximumDepth else { throw unexpected() }
        offset += 1
    }

    private mutating func object(depth: Int) throws(Problem) -> ParameterValue {
        try enter(depth)
        var members: [String: ParameterValue] = [:]
        if take("}") { return .object(members) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw unexpected() }
            let start = offset
            let name = try string()
            guard take(":") else { throw unexpected() }
            let isTwice = members.updateValue(try value(depth: depth), forKey: name) != nil
            guard !isTwice || takesLast else { throw .nameTwice(at: start) }
            if take("}") { return .object(members) }
            guard take(",") else { throw unexpected() }
        }
    }

    private mutating func array(depth: Int) throws(Problem) -> ParameterValue {
        try enter(depth)
        var values: [ParameterValue] = []
        if take("]") { return .array(values) }
        while true {
            values.append(try value(depth: depth))
            if take("]") { return .array(values) }
            guard take(",") else { throw unexpected() }
        }
    }

    private mutating func word(_ word: String, _ value: ParameterValue) throws(Problem) -> ParameterValue {
        for byte in word.utf8 {
            guard next == byte else { throw unexpected() }
            offset += 1
        }
        return value
    }

    // MARK: Numbers

    private mutating func digits() throws(Problem) {
        guard let first = next, Self.isDigit(first) else { throw unexpected() }
        while let byte = next, Self.isDigit(byte) { offset += 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private mutating func number() throws(Problem) -> ParameterValue {
        let start = offset
        var isWhole = true
        if next == UInt8(ascii: "-") { offset += 1 }
        if next == UInt8(ascii: "0") { offset += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            isWhole = false
            offset += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isWhole = false
            offset += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isWhole, let number = Int64(text) { return .int(number) }
        guard let number = Double(text), number.isFinite else { throw .unexpected(at: start) }
        hasReals = true
        return .double(number)
    }

    // MARK: Texts

    private mutating func string() throws(Problem) -> String {
        offset += 1
        var start = offset
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { offset += 1 }
        if next == UInt8(ascii: "\"") {
            defer { offset += 1 }
            return String(decoding: bytes[start..<offset], as: UTF8.self)
        }
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                text += bytes[start..<offset]
                offset += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                text += bytes[start..<offset]
                offset += 1
                text += String(try escaped()).utf8
                start = offset
            case 0..<0x20: throw unexpected()
            default: offset += 1
            }
        }
        throw .cut
    }

    private mutating func escaped() throws(Problem) -> Unicode.Scalar {
        guard let byte = next else { throw .cut }
        let plain: Unicode.Scalar
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = Unicode.Scalar(byte)
        case UInt8(ascii: "b"): plain = "\u{8}"
        case UInt8(ascii: "f"): plain = "\u{C}"
        case UInt8(ascii: "n"): plain = "\n"
        case UInt8(ascii: "r"): plain = "\r"
        case UInt8(ascii: "t"): plain = "\t"
        case UInt8(ascii: "u"): return try escapedUnit()
        default: throw unexpected()
        }
        offset += 1
        return plain
    }

    /// Reads a character that is written as one UTF-16 escape, or as a surrogate pair of two escapes.
    private mutating func escapedUnit() throws(Problem) -> Unicode.Scalar {
        let start = offset
        let high = try unit()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard next != nil else { throw .cut }
        guard next == UInt8(ascii: "\\") else { throw .unexpected(at: start) }
        offset += 1
        guard next != nil else { throw .cut }
        guard high < 0xDC00, next == UInt8(ascii: "u") else { throw .unexpected(at: start) }
        let low = try unit()
        guard 0xDC00...0xDFFF ~= low, let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw .unexpected(at: start) }
        return scalar
    }

    /// Reads the four hexadecimal digits after a `u`.
    private mutating func unit() throws(Problem) -> UInt32 {
        offset += 1
        var number: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw unexpected()
            }
            number = number << 4 | UInt32(digit)
            offset += 1
        }
        return number
    }
}
