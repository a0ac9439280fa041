/// The options of a search.
///
/// ```swift
/// let options = SearchOptions(size: 20, columns: ["title"], excerptLength: 6)
/// ```
public struct SearchOptions: Sendable, Hashable {
    /// An order of the rows that a search finds.
    public enum Order: Sendable, Hashable {
        /// The best rows first, by FTS5's BM25. The search computes the rank of each row that it finds, so it takes
        /// longer the more rows there are: tens of milliseconds for a word in 25,000 rows.
        case rank
        /// The order of the rows' numbers, such as that of verses which were inserted in the order of a book. A page
        /// costs about the same, however many rows are found. ``SearchHit/rank`` is then 0.
        case row
    }

    /// The order of the rows. Default: ``Order/rank``. For example, use `.row` for the verses of a book.
    public var order: Order
    /// The maximum number of rows in a page. A number below 1 counts as 1. Default: 50. For example, use 20 for a
    /// screen of results.
    public var size: Int
    /// The columns of the index to search. Default: `nil`, for all columns. For example, use `["title"]` to search only
    /// titles.
    public var columns: [String]?
    /// The length of an excerpt in words, from 1 to 64. Other numbers are clamped. Default: 12. For example, use 6 for
    /// a narrow list.
    public var excerptLength: Int

    /// Creates options.
    public init(size: Int = 50, columns: [String]? = nil, excerptLength: Int = 12, order: Order = .rank) {
        self.order = order
        self.size = size
        self.columns = columns
        self.excerptLength = excerptLength
    }
}
