/// Who wants a load, and since when by priority.
struct LoadCallers: Sendable {
    private struct Class: Sendable {
        var callers: Set<Int> = []
        /// The turn of the first of them.
        var turn = 0
    }

    private var visible = Class()
    private var preload = Class()

    /// Whether nobody wants it any more.
    var isEmpty: Bool { visible.callers.isEmpty && preload.callers.isEmpty }

    /// Whether somebody looks at the place where the value will appear.
    var areVisible: Bool { !visible.callers.isEmpty }

    /// Everybody, in the order in which they asked.
    var all: [Int] { visible.callers.union(preload.callers).sorted() }

    /// Where the load stands while it waits: its highest priority that somebody still wants, since that was first wanted.
    var place: LoadPlace {
        visible.callers.isEmpty
            ? LoadPlace(priority: .preload, turn: preload.turn)
            : LoadPlace(priority: .visible, turn: visible.turn)
    }

    mutating func insert(_ caller: Int, _ priority: LoadPriority, turn: Int) {
        switch priority {
        case .visible: Self.insert(caller, &visible, turn)
        case .preload: Self.insert(caller, &preload, turn)
        }
    }

    private static func insert(_ caller: Int, _ `class`: inout Class, _ turn: Int) {
        if `class`.callers.isEmpty { `class`.turn = turn }
        `class`.callers.insert(caller)
    }

    /// Whether the caller was there.
    mutating func remove(_ caller: Int) -> Bool {
        visible.callers.remove(caller) != nil || preload.callers.remove(caller) != nil
    }
}

/// Where a load waits: the visible ones first, in the order of their turns within one priority. Turns are given to one load
/// each, so no two stand in one place.
struct LoadPlace: Sendable, Hashable, Comparable {
    let priority: LoadPriority
    let turn: Int

    static func < (lhs: Self, rhs: Self) -> Bool { (lhs.priority, lhs.turn) < (rhs.priority, rhs.turn) }
}
