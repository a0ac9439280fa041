/// The id of a verse within a text.
///
/// In a book that is not scripture, a paragraph takes the place of a verse.
public struct VerseID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The chapter.
    public let chapter: ChapterID
    /// The number of the verse, from 1. 0 is the title of a chapter that belongs to the text, such as that of a psalm.
    public let verse: Int

    /// Creates an id.
    public init(_ chapter: ChapterID, _ verse: Int) {
        self.chapter = chapter
        self.verse = verse
    }

    /// Creates an id of a book, a chapter and a verse.
    public init(_ book: BookID, _ chapter: Int, _ verse: Int) {
        self.init(ChapterID(book, chapter), verse)
    }

    /// The book.
    public var book: BookID { chapter.book }

    /// The OSIS id, such as `John.3.16`.
    public var description: String { "\(chapter).\(verse)" }
}
