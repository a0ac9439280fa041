/// The start and the direction of a read.
struct PageWay {
    enum Direction { case forward, backward }

    let direction: Direction
    /// The cursor at which the read starts; `nil` to start at the first row. If the direction is backward, `nil` starts
    /// at the last row.
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
