/// Some rows that follow each other in an order.
public struct Page<Record: Sendable>: Sendable {
    /// The rows, always in the order itself, also where the page was reached from behind.
    public let rows: [Record]
    /// The places of the rows.
    public let cursors: [PageCursor]
    /// Where the rows before these are; `nil` where there are none.
    public let previous: PagePosition?
    /// Where the rows after these are; `nil` where there are none. Rows that are inserted later have a page only if it is
    /// asked for.
    public let next: PagePosition?
}

extension Page: Equatable where Record: Equatable {}
extension Page: Hashable where Record: Hashable {}
