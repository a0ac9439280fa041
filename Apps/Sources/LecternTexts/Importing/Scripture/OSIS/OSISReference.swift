/// Parses references as OSIS and USX write them.
enum OSISReference {
    /// Returns the passages of an `osisRef`, such as `Bible:Gen.1.1-Gen.1.3 Ps.23`. Parts that are no passage are left out.
    static func parse(_ text: String) -> [Reference] {
        text.split(separator: " ").compactMap { part in
            let ends = part.split(separator: "-").map(verse)
            guard let first = ends.first.flatMap({ $0 }), ends.count <= 2 else { return nil }
            let last = ends.count == 2 ? ends[1] : first
            guard let last, last.book == first.book else { return nil }
            return reference(first.book, first.place, last.place)
        }
    }

    /// Returns the passage of a `loc` of USX, such as `GEN 1:1-3`, `GEN 1:1-2:3` or `GEN 1`.
    static func parseUSX(_ text: String) -> Reference? {
        let words = text.split(separator: " ")
        guard words.count == 2, let book = ScriptureBook.byUSFM[words[0].uppercased()] else { return nil }
        let ends = words[1].split(separator: "-").map { $0.split(separator: ":").map { Int($0) } }
        guard let first = place(ends.first), ends.count <= 2 else { return nil }
        var last = ends.count == 2 ? place(ends[1]) : first
        if ends.count == 2, ends[1].count == 1, first.verse != nil, let number = ends[1][0] {
            last = Reference.Place(first.chapter, number)
        }
        guard let last else { return nil }
        return reference(BookID(rawValue: book.osis), first, last)
    }

    /// Returns the book, chapter and verse of an `osisID`, such as `Gen.1.16`; `nil` for each that it lacks.
    static func identifier(_ text: Substring) -> (book: BookID, chapter: Int?, verse: Int?)? {
        let work = text.lastIndex(of: ":").map { text[text.index(after: $0)...] } ?? text
        let parts = work.prefix { $0 != "!" && $0 != "@" }.split(separator: ".")
        guard let book = parts.first, book.utf8.allSatisfy(isIDByte) else { return nil }
        let chapter = parts.count > 1 ? number(parts[1]) : nil
        return (BookID(rawValue: String(book)), chapter, parts.count > 2 ? number(parts[2]) : nil)
    }

    /// Returns a number that the digits at the start of a text give, from 0 to 9999.
    static func number(_ text: Substring) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        return digits.count <= 4 ? Int(digits) : nil
    }

    private static func verse(_ text: Substring) -> (book: BookID, place: Reference.Place?)? {
        guard let found = identifier(text) else { return nil }
        return (found.book, found.chapter.map { Reference.Place($0, found.verse) })
    }

    private static func place(_ numbers: [Int?]?) -> Reference.Place? {
        guard let numbers, let first = numbers.first, let chapter = first, numbers.count <= 2 else { return nil }
        if numbers.count == 1 { return Reference.Place(chapter) }
        return numbers[1].map { Reference.Place(chapter, $0) }
    }

    private static func reference(
        _ book: BookID, _ first: Reference.Place?, _ last: Reference.Place?
    ) -> Reference? {
        guard let first else { return last == nil ? Reference(book) : nil }
        guard let last, first <= last else { return nil }
        return Reference(book, first...last)
    }

    private static func isIDByte(_ byte: UInt8) -> Bool {
        (byte >= 0x30 && byte <= 0x39) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) || byte == 0x5F
    }
}
