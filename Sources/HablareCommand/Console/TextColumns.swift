extension StringProtocol {
    /// The number of columns that the text takes on a terminal. Chinese, Japanese and Korean characters and emoji take
    /// two columns. Combining marks take none (Unicode Standard Annex 11, version 16).
    var columns: Int { reduce(0) { $0 + $1.columns } }
}

extension String {
    /// Returns the text in at most `most` columns. If the text is longer, it is cut and ends with an ellipsis.
    ///
    /// - Parameter most: 1 or more.
    func cut(toColumns most: Int) -> String {
        guard columns > most else { return self }
        var left = most - 1
        let kept = prefix { character in
            left -= character.columns
            return left >= 0
        }
        return kept + "…"
    }
}

extension Character {
    /// The number of columns of the character on a terminal.
    var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.properties.isEmojiPresentation || Self.isWide(first) { return 2 }
        // A variation selector asks for the picture of a character such as a heart.
        if first.properties.isEmoji, unicodeScalars.dropFirst().first == "\u{FE0F}" { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default:
            // The voicing marks of half-width katakana have a column of their own.
            return 1 + unicodeScalars.dropFirst().count { 0xFF9E...0xFF9F ~= $0.value }
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x1100 && wide.contains { $0.contains(scalar.value) }
    }

    /// The ranges of the classes W and F of `EastAsianWidth.txt` that are not emoji. A range also includes unassigned
    /// characters between wide characters.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
        0x1AFF0...0x1B2FF, 0x1D300...0x1D37F, 0x1F200...0x1F2FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]
}
