import Foundation

/// A reader of a JSON document (RFC 8259). It reads the document piece by piece, so that only one value is in memory.
struct JSONReader {
    enum Token: Hashable {
        case beginObject, endObject, beginArray, endArray
        case key(String)
        case string(String)
        case integer(Int64)
        case real(Double)
        case bool(Bool)
        case null
        /// The end of the document.
        case end
    }

    private enum Container { case object, array }

    private enum Expected { case value, valueOrEnd, key, keyOrEnd, commaOrEnd, nothing }

    /// The maximum nesting depth. Exported documents stay below it. A malicious document is refused.
    private static let greatestDepth = 32

    private let read: (_ count: Int) throws -> Data?
    private var buffer: [UInt8] = []
    private var offset = 0
    private var containers: [Container] = []
    private var expected = Expected.value
    /// The line that is being read, from 1.
    private(set) var line = 1

    /// - Parameter read: A closure that returns the next bytes, up to `count`. It returns no bytes at the end.
    init(read: @escaping (_ count: Int) throws -> Data?) {
        self.read = read
    }

    mutating func next() throws -> Token {
        while true {
            guard let byte = try nextBesideSpace() else {
                guard expected == .nothing else { throw malformed("The document is incomplete. Export it again.") }
                return .end
            }
            switch (expected, byte) {
            case (.commaOrEnd, UInt8(ascii: ",")):
                take()
                expected = containers.last == .object ? .key : .value
            case (.commaOrEnd, UInt8(ascii: "]")), (.valueOrEnd, UInt8(ascii: "]")):
                return try end(.array)
            case (.commaOrEnd, UInt8(ascii: "}")), (.keyOrEnd, UInt8(ascii: "}")):
                return try end(.object)
            case (.key, UInt8(ascii: "\"")), (.keyOrEnd, UInt8(ascii: "\"")):
                let key = try string()
                guard try nextBesideSpace() == UInt8(ascii: ":") else { throw malformed("A colon is missing.") }
                take()
                expected = .value
                return .key(key)
            case (.value, _), (.valueOrEnd, _):
                return try value(byte)
            default: throw malformed("There is an unexpected character here.")
            }
        }
    }

    // MARK: Values

    private mutating func value(_ byte: UInt8) throws -> Token {
        switch byte {
        case UInt8(ascii: "{"): return try begin(.object, .keyOrEnd, .beginObject)
        case UInt8(ascii: "["): return try begin(.array, .valueOrEnd, .beginArray)
        default: break
        }
        let token: Token =
            switch byte {
            case UInt8(ascii: "\""): .string(try string())
            case UInt8(ascii: "n"): try word("null", .null)
            case UInt8(ascii: "t"): try word("true", .bool(true))
            case UInt8(ascii: "f"): try word("false", .bool(false))
            default: try number()
            }
        finishValue()
        return token
    }

    private mutating func begin(_ container: Container, _ next: Expected, _ token: Token) throws -> Token {
        guard containers.count < Self.greatestDepth else { throw malformed("The document is nested too deeply.") }
        take()
        containers.append(container)
        expected = next
        return token
    }

    private mutating func end(_ container: Container) throws -> Token {
        guard containers.last == container else { throw malformed("The closing bracket has the wrong kind.") }
        take()
        containers.removeLast()
        finishValue()
        return container == .object ? .endObject : .endArray
    }

    private mutating func finishValue() { expected = containers.isEmpty ? .nothing : .commaOrEnd }

    private mutating func word(_ word: StaticString, _ token: Token) throws -> Token {
        for byte in "\(word)".utf8 {
            guard try peek() == byte else { throw malformed("There is a word that JSON does not have.") }
            take()
        }
        return token
    }

    private mutating func number() throws -> Token {
        var text = ""
        var isReal = false
        func refused() -> ExchangeError { malformed("\u{201C}\(text.prefix(40))\u{201D} is not a JSON number.") }
        if try peek() == UInt8(ascii: "-") { text.append(taken()) }
        let start = try digits(&text)
        guard start.count == 1 || start.first == "0" ? start.count == 1 : !start.isEmpty else { throw refused() }
        if try peek() == UInt8(ascii: ".") {
            text.append(taken())
            isReal = true
            guard try !digits(&text).isEmpty else { throw refused() }
        }
        if let byte = try peek(), byte | 0x20 == UInt8(ascii: "e") {
            text.append(taken())
            isReal = true
            if let sign = try peek(), [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(sign) { text.append(taken()) }
            guard try !digits(&text).isEmpty else { throw refused() }
        }
        if !isReal, let number = Int64(text) { return .integer(number) }
        guard isReal, let number = Double(text), number.isFinite else {
            throw malformed("\u{201C}\(text.prefix(40))\u{201D} is too large for a number in a database.")
        }
        return .real(number)
    }

    /// Reads digits and returns them.
    private mutating func digits(_ text: inout String) throws -> Substring {
        let start = text.endIndex
        while let byte = try peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            guard text.utf8.count < 1_000 else { throw malformed("A number has more than a thousand digits.") }
            text.append(taken())
        }
        return text[start...]
    }

    // MARK: Strings

    private mutating func string() throws -> String {
        take()
        var bytes: [UInt8] = []
        while let byte = try peek() {
            take()
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw malformed("A string is not UTF-8.")
                }
                return text
            case UInt8(ascii: "\\"): try escape(into: &bytes)
            case 0..<0x20: throw malformed("A string has a control character that is not escaped.")
            default: bytes.append(byte)
            }
        }
        throw malformed("The document ends inside a string. Export it again.")
    }

    private mutating func escape(into bytes: inout [UInt8]) throws {
        let byte = try peek()
        if byte != nil { take() }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes += [byte].compactMap(\.self)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"):
            var units = [try unit()]
            if (0xD800..<0xDC00).contains(units[0]) {
                // The second half of a surrogate pair must follow.
                guard try peek() == UInt8(ascii: "\\") else {
                    throw malformed("A string has one half of a surrogate pair.")
                }
                take()
                guard try peek() == UInt8(ascii: "u") else {
                    throw malformed("A string has one half of a surrogate pair.")
                }
                take()
                units.append(try unit())
            }
            guard let text = String(validating: units, as: UTF16.self) else {
                throw malformed("A string has one half of a surrogate pair.")
            }
            bytes += text.utf8
        default: throw malformed("A string has an escape that JSON does not have.")
        }
    }

    private mutating func unit() throws -> UInt16 {
        var digits = ""
        for _ in 0..<4 where try peek() != nil { digits.append(taken()) }
        guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let unit = UInt16(digits, radix: 16) else {
            throw malformed("A string has an escape that JSON does not have.")
        }
        return unit
    }

    // MARK: Bytes

    private mutating func peek() throws -> UInt8? {
        if offset < buffer.count { return buffer[offset] }
        guard let data = try read(64 * 1024), !data.isEmpty else { return nil }
        buffer = Array(data)
        offset = 0
        return buffer[0]
    }

    /// Moves past the current byte.
    private mutating func take() {
        if buffer[offset] == UInt8(ascii: "\n") { line += 1 }
        offset += 1
    }

    /// Returns the current byte as a character, and moves past this byte.
    private mutating func taken() -> Character {
        defer { take() }
        return Character(Unicode.Scalar(buffer[offset]))
    }

    private mutating func nextBesideSpace() throws -> UInt8? {
        while let byte = try peek() {
            guard byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B && byte != 0x0C else { return byte }
            take()
        }
        return nil
    }

    func malformed(_ message: String) -> ExchangeError {
        ExchangeError(.malformed, message, at: ExchangeError.Position(line: line))
    }
}
