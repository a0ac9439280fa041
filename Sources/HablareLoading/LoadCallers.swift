/// The callers of a load, and for each priority the turn of the first.
struct LoadCallers: Sendable {
    private struct Class: Sendable {
        var callers: Set<Int> = []
        /// The turn of the first of them.
        var order = 0
    }

    private var visible = Class()
    private var preload = Class()

    /// Whether the load has no callers left.
    var isEmpty: Bool { visible.callers.isEmpty && preload.callers.isEmpty }

    /// Whether a caller needs the value for something visible.
    var areVisible: Bool { !visible.callers.isEmpty }

    /// All callers, in the order in which they asked.
    var all: [Int] { visible.callers.union(preload.callers).sorted() }

    /// The load's position in the queue: its highest priority with a caller, and the turn of the first caller at it.
    var rank: LoadRank {
        visible.callers.isEmpty
            ? LoadRank(priority: .preload, order: preload.order)
            : LoadRank(priority: .visible, order: visible.order)
    }

    mutating func insert(_ caller: Int, _ priority: LoadPriority, order: Int) {
        switch priority {
        case .visible: Self.insert(caller, &visible, order)
        case .preload: Self.insert(caller, &preload, order)
        }
    }

    private static func insert(_ caller: Int, _ `class`: inout Class, _ order: Int) {
        if `class`.callers.isEmpty { `class`.order = order }
        `class`.callers.insert(caller)
    }

    /// Removes a caller. Returns whether it was there.
    mutating func remove(_ caller: Int) -> Bool {
        visible.callers.remove(caller) != nil || preload.callers.remove(caller) != nil
    }
}

/// A load's position in the queue: visible loads first, then by turn within one priority. Each turn belongs to one
/// load, so positions are unique.
struct LoadRank: Sendable, Hashable, Comparable {
    let priority: LoadPriority
    let order: Int

    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.priority, lhs.order) < (rhs.priority, rhs.order) }
}
