public import LecternTexts

/// A search for verses. Any text is valid; nothing in it is an operator except double quotes around words that must be
/// adjacent, and an asterisk after the beginning of a word.
public struct SearchQuery: Hashable, Sendable, Codable {
    /// A kind of match.
    public enum Matching: String, Hashable, Sendable, Codable, CaseIterable {
        /// Verses with all words, in any order.
        case all
        /// Verses with any of the words.
        case any
        /// Verses in which the words are adjacent, in this order.
        case phrase
    }

    /// An order of the hits.
    public enum Order: String, Hashable, Sendable, Codable, CaseIterable {
        /// The order of the text.
        case text
        /// The best hits first, by BM25. Only the best ``SearchQuery/mostRanked`` hits are handed out.
        case best
    }

    /// The most words and quoted phrases of a search: 16. Further ones are left out.
    public static let mostTerms = 16
    /// The most words of all terms together: 64. Further ones are left out.
    public static let mostWords = 64
    /// The most hits that are handed out in the order ``Order/best``: 1,000. The total is exact all the same.
    public static let mostRanked = 1_000
    /// The most hits of a page: 200.
    public static let largestPage = 200

    /// The text as it was typed.
    public var typed: String
    /// The kind of match. Default: ``Matching/all``.
    public var matching: Matching
    /// Whether the last word may be the beginning of a word, as while it is typed. Default: `false`.
    public var completesLastWord: Bool
    /// The books to search; `nil`, the default, for all. Books that a text does not have are ignored.
    public var books: Set<BookID>?
    /// The order. Default: ``Order/text``.
    public var order: Order
    /// The page, from 0.
    public var page: Int
    /// The number of hits of a page, from 1 to ``largestPage``. Other numbers are clamped. Default: 20.
    public var pageSize: Int
    /// The number of verses to show before and after each hit, from 0 to 5, within its book. Other numbers are clamped.
    /// Default: 2.
    public var context: Int

    /// Creates a search.
    public init(
        _ typed: String, matching: Matching = .all, completesLastWord: Bool = false, books: Set<BookID>? = nil,
        order: Order = .text, page: Int = 0, pageSize: Int = 20, context: Int = 2
    ) {
        self.typed = typed
        self.matching = matching
        self.completesLastWord = completesLastWord
        self.books = books
        self.order = order
        self.page = page
        self.pageSize = pageSize
        self.context = context
    }
}

extension BookCatalogue {
    /// Returns the books of a part of the canon, for ``SearchQuery/books``.
    public func books(of testament: Testament) -> Set<BookID> {
        Set(entries.filter { $0.testament == testament }.map(\.id))
    }
}
