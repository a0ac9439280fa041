/// Counts the calls under way against a limit.
struct ConcurrencyGate: Sendable, Hashable {
    /// How many calls may be under way at once.
    let limit: Int
    /// How many are.
    private(set) var inUse = 0

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    var hasRoom: Bool { inUse < limit }

    /// How many more may be.
    var room: Int { max(0, limit - inUse) }

    /// Takes a place if there is one.
    mutating func enter() -> Bool {
        guard hasRoom else { return false }
        inUse += 1
        return true
    }

    /// Gives a place back.
    mutating func leave() {
        inUse = max(0, inUse - 1)
    }
}
