/// Which page.
public enum PagePosition: Sendable, Hashable, Codable {
    /// The first page of all.
    case first
    /// The last page of all.
    case last
    /// The rows after a place.
    case after(PageCursor)
    /// The rows before a place, those that are nearest to it.
    case before(PageCursor)
    /// The row at a place, if it is there still, and those after it.
    case from(PageCursor)
}
