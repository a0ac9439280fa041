/// A row that a search found.
public struct SearchHit<Record: Sendable>: Sendable {
    /// The record of the row.
    public let record: Record
    /// The rank of the row in this search, computed by FTS5's BM25. Smaller is better. Do not compare ranks of
    /// different searches. 0 if the search is in the order of rows, which needs no ranks.
    public let rank: Double
    /// The text around the words that were found.
    public let excerpt: SearchExcerpt
}

extension SearchHit: Equatable where Record: Equatable {}

/// One page of the rows that a search found, in the order that its options name.
public struct SearchPage<Record: Sendable>: Sendable {
    /// The rows of the page.
    public let hits: [SearchHit<Record>]
    /// The cursor of the next page; `nil` if there is no next page.
    public let next: SearchCursor?
}

/// A position in the results of a search. Use it with the same options. In the order of ranks, it is valid while the
/// table does not change: after a change, a row may appear twice or be missed, because the rank of each row depends on
/// all other rows. In the order of rows, it stays valid.
public struct SearchCursor: Sendable, Hashable, Codable {
    let rank: Double
    let row: Int64
}
