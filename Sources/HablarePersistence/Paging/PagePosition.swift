/// The position of a page.
public enum PagePosition: Sendable, Hashable, Codable {
    /// The first page of all.
    case first
    /// The last page of all.
    case last
    /// The rows after a cursor.
    case after(PageCursor)
    /// The rows before a cursor that are nearest to it.
    case before(PageCursor)
    /// The row at a cursor, if it still exists, and those after it.
    case from(PageCursor)
}
