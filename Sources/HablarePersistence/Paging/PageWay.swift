/// Which rows are read, and which of them first.
struct PageWay {
    enum Direction { case forward, backward }

    let direction: Direction
    /// Where to begin; `nil`: at the end that the direction comes from.
    var cursor: PageCursor?
    /// Whether the row at the cursor is meant, too.
    var isInclusive = false
}

extension PageWay {
    init(to position: PagePosition) {
        switch position {
        case .first: self.init(direction: .forward)
        case .last: self.init(direction: .backward)
        case .after(let cursor): self.init(direction: .forward, cursor: cursor)
        case .before(let cursor): self.init(direction: .backward, cursor: cursor)
        case .from(let cursor): self.init(direction: .forward, cursor: cursor, isInclusive: true)
        }
    }
}

extension PageWay.Direction {
    var reversed: Self { self == .forward ? .backward : .forward }
}
