/// Counts the calls in flight, and compares the count with a limit.
struct ConcurrencyGate: Sendable, Hashable {
    /// The maximum number of calls in flight. It is the configured number, or a smaller number that the provider
    /// reported.
    private(set) var limit: Int
    private let largest: Int
    private(set) var inUse = 0

    init(limit: Int) {
        largest = max(1, limit)
        self.limit = largest
    }

    /// Applies the concurrency that the provider reported.
    ///
    /// The limit never exceeds the configured number. A report that allows no calls is ignored. Calls in flight
    /// continue.
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
