public import LecternTexts

/// The address of a place in a text, such as `/web/john/3#16`. The number sign is followed by a verse or a range.
public struct DeepLink: Hashable, Sendable, CustomStringConvertible {
    /// The id of the text.
    public let textID: String
    /// The chapter.
    public let chapter: ChapterID
    /// The verses; `nil` for the whole chapter.
    public let verses: ClosedRange<Int>?

    /// Creates a link.
    public init(textID: String, chapter: ChapterID, verses: ClosedRange<Int>? = nil) {
        self.textID = textID
        self.chapter = chapter
        self.verses = verses
    }

    /// The path of the chapter, without the verses. Servers do not see what follows a number sign.
    public var path: String { "/\(textID)/\(chapter.book.rawValue.lowercased())/\(chapter.chapter)" }

    /// The address.
    public var description: String {
        guard let verses else { return path }
        return verses.count == 1 ? "\(path)#\(verses.lowerBound)" : "\(path)#\(verses.lowerBound)-\(verses.upperBound)"
    }

    /// Reads an address.
    ///
    /// - Parameters:
    ///   - address: The path, with or without verses. The case of the book does not matter.
    ///   - books: The books of the text. The link does not check whether the chapter and the verses exist.
    /// - Throws: ``ReadingError`` with code `malformed` or `no-book`.
    public init(_ address: String, books: some Sequence<BookID>) throws(ReadingError) {
        let halves = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = halves.first?.split(separator: "/", omittingEmptySubsequences: false) ?? []
        guard parts.count == 4, parts[0].isEmpty, TextWriter.isValid(String(parts[1])),
            let number = Self.number(parts[3])
        else {
            throw ReadingError(
                .malformed,
                "This address is not one of a chapter. Write it like /kjv/john/3 or /kjv/john/3#16.")
        }
        let name = parts[2].lowercased()
        guard let book = books.first(where: { $0.rawValue.lowercased() == name }) else {
            throw ReadingError(.noBook, "The text has no book \u{201C}\(name)\u{201D}. Choose one of its books.")
        }
        var verses: ClosedRange<Int>?
        if halves.count == 2, !halves[1].isEmpty {
            let ends = halves[1].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = ends.first.flatMap(Self.number), let last = ends.last.flatMap(Self.number),
                first <= last
            else {
                throw ReadingError(
                    .malformed,
                    "The verses after the number sign are not understood. Write them like #16 or #16-18.")
            }
            verses = first...last
        }
        self.init(textID: String(parts[1]), chapter: ChapterID(book, number), verses: verses)
    }

    /// Returns a number of at most six ASCII digits.
    private static func number(_ text: Substring) -> Int? {
        guard (1...6).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }
}
