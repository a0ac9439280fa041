/// Consecutive rows of a query, in the query's order.
public struct Page<Record: Sendable>: Sendable {
    /// The rows. They are always in the query's order, even if the page was read backward.
    public let rows: [Record]
    /// The cursors of the rows, in the same order.
    public let cursors: [PageCursor]
    /// The position of the rows before this page; `nil` if there are none.
    public let previous: PagePosition?
    /// The position of the rows after this page; `nil` if there are none. To find rows that were inserted later at the
    /// end, read the page after the last cursor again.
    public let next: PagePosition?
}

extension Page: Equatable where Record: Equatable {}
extension Page: Hashable where Record: Hashable {}
