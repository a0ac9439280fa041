/// Counts the calls under way against a limit.
struct ConcurrencyGate: Sendable, Hashable {
    /// How many calls may be under way at once: as many as it was made for, or fewer while the provider says so.
    private(set) var limit: Int
    private let largest: Int
    private(set) var inUse = 0

    init(limit: Int) {
        largest = max(1, limit)
        self.limit = largest
    }

    /// The provider said how many it takes at once. More than the gate was made for are not asked of it; a number that
    /// lets nothing through makes no sense. Who is inside stays.
    mutating func learned(limit reported: Int) {
        guard reported > 0 else { return }
        limit = min(largest, reported)
    }

    var hasRoom: Bool { inUse < limit }

    var room: Int { max(0, limit - inUse) }

    mutating func enter() -> Bool {
        guard hasRoom else { return false }
        inUse += 1
        return true
    }

    mutating func leave() {
        inUse = max(0, inUse - 1)
    }
}
