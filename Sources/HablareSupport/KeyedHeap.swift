public import HeapModule

/// A priority queue of unique keys, ordered by their ranks. The key with the lowest rank is always available. Any key
/// can be moved or removed.
///
/// When a key is moved or removed, its old entry stays in the heap until it is the first entry. If more than half of
/// the entries are old, the heap is rebuilt. The memory is therefore proportional to the number of keys.
public struct KeyedHeap<Key: Hashable & Comparable & Sendable, Rank: Comparable & Sendable>: Sendable {
    @usableFromInline struct Entry: Comparable, Sendable {
        @usableFromInline let rank: Rank
        @usableFromInline let key: Key

        @inlinable init(rank: Rank, key: Key) {
            self.rank = rank
            self.key = key
        }

        @inlinable static func < (lhs: Self, rhs: Self) -> Bool { (lhs.rank, lhs.key) < (rhs.rank, rhs.key) }
    }

    @usableFromInline var heap = Heap<Entry>()
    @usableFromInline var ranks: [Key: Rank] = [:]

    /// Creates an empty queue.
    @inlinable public init() {}

    /// The number of keys.
    @inlinable public var count: Int { ranks.count }

    /// The keys, in no particular order.
    @inlinable public var keys: some Collection<Key> { ranks.keys }

    /// The number of entries in the heap. Tests use it.
    @inlinable public var entryCount: Int { heap.count }

    /// Returns the lowest rank. Returns `nil` if the queue is empty.
    @inlinable public mutating func first() -> Rank? { firstEntry()?.rank }

    /// Returns the key with the lowest rank. Returns `nil` if the queue is empty.
    @inlinable public mutating func firstKey() -> Key? { firstEntry()?.key }

    @inlinable mutating func firstEntry() -> Entry? {
        while let entry = heap.min, ranks[entry.key] != entry.rank { heap.removeMin() }
        return heap.min
    }

    /// Inserts a key with a rank, or moves the key to this rank.
    @inlinable public mutating func set(_ key: Key, to rank: Rank) {
        guard ranks.updateValue(rank, forKey: key) != rank else { return }
        heap.insert(Entry(rank: rank, key: key))
        if heap.count > 2 * ranks.count + 64 {
            heap = Heap(ranks.map { Entry(rank: $0.value, key: $0.key) })
        }
    }

    /// Removes a key. Does nothing if the key is not in the queue.
    @inlinable public mutating func remove(_ key: Key) {
        ranks[key] = nil
    }

    /// Removes and returns the key with the lowest rank. Returns `nil` if the queue is empty.
    @inlinable public mutating func popFirst() -> Key? {
        guard firstEntry() != nil, let entry = heap.popMin() else { return nil }
        ranks[entry.key] = nil
        return entry.key
    }

    /// Removes and returns the keys with ranks up to the given rank, in order.
    @inlinable public mutating func popAll(through last: Rank) -> [Key] {
        var popped: [Key] = []
        while let rank = first(), rank <= last, let key = popFirst() { popped.append(key) }
        return popped
    }
}
