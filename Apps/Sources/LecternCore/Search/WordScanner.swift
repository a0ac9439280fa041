/// Finds the words of a text in its UTF-8 bytes. ASCII, which is nearly all of most texts, is not decoded.
struct WordScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The place in bytes and in UTF-16 units.
    private var offset = 0
    private var units = 0
    private var lowered: [UInt8] = []

    /// Creates a scanner of valid UTF-8. The bytes must outlive it.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        lowered.reserveCapacity(TextFolding.longestWord)
    }

    /// Returns the next word, folded, or `nil` at the end.
    mutating func next() -> (folded: String, range: Range<Int>)? {
        while true {
            guard let word = nextRun() else { return nil }
            // A run of nothing but marks is no word.
            if !word.folded.isEmpty { return word }
        }
    }

    private mutating func nextRun() -> (folded: String, range: Range<Int>)? {
        var start: (offset: Int, units: Int)?
        var isPlain = true
        lowered.removeAll(keepingCapacity: true)
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte < 0x80 {
                guard let letter = Self.lowered(byte) else {
                    if let start { return word(from: start, isPlain) }
                    advance(1, 1)
                    continue
                }
                if start == nil { start = (offset, units) }
                if lowered.count < TextFolding.longestWord { lowered.append(letter) }
                advance(1, 1)
                continue
            }
            let (scalar, length) = decoded()
            switch Self.kind(of: scalar) {
            case .separator:
                if let start { return word(from: start, isPlain) }
                advance(length, scalar.utf16.count)
            case .single:
                if let start { return word(from: start, isPlain) }
                let place = (offset, units)
                advance(length, scalar.utf16.count)
                return word(from: place, false)
            case .letter:
                if start == nil { start = (offset, units) }
                isPlain = false
                advance(length, scalar.utf16.count)
            }
        }
        return start.map { word(from: $0, isPlain) }
    }

    private mutating func advance(_ length: Int, _ units: Int) {
        offset += length
        self.units += units
    }

    private func word(from start: (offset: Int, units: Int), _ isPlain: Bool) -> (folded: String, range: Range<Int>) {
        let range = start.units..<units
        if isPlain { return (String(decoding: lowered, as: UTF8.self), range) }
        let word = UnsafeBufferPointer(rebasing: bytes[start.offset..<offset])
        return (TextFolding.foldWord(String(decoding: word, as: UTF8.self)), range)
    }

    /// Returns the lower case of an ASCII letter or digit, or `nil` for any other byte.
    private static func lowered(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        default: nil
        }
    }

    /// Returns the scalar at the place, and its length in bytes.
    private func decoded() -> (scalar: Unicode.Scalar, length: Int) {
        let lead = bytes[offset]
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard offset + length <= bytes.count else { return ("\u{FFFD}", bytes.count - offset) }
        var value = UInt32(lead) & (0x7F >> UInt32(length))
        for index in 1..<length { value = value << 6 | UInt32(bytes[offset + index] & 0x3F) }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
    }

    private enum Kind { case letter, single, separator }

    private static func kind(of scalar: Unicode.Scalar) -> Kind {
        switch scalar.value {
        // Curly quotes, dashes and other marks of general punctuation, which are frequent.
        case 0x2010...0x205E: return .separator
        // Scripts without spaces between words: Thai, Lao, Myanmar, Khmer, kana.
        case 0x0E01...0x0E30, 0x0E32...0x0E33, 0x0E40...0x0E46, 0x0E81...0x0EB0, 0x1000...0x102A, 0x1780...0x17B3,
            0x3041...0x3096, 0x30A1...0x30FA:
            return .single
        default: break
        }
        let properties = scalar.properties
        if properties.isIdeographic { return .single }
        if isDropped(scalar) || properties.isAlphabetic || properties.numericType != nil { return .letter }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return .letter
        default: return .separator
        }
    }

    /// Returns whether folding drops a scalar: an accent, a point, a cantillation mark, or an invisible joiner.
    static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0300...0x036F, 0x0483...0x0489,  // Latin, Greek and Cyrillic
            0x0591...0x05BD, 0x05BF, 0x05C1...0x05C2, 0x05C4...0x05C5, 0x05C7,  // Hebrew
            0x0610...0x061A, 0x0640, 0x064B...0x065F, 0x0670, 0x06D6...0x06DC,  // Arabic
            0x06DF...0x06E8, 0x06EA...0x06ED,  // Arabic signs of recitation
            0x0711, 0x0730...0x074A,  // Syriac
            0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F,  // any script
            0x00AD, 0x034F, 0x200B...0x200F, 0x2060, 0xFEFF:  // joiners and marks of direction
            true
        default: false
        }
    }
}
