/// The position of a page.
public enum PagePosition: Sendable, Hashable, Codable {
    /// The first page of the query.
    case first
    /// The last page of the query.
    case last
    /// The rows after a cursor.
    case after(PageCursor)
    /// The nearest rows before a cursor.
    case before(PageCursor)
    /// The row at a cursor, if it still exists, and the rows after it.
    case from(PageCursor)
}
