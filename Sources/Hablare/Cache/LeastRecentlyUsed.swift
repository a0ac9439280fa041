/// A dictionary with a limit on the number and the total size of its values. It evicts the least recently used values.
/// This type is pure.
///
/// The values are linked in the order of their use, so every operation takes constant time.
package struct LeastRecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Node: Sendable {
        let key: Key
        var value: Value
        var cost: Int
        /// The index of the value that was used next after this value. -1 if there is none.
        var newer: Int
        var older: Int
    }

    private let maximumCount: Int
    private let maximumCost: Int
    private var slots: [Key: Int] = [:]
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var newest = -1
    private var oldest = -1
    package private(set) var cost = 0

    package init(maximumCount: Int, maximumCost: Int) {
        self.maximumCount = maximumCount
        self.maximumCost = maximumCost
    }

    package var count: Int { slots.count }

    package mutating func use(_ key: Key) -> Value? {
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
    /// - Returns: The values that were removed. If the caller holds a lock, it must unlock first, and release the
    ///   removed values afterwards. The deinitializer of an object may run code of other modules.
    @discardableResult
    package mutating func set(_ key: Key, to value: Value, cost: Int) -> [Value] {
        var gone: [Value] = []
        if let replaced = remove(key) { gone.append(replaced) }
        guard maximumCount > 0, cost <= maximumCost else { return gone }
        while slots.count >= maximumCount || self.cost > maximumCost - cost {
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
        self.cost += cost
        link(slot)
        return gone
    }

    @discardableResult
    package mutating func remove(_ key: Key) -> Value? {
        guard let slot = slots.removeValue(forKey: key), let node = nodes[slot] else { return nil }
        unlink(node)
        nodes[slot] = nil
        free.append(slot)
        cost -= node.cost
        return node.value
    }

    private mutating func unlink(_ node: Node) {
        if node.newer >= 0 { nodes[node.newer]?.older = node.older } else { newest = node.older }
        if node.older >= 0 { nodes[node.older]?.newer = node.newer } else { oldest = node.newer }
    }

    private mutating func link(_ slot: Int) {
        nodes[slot]?.newer = -1
        nodes[slot]?.older = newest
        if newest >= 0 { nodes[newest]?.newer = slot } else { oldest = slot }
        newest = slot
    }
}
