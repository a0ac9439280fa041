/// A part of a long list, with the position of the next part.
public struct Page<Item: Sendable, Cursor: Sendable>: Sendable {
    /// The page's items, in order.
    public let items: [Item]
    /// The position of the next page; `nil` for the last page.
    public let next: Cursor?

    /// Creates a page.
    public init(items: [Item], next: Cursor?) {
        self.items = items
        self.next = next
    }
}
