/// The id of a chapter within a text.
public struct ChapterID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The book.
    public let book: BookID
    /// The number of the chapter, from 1. 0 is what precedes the first chapter, such as a preface.
    public let chapter: Int

    /// Creates an id.
    public init(_ book: BookID, _ chapter: Int) {
        self.book = book
        self.chapter = chapter
    }

    /// The OSIS id, such as `John.3`.
    public var description: String { "\(book).\(chapter)" }
}
