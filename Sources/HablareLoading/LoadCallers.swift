/// The callers of a load. For each priority, they also have the order number of the first caller.
struct LoadCallers: Sendable {
    private struct Class: Sendable {
        var callers: Set<Int> = []
        /// The order number of the first of these callers.
        var order = 0
    }

    private var visible = Class()
    private var preload = Class()

    /// Whether the load has no callers left.
    var isEmpty: Bool { visible.callers.isEmpty && preload.callers.isEmpty }

    /// Whether a caller needs the value for something that the user sees.
    var areVisible: Bool { !visible.callers.isEmpty }

    /// All callers, in the order in which they asked.
    var all: [Int] { visible.callers.union(preload.callers).sorted() }

    /// The load's position in the queue. It consists of the highest priority of the load's callers, and of the order
    /// number of the first caller with this priority.
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

    /// Removes a caller. Returns whether the caller was there.
    mutating func remove(_ caller: Int) -> Bool {
        visible.callers.remove(caller) != nil || preload.callers.remove(caller) != nil
    }
}

/// A load's position in the queue. Visible loads come first. Loads of the same priority are in the order of their order
/// numbers. Each order number belongs to one load, so positions are unique.
struct LoadRank: Sendable, Hashable, Comparable {
    let priority: LoadPriority
    let order: Int

    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.priority, lhs.order) < (rhs.priority, rhs.order) }
}
