/// Writes numbers and strings as bytes, small numbers in one byte.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ number: Int) {
        // Zigzag, so that small negative numbers are short, too.
        write(UInt64(bitPattern: Int64(number << 1 ^ number >> 63)))
    }

    mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            write(UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    mutating func write<T>(_ value: T?, _ write: (inout ByteWriter, T) -> Void) {
        bytes.append(value == nil ? 0 : 1)
        if let value { write(&self, value) }
    }

    mutating func write<T>(_ values: [T], _ write: (inout ByteWriter, T) -> Void) {
        self.write(UInt64(values.count))
        for value in values { write(&self, value) }
    }
}
