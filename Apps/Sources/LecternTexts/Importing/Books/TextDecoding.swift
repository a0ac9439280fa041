/// Decodes the bytes of a text file.
enum TextDecoding {
    /// An encoding that is recognised.
    enum Encoding: Equatable { case utf8, utf16LittleEndian, utf16BigEndian, latin1 }

    /// Returns the text without its byte order mark, and a warning if bytes had to be replaced.
    ///
    /// A byte order mark decides. Without one the text is UTF-16 if every other byte of its beginning is zero, UTF-8 if
    /// it is valid, and otherwise Latin-1 in the extent of Windows-1252.
    static func text(of bytes: [UInt8]) -> (text: String, warning: String?) {
        let (encoding, skip) = encoding(of: bytes)
        let rest = bytes[skip...]
        switch encoding {
        case .utf8:
            if let text = String(validating: rest, as: UTF8.self) { return (text, nil) }
            return (String(decoding: rest, as: UTF8.self), "The text is not valid UTF-8. Bytes were replaced.")
        case .utf16LittleEndian, .utf16BigEndian:
            var units: [UInt16] = []
            units.reserveCapacity(rest.count / 2)
            var index = rest.startIndex
            while index + 1 < rest.endIndex {
                let (one, other) = (UInt16(rest[index]), UInt16(rest[index + 1]))
                units.append(encoding == .utf16LittleEndian ? other << 8 | one : one << 8 | other)
                index += 2
            }
            if rest.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) { return (text, nil) }
            return (String(decoding: units, as: UTF16.self), "The text is not valid UTF-16. Bytes were replaced.")
        case .latin1:
            var text = String.UnicodeScalarView()
            for byte in rest { text.append(windows1252[byte] ?? Unicode.Scalar(byte)) }
            return (String(text), "The text is not UTF-8. It was read as Latin-1.")
        }
    }

    /// Returns the encoding, and the length of the byte order mark.
    static func encoding(of bytes: [UInt8]) -> (Encoding, Int) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        let beginning = bytes.prefix(256)
        if beginning.count >= 4 {
            let zeros = beginning.indices.filter { beginning[$0] == 0 }
            let odd = zeros.count { !$0.isMultiple(of: 2) }
            if odd * 3 > beginning.count, odd == zeros.count { return (.utf16LittleEndian, 0) }
            if (zeros.count - odd) * 3 > beginning.count, odd == 0 { return (.utf16BigEndian, 0) }
        }
        return (String(validating: bytes, as: UTF8.self) == nil ? .latin1 : .utf8, 0)
    }

    /// The characters of Windows-1252 that Latin-1 lacks.
    private static let windows1252: [UInt8: Unicode.Scalar] = [
        0x80: "\u{20AC}", 0x82: "\u{201A}", 0x83: "\u{0192}", 0x84: "\u{201E}", 0x85: "\u{2026}", 0x86: "\u{2020}",
        0x87: "\u{2021}", 0x88: "\u{02C6}", 0x89: "\u{2030}", 0x8A: "\u{0160}", 0x8B: "\u{2039}", 0x8C: "\u{0152}",
        0x8E: "\u{017D}", 0x91: "\u{2018}", 0x92: "\u{2019}", 0x93: "\u{201C}", 0x94: "\u{201D}", 0x95: "\u{2022}",
        0x96: "\u{2013}", 0x97: "\u{2014}", 0x98: "\u{02DC}", 0x99: "\u{2122}", 0x9A: "\u{0161}", 0x9B: "\u{203A}",
        0x9C: "\u{0153}", 0x9E: "\u{017E}", 0x9F: "\u{0178}",
    ]
}
