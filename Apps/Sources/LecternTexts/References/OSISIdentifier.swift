/// The book, the chapter and the verse of an `osisID`, such as `Bible.KJV:Gen.1.16!a`.
///
/// It is read leniently, unlike ``Reference/init(osis:)``: a number may have letters behind it, and more parts are
/// skipped.
struct OSISIdentifier: Equatable {
    /// The book.
    let book: BookID
    /// The chapter; `nil` without a number.
    let chapter: Int?
    /// The verse; `nil` without a number.
    let verse: Int?

    /// Parses an identifier; `nil` if it begins with no book.
    init?(_ text: some StringProtocol) {
        let parts = Self.parts(of: text)
        guard let book = parts.first, !book.isEmpty,
            book.utf8.allSatisfy({ $0.isASCIIDigit || $0.isASCIILetter || $0 == UInt8(ascii: "_") })
        else { return nil }
        self.book = BookID(rawValue: String(book))
        chapter = parts.count > 1 ? Int(leadingDigits: parts[1]) : nil
        verse = parts.count > 2 ? Int(leadingDigits: parts[2]) : nil
    }

    /// Returns what periods separate, without the name of a work (`Bible.KJV:`) and grains (`!a`, `@s[1]`).
    static func parts<Text: StringProtocol>(of text: Text) -> [Text.SubSequence] {
        var text = text[...]
        if let colon = text.lastIndex(of: ":") { text = text[text.index(after: colon)...] }
        if let grain = text.firstIndex(where: { $0 == "!" || $0 == "@" }) { text = text[..<grain] }
        return text.split(separator: ".", omittingEmptySubsequences: false)
    }
}

extension Int {
    /// The number that the digits at the start of a text give, from 0 to 9,999; `nil` if there is none.
    init?(leadingDigits text: some StringProtocol) {
        let digits = text.utf8.prefix(while: \.isASCIIDigit)
        guard !digits.isEmpty, digits.count <= 4 else { return nil }
        self = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
