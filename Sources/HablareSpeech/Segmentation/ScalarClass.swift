/// The role of a Unicode scalar for a ``WordScanner``.
enum ScalarClass {
    case whiteSpace
    /// A letter or a digit, of any script.
    case speech
    /// The dot `.`, which may belong to an abbreviation.
    case dot
    /// `!`, `?` and similar marks.
    case terminator
    /// `。` and similar marks. They need no white space after them.
    case wideTerminator
    /// `;` `:` `,`
    case clause
    /// `，` and similar marks. They need no white space after them.
    case wideClause
    /// A closing quote or bracket, or a mark that ends emphasis in Markdown.
    case closer
    /// A quote that opens in some languages and closes in other languages.
    case eitherQuote
    case other

    /// Returns the class of the scalar at an offset of well-formed UTF-8, and its length in bytes.
    @inline(__always)
    static func at(_ index: Int, of bytes: [UInt8]) -> (kind: ScalarClass, length: Int) {
        let lead = bytes[index]
        return lead < 0x80 ? (ascii(lead), 1) : multibyte(at: index, of: bytes)
    }

    @inline(__always)
    private static func ascii(_ byte: UInt8) -> ScalarClass {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            .speech
        case 0x20, 0x09...0x0D: .whiteSpace
        case UInt8(ascii: "."): .dot
        case UInt8(ascii: "!"), UInt8(ascii: "?"): .terminator
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: ";"): .clause
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"),
            UInt8(ascii: "*"), UInt8(ascii: "_"):
            .closer
        default: .other
        }
    }

    private static func multibyte(at index: Int, of bytes: [UInt8]) -> (kind: ScalarClass, length: Int) {
        if WhiteSpace.length(in: bytes, at: index) > 0 {
            return (.whiteSpace, WhiteSpace.length(in: bytes, at: index))
        }
        let (scalar, length) = UTF8Decoding.scalar(of: bytes, at: index)
        return (multibyte(scalar), length)
    }

    private static func multibyte(_ scalar: Unicode.Scalar) -> ScalarClass {
        switch scalar {
        case "…", "‼", "⁇", "⁈", "⁉", "؟", "۔", "।", "॥": return .terminator
        case "。", "！", "？", "．", "｡": return .wideTerminator
        case "،", "؛": return .clause
        case "，", "、", "；", "：", "､": return .wideClause
        default: break
        }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber:
            .speech
        case .closePunctuation, .finalPunctuation: .closer
        case .initialPunctuation: .eitherQuote
        default: .other
        }
    }
}
