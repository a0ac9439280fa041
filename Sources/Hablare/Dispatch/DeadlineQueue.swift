import HeapModule

/// Deadlines of flights under way; the earliest is known at any time.
///
/// Most deadlines are taken back long before they come, so entries are dropped lazily, and the heap is made anew when
/// more than half of it is stale: its memory stays proportional to the live entries.
struct DeadlineQueue: Sendable {
    private struct Entry: Comparable, Sendable {
        let deadline: Duration
        let flight: FlightID

        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.deadline, lhs.flight) < (rhs.deadline, rhs.flight)
        }
    }

    private var heap = Heap<Entry>()
    private var live: [FlightID: Duration] = [:]

    var count: Int { live.count }

    /// The earliest deadline.
    mutating func earliest() -> Duration? {
        dropStale()
        return heap.min?.deadline
    }

    /// Sets the one deadline of a flight.
    mutating func set(_ flight: FlightID, to deadline: Duration) {
        live[flight] = deadline
        heap.insert(Entry(deadline: deadline, flight: flight))
        if heap.count > 2 * live.count + 64 {
            heap = Heap(live.map { Entry(deadline: $0.value, flight: $0.key) })
        }
    }

    mutating func remove(_ flight: FlightID) {
        live[flight] = nil
    }

    /// Removes and returns the flights whose deadline has come, earliest first.
    mutating func popReached(_ now: Duration) -> [FlightID] {
        var reached: [FlightID] = []
        dropStale()
        while let first = heap.min, first.deadline <= now {
            heap.removeMin()
            live[first.flight] = nil
            reached.append(first.flight)
            dropStale()
        }
        return reached
    }

    private mutating func dropStale() {
        while let first = heap.min, live[first.flight] != first.deadline { heap.removeMin() }
    }
}
