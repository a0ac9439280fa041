/// Writes values for another process: little-endian numbers, texts and bytes behind their length.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ value: Bool) { write(UInt8(value ? 1 : 0)) }

    mutating func write(_ value: Double) { write(value.bitPattern) }

    mutating func write(_ value: String) { write(Array(value.utf8)) }

    mutating func write(_ value: [UInt8]) {
        write(UInt32(value.count))
        bytes += value
    }

    /// Writes a value that may be missing.
    mutating func write<Value>(_ value: Value?, _ body: (inout Self, Value) -> Void) {
        write(value != nil)
        if let value { body(&self, value) }
    }
}
