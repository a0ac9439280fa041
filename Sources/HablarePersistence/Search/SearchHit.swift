/// A row that was found.
public struct SearchHit<Record: Sendable>: Sendable {
    /// The row.
    public let record: Record
    /// How well it fits, by FTS5's BM25: the less the better. To be compared within one search only.
    public let rank: Double
    /// Where the words are.
    public let excerpt: SearchExcerpt
}

extension SearchHit: Equatable where Record: Equatable {}

/// Some of the rows that were found, the best first.
public struct SearchPage<Record: Sendable>: Sendable {
    /// The rows.
    public let hits: [SearchHit<Record>]
    /// Where the next ones are; `nil` where there are none.
    public let next: SearchCursor?
}

/// The place of a row among those that were found, good as long as the table does not change; after that, rows may come
/// again or be missed, because each row's rank depends on all others.
public struct SearchCursor: Sendable, Hashable, Codable {
    let rank: Double
    let row: Int64
}
