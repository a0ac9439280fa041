import HablarePresentation

/// The decisions that wait, together.
struct ReviewState: WebState, Hashable {
    /// One decision.
    struct Item: Encodable, Sendable, Hashable {
        let decision: String
        let name: String
        let alt: String
        let source: String
        let undoLabel: String
        let error: String?
    }

    /// The decisions of one kind.
    struct Group: Encodable, Sendable, Hashable {
        let action: String
        let title: String
        let items: [Item]
    }

    /// The largest number of photos that are shown of one kind. The title counts all.
    static let shownLimit = 200

    let lead: String
    let commitText: String
    let groups: [Group]

    /// Describes waiting decisions.
    ///
    /// - Parameter waiting: The decisions by choice, in the order of their making.
    init(_ waiting: [(choice: Choice, items: [Item])]) {
        let count = waiting.reduce(0) { $0 + $1.items.count }
        lead = count > 0 ? "Nothing has been moved yet. Look once more, then write." : "No decisions are waiting."
        commitText = "Write \(Wording.count(count, "decision"))"
        groups = waiting.filter { !$0.items.isEmpty }.map { choice, items in
            Group(
                action: choice.rawValue, title: "\(choice.name) · \(Wording.count(items.count, "photo"))",
                items: Array(items.prefix(Self.shownLimit)))
        }
    }
}
