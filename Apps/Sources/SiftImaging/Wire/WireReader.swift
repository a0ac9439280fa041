/// The bytes of another process are not what the protocol says.
struct WireViolation: Error, Hashable {
    let what: String
}

/// Reads what ``WireWriter`` wrote, from a process that may be compromised.
struct WireReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) throws(WireViolation) -> Value {
        let size = MemoryLayout<Value>.size
        guard bytes.count - place >= size else { throw WireViolation(what: "a message ends early") }
        var value: Value = 0
        for index in (0..<size).reversed() { value = value << 8 | Value(truncatingIfNeeded: bytes[place + index]) }
        place += size
        return value
    }

    mutating func bool() throws(WireViolation) -> Bool {
        switch try integer(UInt8.self) {
        case 0: return false
        case 1: return true
        default: throw WireViolation(what: "a truth value is neither 0 nor 1")
        }
    }

    mutating func double() throws(WireViolation) -> Double { Double(bitPattern: try integer()) }

    mutating func data() throws(WireViolation) -> [UInt8] {
        let count = Int(try integer(UInt32.self))
        guard bytes.count - place >= count else { throw WireViolation(what: "a message ends early") }
        defer { place += count }
        return Array(bytes[place..<place + count])
    }

    mutating func text() throws(WireViolation) -> String {
        guard let text = String(validating: try data(), as: UTF8.self) else {
            throw WireViolation(what: "a text is not UTF-8")
        }
        return text
    }

    mutating func optional<Value>(
        _ body: (inout Self) throws(WireViolation) -> Value
    ) throws(WireViolation) -> Value? {
        try bool() ? try body(&self) : nil
    }

    /// Throws where bytes are left.
    func end() throws(WireViolation) {
        guard place == bytes.count else { throw WireViolation(what: "a message is longer than its content") }
    }
}
