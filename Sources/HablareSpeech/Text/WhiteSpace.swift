/// Functions that find white space in well-formed UTF-8. White space is defined by the Unicode property `White_Space`,
/// and includes no-break spaces.
enum WhiteSpace {
    /// Returns the length in bytes of the white-space scalar at an offset; zero if there is no such scalar.
    @inline(__always)
    static func length(in bytes: [UInt8], at index: Int) -> Int {
        switch bytes[index] {
        case 0x20, 0x09...0x0D: 1
        case 0xC2, 0xE1...0xE3: multibyteLength(in: bytes, at: index)
        default: 0
        }
    }

    private static func multibyteLength(in bytes: [UInt8], at index: Int) -> Int {
        let (scalar, length) = UTF8Decoding.scalar(of: bytes, at: index)
        return switch scalar.value {
        case 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: length
        default: 0
        }
    }

    /// Returns the end of the white space that begins at an offset.
    static func end(of bytes: [UInt8], from start: Int, to end: Int) -> Int {
        var index = start
        while index < end {
            let length = length(in: bytes, at: index)
            if length == 0 { break }
            index += length
        }
        return index
    }

    /// Returns a part of a text in which every sequence of white space is replaced by one space.
    static func folded(_ bytes: [UInt8], in range: Range<Int>) -> String {
        var folded: [UInt8] = []
        folded.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let next = end(of: bytes, from: index, to: range.upperBound)
            if next > index {
                folded.append(0x20)
                index = next
            } else {
                folded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: folded, as: UTF8.self)
    }
}
