/// A part of a long list, and where the next one begins.
public struct Page<Item: Sendable, Cursor: Sendable>: Sendable {
    /// What is on it, in order.
    public let items: [Item]
    /// Where the next page begins; `nil` where this is the last one.
    public let next: Cursor?

    /// Creates a page.
    public init(items: [Item], next: Cursor?) {
        self.items = items
        self.next = next
    }
}
