extension Reference {
    /// The OSIS reference, such as `John`, `John.3`, `John.3.16` or `John.3.16-John.3.18`.
    public var osis: String {
        guard let places else { return book.rawValue }
        let first = osis(of: places.lowerBound)
        return places.lowerBound == places.upperBound ? first : "\(first)-\(osis(of: places.upperBound))"
    }

    private func osis(of place: Place) -> String {
        place.verse.map { "\(book).\(place.chapter).\($0)" } ?? "\(book).\(place.chapter)"
    }

    /// Creates a reference of an OSIS reference (`osisRef`, `osisID`).
    ///
    /// A prefix with the name of a work (`Bible.KJV:`) and grains (`!a`, `@s[1]`) are skipped. `nil` if the text is no
    /// reference, or if it begins in one book and ends in another.
    public init?(osis: some StringProtocol) {
        let ends = osis.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let text = ends.first, let (book, first) = Self.place(osis: text) else { return nil }
        guard ends.count == 2 else {
            self.init(book, first.map { $0...$0 })
            return
        }
        guard let first, let (lastBook, last) = Self.place(osis: ends[1]), lastBook == book, let last, first <= last
        else { return nil }
        self.init(book, first...last)
    }

    /// Returns the references of a list that is separated by spaces. Leaves out what is no reference.
    public static func references(osis: some StringProtocol) -> [Reference] {
        osis.split(whereSeparator: \.isWhitespace).compactMap { Reference(osis: $0) }
    }

    private static func place(osis: some StringProtocol) -> (BookID, Place?)? {
        var text = osis[...]
        if let colon = text.lastIndex(of: ":") { text = text[text.index(after: colon)...] }
        if let grain = text.firstIndex(where: { $0 == "!" || $0 == "@" }) { text = text[..<grain] }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let book = parts.first, !book.isEmpty, parts.count <= 3,
            book.utf8.allSatisfy({ $0.isASCIIDigit || $0.isASCIILetter })
        else { return nil }
        var numbers: [Int] = []
        for part in parts.dropFirst() {
            guard part.utf8.count <= 6, part.utf8.allSatisfy(\.isASCIIDigit), let number = Int(part) else { return nil }
            numbers.append(number)
        }
        let id = BookID(rawValue: String(book))
        switch numbers.count {
        case 0: return (id, nil)
        case 1: return (id, Place(numbers[0]))
        default: return (id, Place(numbers[0], numbers[1]))
        }
    }
}

extension UInt8 {
    var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
    var isASCIILetter: Bool { (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") }
    var isASCIISpace: Bool { self == 0x20 || (self >= 0x09 && self <= 0x0D) }
}
