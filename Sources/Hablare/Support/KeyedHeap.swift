import HeapModule

/// A priority queue of unique keys, ordered by their ranks. The key with the lowest rank is always available. Any key
/// can be moved or removed.
///
/// When a key is moved or removed, its old entry stays in the heap until it is the first entry. If more than half of
/// the entries are old, the heap is rebuilt. The memory is therefore proportional to the number of keys.
package struct KeyedHeap<Key: Hashable & Comparable & Sendable, Rank: Comparable & Sendable>: Sendable {
    private struct Entry: Comparable, Sendable {
        let rank: Rank
        let key: Key

        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.rank, lhs.key) < (rhs.rank, rhs.key) }
    }

    private var heap = Heap<Entry>()
    private var ranks: [Key: Rank] = [:]

    package init() {}

    package var count: Int { ranks.count }

    package var keys: some Collection<Key> { ranks.keys }

    /// The number of entries in the heap. Tests use it.
    package var entryCount: Int { heap.count }

    package mutating func first() -> Rank? { firstEntry()?.rank }

    package mutating func firstKey() -> Key? { firstEntry()?.key }

    private mutating func firstEntry() -> Entry? {
        while let entry = heap.min, ranks[entry.key] != entry.rank { heap.removeMin() }
        return heap.min
    }

    package mutating func set(_ key: Key, to rank: Rank) {
        guard ranks.updateValue(rank, forKey: key) != rank else { return }
        heap.insert(Entry(rank: rank, key: key))
        if heap.count > 2 * ranks.count + 64 {
            heap = Heap(ranks.map { Entry(rank: $0.value, key: $0.key) })
        }
    }

    package mutating func remove(_ key: Key) {
        ranks[key] = nil
    }

    package mutating func popFirst() -> Key? {
        guard firstEntry() != nil, let entry = heap.popMin() else { return nil }
        ranks[entry.key] = nil
        return entry.key
    }

    /// Removes and returns the keys with ranks up to the given rank, in order.
    package mutating func popAll(through last: Rank) -> [Key] {
        var popped: [Key] = []
        while let rank = first(), rank <= last, let key = popFirst() { popped.append(key) }
        return popped
    }
}
