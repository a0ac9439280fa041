/// Consecutive rows of a query, in the query's order.
public struct Page<Record: Sendable>: Sendable {
    /// The rows, always in the query's order, even if the page was read backward.
    public let rows: [Record]
    /// The cursors of the rows.
    public let cursors: [PageCursor]
    /// The position of the rows before these; `nil` if there are none.
    public let previous: PagePosition?
    /// The position of the rows after these; `nil` if there are none. To find rows that are inserted later, ask again
    /// for the page after the last cursor.
    public let next: PagePosition?
}

extension Page: Equatable where Record: Equatable {}
extension Page: Hashable where Record: Hashable {}
