import HeapModule

/// A priority queue of unique keys, ordered by their places. The first key is known at any time, and any key may move
/// or leave.
///
/// When a key moves or leaves, its old entry stays in the heap until it comes first. If more than half of the entries
/// are old, the heap is rebuilt. Memory is therefore proportional to the number of keys.
package struct KeyedHeap<Key: Hashable & Comparable & Sendable, Place: Comparable & Sendable>: Sendable {
    private struct Entry: Comparable, Sendable {
        let place: Place
        let key: Key

        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.place, lhs.key) < (rhs.place, rhs.key) }
    }

    private var heap = Heap<Entry>()
    private var places: [Key: Place] = [:]

    package init() {}

    package var count: Int { places.count }

    package var keys: some Collection<Key> { places.keys }

    /// The number of entries in the heap, for a test of its size.
    package var entryCount: Int { heap.count }

    package mutating func first() -> Place? { firstEntry()?.place }

    package mutating func firstKey() -> Key? { firstEntry()?.key }

    private mutating func firstEntry() -> Entry? {
        while let entry = heap.min, places[entry.key] != entry.place { heap.removeMin() }
        return heap.min
    }

    package mutating func set(_ key: Key, to place: Place) {
        guard places.updateValue(place, forKey: key) != place else { return }
        heap.insert(Entry(place: place, key: key))
        if heap.count > 2 * places.count + 64 {
            heap = Heap(places.map { Entry(place: $0.value, key: $0.key) })
        }
    }

    package mutating func remove(_ key: Key) {
        places[key] = nil
    }

    package mutating func popFirst() -> Key? {
        guard firstEntry() != nil, let entry = heap.popMin() else { return nil }
        places[entry.key] = nil
        return entry.key
    }

    /// Removes and returns the keys up to a place, in order.
    package mutating func popAll(through last: Place) -> [Key] {
        var popped: [Key] = []
        while let place = first(), place <= last, let key = popFirst() { popped.append(key) }
        return popped
    }
}
