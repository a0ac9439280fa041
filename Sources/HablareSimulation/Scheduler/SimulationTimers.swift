import HeapModule

/// The pending timers, ordered by time. Timers for the same time are in the order of their creation.
struct SimulationTimers: Sendable {
    enum Payload: Sendable {
        /// A task that sleeps. The number identifies the task. When the timer fires, the task may already have been
        /// cancelled.
        case sleeper(Int)
        case action(@Sendable () -> Void)
    }

    private struct Timer: Comparable, Sendable {
        let deadline: Int64
        let number: Int
        let lane: Int
        let payload: Payload

        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.deadline, lhs.number) < (rhs.deadline, rhs.number) }
        static func == (lhs: Self, rhs: Self) -> Bool { lhs.number == rhs.number }
    }

    private var heap = Heap<Timer>()
    private var last = 0

    var earliest: Int64? { heap.min?.deadline }

    mutating func insert(_ deadline: Int64, lane: Int, _ payload: Payload) {
        last += 1
        heap.insert(Timer(deadline: deadline, number: last, lane: lane, payload: payload))
    }

    mutating func popDue(_ now: Int64) -> (lane: Int, payload: Payload)? {
        guard let first = heap.min, first.deadline <= now else { return nil }
        heap.removeMin()
        return (first.lane, first.payload)
    }
}
