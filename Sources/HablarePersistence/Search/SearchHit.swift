/// A row that a search found.
public struct SearchHit<Record: Sendable>: Sendable {
    /// The record of the row.
    public let record: Record
    /// The rank by FTS5's BM25: a smaller one is better. Ranks are comparable within one search only.
    public let rank: Double
    /// The text around the words that were found.
    public let excerpt: SearchExcerpt
}

extension SearchHit: Equatable where Record: Equatable {}

/// Some of the rows that a search found, the best first.
public struct SearchPage<Record: Sendable>: Sendable {
    /// The rows of the page.
    public let hits: [SearchHit<Record>]
    /// The cursor of the next page; `nil` if there is none.
    public let next: SearchCursor?
}

/// The position of a row among those that a search found. It is valid as long as the table does not change. After that,
/// rows may appear again or be missed, because each row's rank depends on all others.
public struct SearchCursor: Sendable, Hashable, Codable {
    let rank: Double
    let row: Int64
}
