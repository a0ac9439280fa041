public import LecternTexts

/// A page of the verses that a search found, with exact totals.
public struct SearchResults: Hashable, Sendable {
    /// The number of hits in a book.
    public struct BookCount: Hashable, Sendable {
        /// The book.
        public let book: BookDescription
        /// The number of verses that were found, all pages together.
        public let count: Int
    }

    /// A verse that was found.
    public struct Hit: Hashable, Sendable {
        /// The verse.
        public let verse: StoredVerse
        /// The places of the words that were found, in UTF-16 offsets of the verse's text, in ascending order.
        public let matches: [Range<Int>]
        /// The verses before, in the order of the text.
        public let before: [StoredVerse]
        /// The verses after, in the order of the text.
        public let after: [StoredVerse]
    }

    /// The text that was searched.
    public let text: StoredText
    /// The hits of the page.
    public let hits: [Hit]
    /// The number of verses that were found in the chosen books.
    public let total: Int
    /// The books with hits, in the order of the text. All books of the text are counted, whichever were chosen.
    public let counts: [BookCount]
    /// Whether there is a next page.
    public let hasMore: Bool
}
