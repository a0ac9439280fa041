/// A word, a number or a sign of a reference that a person typed.
struct ReferenceToken: Equatable {
    enum Kind: Equatable {
        case number(Int)
        /// In lower case, without accents and apostrophes.
        case word(String)
        case dash, colon, period, comma, semicolon
        /// A character that no reference has.
        case other
    }

    var kind: Kind
    /// A Boolean value that says whether no space precedes the token.
    var isGlued: Bool

    /// Takes a text apart. Numbers above 9,999 become 9,999.
    static func tokens(of text: String) -> [ReferenceToken] {
        var tokens: [ReferenceToken] = []
        var word = String.UnicodeScalarView()
        var number: Int?
        var glued = false

        func flush() {
            if let value = number { tokens.append(ReferenceToken(kind: .number(value), isGlued: glued)) }
            if !word.isEmpty { tokens.append(ReferenceToken(kind: .word(String(word).folded), isGlued: glued)) }
            if number != nil || !word.isEmpty { glued = true }
            number = nil
            word.removeAll()
        }
        func sign(_ kind: Kind) {
            flush()
            tokens.append(ReferenceToken(kind: kind, isGlued: glued))
            glued = true
        }
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            if properties.numericType == .decimal, let value = properties.numericValue {
                if !word.isEmpty { flush() }
                number = min((number ?? 0) * 10 + Int(value), 9_999)
            } else if properties.isAlphabetic || properties.canonicalCombiningClass != .notReordered {
                if number != nil { flush() }
                word.append(scalar)
            } else {
                switch scalar {
                case "'", "\u{2019}", "\u{2018}", "\u{200E}", "\u{200F}": continue
                case "-", "\u{2010}"..."\u{2015}", "\u{2212}", "~": sign(.dash)
                case ":", "\u{FF1A}", "#": sign(.colon)
                case ".": sign(.period)
                case ",", "\u{060C}", "\u{3001}": sign(.comma)
                case ";", "\u{061B}", "|": sign(.semicolon)
                case "&":
                    flush()
                    tokens.append(ReferenceToken(kind: .word("and"), isGlued: false))
                case "(", ")", "[", "]", "\"", "/", "\u{201C}", "\u{201D}", "_":
                    flush()
                    glued = false
                case _ where scalar.isCollapsible || scalar.value == 0xA0 || scalar.value == 0x202F:
                    flush()
                    glued = false
                default: sign(.other)
                }
            }
        }
        flush()
        return tokens
    }
}
