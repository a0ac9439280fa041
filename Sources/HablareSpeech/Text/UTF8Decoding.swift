/// Functions that read Unicode scalars directly from bytes, without creating a string.
enum UTF8Decoding {
    /// Returns the offset of the first sequence that is not well-formed UTF-8 (Unicode Standard, table 3-7); `nil` if
    /// there is none.
    static func firstIllFormedByte(of bytes: [UInt8], in range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            guard bytes[index] >= 0x80 else {
                index += 1
                continue
            }
            guard let length = sequenceLength(of: bytes, at: index, end: range.upperBound) else { return index }
            index += length
        }
        return nil
    }

    private static func sequenceLength(of bytes: [UInt8], at index: Int, end: Int) -> Int? {
        let length: Int
        let second: ClosedRange<UInt8>
        switch bytes[index] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard index + length <= end, second.contains(bytes[index + 1]) else { return nil }
        for offset in 2..<max(length, 2) where bytes[index + offset] & 0xC0 != 0x80 {
            return nil
        }
        return length
    }

    /// Returns the scalar that begins at an offset, and its length in bytes. The bytes at the offset must be
    /// well-formed.
    static func scalar(of bytes: [UInt8], at index: Int) -> (scalar: Unicode.Scalar, length: Int) {
        let lead = bytes[index]
        if lead < 0x80 { return (Unicode.Scalar(lead), 1) }
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        var value = UInt32(lead & (0x7F >> UInt8(length)))
        for offset in 1..<length {
            value = value << 6 | UInt32(bytes[index + offset] & 0x3F)
        }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
    }

    /// Returns the scalar that ends just before an offset, and the offset of its start. Returns `nil` at the lower
    /// bound.
    static func scalar(
        of bytes: [UInt8], endingAt end: Int, notBefore start: Int
    ) -> (scalar: Unicode.Scalar, start: Int)? {
        guard end > start else { return nil }
        var index = end - 1
        while index > start, bytes[index] & 0xC0 == 0x80 { index -= 1 }
        return (scalar(of: bytes, at: index).scalar, index)
    }
}
