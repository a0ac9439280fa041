/// A dictionary with a limit on the number and the total size of its values. It evicts the least recently used values.
/// This type is pure.
///
/// The values are linked in the order of their use, so every operation takes constant time.
public struct LeastRecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline struct Node: Sendable {
        @usableFromInline let key: Key
        @usableFromInline var value: Value
        @usableFromInline var cost: Int
        /// The indices of the values that were used directly after and directly before this value. -1 if there is no
        /// such value.
        @usableFromInline var newer: Int
        @usableFromInline var older: Int

        @inlinable init(key: Key, value: Value, cost: Int, newer: Int, older: Int) {
            self.key = key
            self.value = value
            self.cost = cost
            self.newer = newer
            self.older = older
        }
    }

    @usableFromInline let maximumCount: Int
    @usableFromInline let maximumCost: Int
    @usableFromInline var slots: [Key: Int] = [:]
    @usableFromInline var nodes: [Node?] = []
    @usableFromInline var free: [Int] = []
    @usableFromInline var newest = -1
    @usableFromInline var oldest = -1
    @usableFromInline var totalCost = 0

    /// Creates an empty dictionary with its limits. With a maximum count of 0 it stores nothing.
    @inlinable public init(maximumCount: Int, maximumCost: Int) {
        self.maximumCount = maximumCount
        self.maximumCost = maximumCost
    }

    /// The number of values.
    @inlinable public var count: Int { slots.count }

    /// The sum of the costs of all values.
    @inlinable public var cost: Int { totalCost }

    /// Returns the value of a key and marks it as the most recently used one. Returns `nil` if there is no value.
    @inlinable public mutating func use(_ key: Key) -> Value? {
        guard let slot = slots[key], let node = nodes[slot] else { return nil }
        if slot != newest {
            unlink(node)
            link(slot)
        }
        return node.value
    }

    /// Inserts a value or replaces the value under its key. Does not store a value that is larger than the maximum
    /// cost.
    ///
    /// - Returns: The values that were removed. If the caller holds a lock, it must unlock first and release the values
    ///   afterwards, because deinitializing an object may run foreign code.
    @discardableResult
    @inlinable public mutating func set(_ key: Key, to value: Value, cost: Int) -> [Value] {
        var gone: [Value] = []
        if let replaced = remove(key) { gone.append(replaced) }
        guard maximumCount > 0, cost <= maximumCost else { return gone }
        while slots.count >= maximumCount || totalCost > maximumCost - cost {
            guard let node = nodes[oldest], let value = remove(node.key) else { break }
            gone.append(value)
        }
        let node = Node(key: key, value: value, cost: cost, newer: -1, older: -1)
        let slot: Int
        if let unused = free.popLast() {
            slot = unused
            nodes[slot] = node
        } else {
            slot = nodes.count
            nodes.append(node)
        }
        slots[key] = slot
        totalCost += cost
        link(slot)
        return gone
    }

    /// Removes the value of a key and returns it. Returns `nil` if there is no value.
    @discardableResult
    @inlinable public mutating func remove(_ key: Key) -> Value? {
        guard let slot = slots.removeValue(forKey: key), let node = nodes[slot] else { return nil }
        unlink(node)
        nodes[slot] = nil
        free.append(slot)
        totalCost -= node.cost
        return node.value
    }

    @inlinable mutating func unlink(_ node: Node) {
        if node.newer >= 0 { nodes[node.newer]?.older = node.older } else { newest = node.older }
        if node.older >= 0 { nodes[node.older]?.newer = node.newer } else { oldest = node.newer }
    }

    @inlinable mutating func link(_ slot: Int) {
        nodes[slot]?.newer = -1
        nodes[slot]?.older = newest
        if newest >= 0 { nodes[newest]?.newer = slot } else { oldest = slot }
        newest = slot
    }
}
