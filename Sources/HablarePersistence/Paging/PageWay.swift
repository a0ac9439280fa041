/// The start and the direction of a read.
struct PageWay {
    enum Direction { case forward, backward }

    let direction: Direction
    /// The cursor to start at; `nil` for the first row, or for the last one if the direction is backward.
    var cursor: PageCursor?
    /// Whether to include the row at the cursor.
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
