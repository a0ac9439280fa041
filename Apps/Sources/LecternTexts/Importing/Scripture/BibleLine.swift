/// A line of `bible -f`, in its parts.
struct BibleLine {
    /// The abbreviation of the book, such as `1Sm`.
    let book: ArraySlice<UInt8>
    /// The number of the chapter, from 1.
    let chapter: Int
    /// The number of the verse, from 1.
    let verse: Int
    /// The rest of the line.
    let text: ArraySlice<UInt8>

    /// Takes a line apart; `nil` if it is no verse.
    init?(_ line: ArraySlice<UInt8>) {
        var rest = line.drop(while: \.isASCIISpace)
        let start = rest.startIndex
        if let first = rest.first, first.isASCIIDigit { rest = rest.dropFirst() }
        let letters = rest.prefix(while: \.isASCIILetter)
        guard !letters.isEmpty else { return nil }
        book = line[start..<letters.endIndex]
        rest = rest[letters.endIndex...]
        guard let chapter = Self.number(&rest), rest.first == UInt8(ascii: ":") else { return nil }
        rest = rest.dropFirst()
        guard let verse = Self.number(&rest), rest.first?.isASCIISpace == true, chapter > 0, verse > 0 else {
            return nil
        }
        self.chapter = chapter
        self.verse = verse
        text = rest.drop { $0 == UInt8(ascii: " ") }
    }

    /// The text with single spaces, and whether bytes that are no UTF-8 were replaced.
    var cleanText: (text: String, isRepaired: Bool) {
        if let text = String(validating: text, as: UTF8.self) { return (text.collapsed, false) }
        return (String(decoding: text, as: UTF8.self).collapsed, true)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
        let digits = rest.prefix(while: \.isASCIIDigit)
        guard !digits.isEmpty, digits.count <= 4 else { return nil }
        rest = rest[digits.endIndex...]
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}

extension String {
    /// The text with white space and control characters as single ASCII spaces, and none at its ends.
    var collapsed: String {
        // Nearly all verses are ASCII with single spaces, but for a space at their start.
        let isClean = utf8.withContiguousStorageIfAvailable { bytes in
            var wasSpace = true
            for byte in bytes {
                guard byte > 0x20 && byte < 0x7F || (byte == 0x20 && !wasSpace) else { return false }
                wasSpace = byte == 0x20
            }
            return !wasSpace || bytes.isEmpty
        }
        if isClean == true { return self }
        return unicodeScalars.split(whereSeparator: \.isCollapsible).map(String.init).joined(separator: " ")
    }

    /// The text with white space and control characters as single ASCII spaces. A space at an end is kept.
    var collapsedInside: String {
        guard let first = unicodeScalars.first, let last = unicodeScalars.last else { return "" }
        let inside = collapsed
        if inside.isEmpty { return " " }
        return (first.isCollapsible ? " " : "") + inside + (last.isCollapsible ? " " : "")
    }
}

extension Unicode.Scalar {
    /// A Boolean value that says whether the character is white space or a control character. A no-break space is kept.
    var isCollapsible: Bool {
        value <= 0x20 || (value >= 0x7F && value < 0xA0) || value == 0xFEFF
            || (value != 0xA0 && value != 0x202F && value > 0x7F && properties.isWhitespace)
    }
}
