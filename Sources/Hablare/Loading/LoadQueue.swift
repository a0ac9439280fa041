import HeapModule

/// The loads that wait for a place: the visible ones first, in the order of their turns within one priority. Pure.
///
/// Loads move and leave from anywhere in the queue, so entries are dropped lazily, and the heap is made anew when more
/// than half of it is stale: its memory stays proportional to those that wait.
struct LoadQueue: Sendable {
    /// Where a load stands. Turns are given to one load each, so no two stand in one place.
    struct Place: Sendable, Hashable, Comparable {
        let priority: LoadPriority
        let turn: Int

        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.priority, lhs.turn) < (rhs.priority, rhs.turn) }
    }

    private struct Entry: Sendable, Comparable {
        let place: Place
        let load: Int

        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.place, lhs.load) < (rhs.place, rhs.load) }
    }

    private var heap = Heap<Entry>()
    private var places: [Int: Place] = [:]

    /// How many wait.
    var count: Int { places.count }

    /// How much room they take, for a test of that.
    var entryCount: Int { heap.count }

    /// Puts a load in its place, or moves it there.
    mutating func put(_ load: Int, at place: Place) {
        guard places.updateValue(place, forKey: load) != place else { return }
        heap.insert(Entry(place: place, load: load))
        if heap.count > 2 * places.count + 64 {
            heap = Heap(places.map { Entry(place: $0.value, load: $0.key) })
        }
    }

    /// A load does not wait any more.
    mutating func remove(_ load: Int) {
        places[load] = nil
    }

    /// Takes out the load that comes next.
    mutating func popFirst() -> Int? {
        while let entry = heap.popMin() {
            guard places[entry.load] == entry.place else { continue }
            places[entry.load] = nil
            return entry.load
        }
        return nil
    }
}
