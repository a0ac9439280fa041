/// The books, the chapters and the verses that a text has.
///
/// Translations differ: one lacks a verse that another has, joins two, or has further books. Ask the shape of the text
/// at hand, never a table, whether a verse exists.
public struct TextShape: Hashable, Sendable, Codable {
    /// The chapters of a book.
    public struct BookShape: Hashable, Sendable, Codable {
        /// The book.
        public var description: BookDescription
        /// The chapters, in ascending order.
        public var chapters: [ChapterShape]

        /// Creates the shape of a book.
        public init(_ description: BookDescription, chapters: [ChapterShape] = []) {
            self.description = description
            self.chapters = chapters
        }

        /// Returns the chapter with a number; `nil` if the text lacks it.
        public func chapter(_ number: Int) -> ChapterShape? { chapters.first { $0.number == number } }

        /// A Boolean value that says whether the book has one chapter, besides a preface.
        public var hasOneChapter: Bool { chapters.count(where: { $0.number > 0 }) == 1 }
    }

    /// The verses of a chapter.
    public struct ChapterShape: Hashable, Sendable, Codable {
        /// The number.
        public var number: Int
        /// The numbers of the verses: ascending ranges without overlap. More than one if verses are missing between.
        public var verses: [ClosedRange<Int>]

        /// Creates the shape of a chapter.
        public init(_ number: Int, verses: [ClosedRange<Int>]) {
            self.number = number
            self.verses = verses
        }

        /// Returns whether the chapter has a verse, alone or joined with others.
        public func contains(_ verse: Int) -> Bool { verses.contains { $0.contains(verse) } }

        /// The first verse that is not a title; `nil` if there is none.
        public var first: Int? {
            for range in verses where range.upperBound > 0 { return max(1, range.lowerBound) }
            return nil
        }

        /// The last verse; `nil` if there is none.
        public var last: Int? { verses.last?.upperBound }
    }

    /// The books, in the text's order.
    public private(set) var books: [BookShape]

    /// Creates a shape.
    public init(books: [BookShape] = []) { self.books = books }

    /// Returns the shape of a book; `nil` if the text lacks it.
    public subscript(book: BookID) -> BookShape? { books.first { $0.description.id == book } }

    /// Returns the shape of a chapter; `nil` if the text lacks it.
    public subscript(chapter: ChapterID) -> ChapterShape? { self[chapter.book]?.chapter(chapter.chapter) }

    /// Returns whether the text has a verse.
    public func contains(_ verse: VerseID) -> Bool { self[verse.chapter]?.contains(verse.verse) ?? false }

    /// Adds a book or a chapter that an importer read. A chapter of a book that was not added is ignored.
    public mutating func add(_ part: TextPart) {
        switch part {
        case .book(let description):
            if self[description.id] == nil { books.append(BookShape(description)) }
        case .chapter(let chapter):
            guard let book = books.lastIndex(where: { $0.description.id == chapter.id.book }) else { return }
            books[book].add(chapter)
        case .text, .warning: break
        }
    }
}

extension TextShape.BookShape {
    fileprivate mutating func add(_ chapter: Chapter) {
        let verses = Self.ranges(of: chapter)
        let place = chapters.firstIndex { $0.number >= chapter.id.chapter } ?? chapters.endIndex
        if place < chapters.endIndex, chapters[place].number == chapter.id.chapter {
            chapters[place].verses = Self.merged(chapters[place].verses + verses)
        } else {
            chapters.insert(TextShape.ChapterShape(chapter.id.chapter, verses: Self.merged(verses)), at: place)
        }
    }

    /// Returns the numbers of each verse, several where the label says that verses are joined.
    private static func ranges(of chapter: Chapter) -> [ClosedRange<Int>] {
        var ranges: [ClosedRange<Int>] = []
        for block in chapter.blocks {
            for fragment in block.fragments {
                guard let number = fragment.verse else { continue }
                if let last = ranges.last, last.contains(number) { continue }
                var upper = number
                if let label = fragment.label, let end = label.lastIndex(where: { !$0.isASCII || $0 == "-" }),
                    let joined = Int(label[label.index(after: end)...]), joined > number, joined < number + 200
                {
                    upper = joined
                }
                ranges.append(number...upper)
            }
        }
        return ranges
    }

    private static func merged(_ ranges: [ClosedRange<Int>]) -> [ClosedRange<Int>] {
        var merged: [ClosedRange<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}
