/// The callers of a load. Each caller has a priority, and a number that shows the order of arrival.
struct LoadCallers: Sendable {
    private struct Class: Sendable {
        var callers: Set<Int> = []
        /// The number of the first caller with this priority.
        var order = 0
    }

    private var visible = Class()
    private var preload = Class()

    /// Whether the load has no callers left.
    var isEmpty: Bool { visible.callers.isEmpty && preload.callers.isEmpty }

    /// Whether at least one caller is visible: its user sees the place where the value is needed.
    var areVisible: Bool { !visible.callers.isEmpty }

    /// All callers, in the order in which they asked.
    var all: [Int] { visible.callers.union(preload.callers).sorted() }

    /// The position of the load in the queue. It consists of the highest priority of the callers and the number of the
    /// first caller with this priority.
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

    /// Removes a caller. Returns whether the caller had been a caller of the load.
    mutating func remove(_ caller: Int) -> Bool {
        visible.callers.remove(caller) != nil || preload.callers.remove(caller) != nil
    }
}

/// The position of a load in the queue. Visible loads come first. Loads with the same priority are in the order of
/// their callers' numbers. Each number belongs to one load, so no two loads have the same position.
struct LoadRank: Sendable, Hashable, Comparable {
    let priority: LoadPriority
    let order: Int

    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.priority, lhs.order) < (rhs.priority, rhs.order) }
}
