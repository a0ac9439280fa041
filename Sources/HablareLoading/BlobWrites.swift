/// The values that were delivered but are not yet in the blob cache. Requests are answered from here meanwhile. Each
/// key has one write at a time, in the order of delivery. Pure.
///
/// Without it, a value that memory does not hold would be unreachable until its write ends, and would be loaded again
/// beside the write. Two writes of one key could also run at once. No cache orders them, so the older value could win.
struct BlobWrites<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A value to write.
    struct Write: Sendable {
        let value: Value
        /// The time of delivery on the clock of ``BlobTraffic``.
        let start: Int
    }

    private struct WriteQueue: Sendable {
        /// The value delivered last, or `nil` when the key has been removed since.
        var value: Value?
        /// The write that follows the one in progress.
        var next: Write?
    }

    /// One entry for each key with a write in progress.
    private var queues: [Key: WriteQueue] = [:]

    /// The number of keys with a write in progress.
    var count: Int { queues.count }

    /// Returns the value of a key whose write has not ended.
    func value(for key: Key) -> Value? { queues[key]?.value }

    /// The work that an event leaves to its caller.
    struct Consequence: Sendable {
        /// The write to start now.
        var write: Write?
        /// The queued writes that will not be performed.
        var superseded: [(key: Key, write: Write)] = []
        /// The values that are no longer held. The caller releases them outside the lock, because releasing may run
        /// other code.
        var dropped: [Value] = []
    }

    /// Records that a value was delivered. It is written now, or after the write of its key that is in progress.
    mutating func delivered(_ write: Write, for key: Key) -> Consequence {
        guard let queue = queues.updateValue(WriteQueue(value: write.value), forKey: key) else {
            return Consequence(write: write)
        }
        queues[key]?.next = write
        return Self.leftovers(of: queue, key)
    }

    /// Records the end of the write of a key, with any result.
    mutating func ended(_ key: Key) -> Consequence {
        guard let queue = queues.removeValue(forKey: key) else { return Consequence() }
        guard let next = queue.next else { return Self.leftovers(of: queue, key) }
        queues[key] = WriteQueue(value: queue.value)
        return Consequence(write: next)
    }

    /// Records that a key is removed. Its write in progress continues, and its queued write is dropped.
    mutating func forgotten(_ key: Key) -> Consequence {
        guard let queue = queues.updateValue(WriteQueue(), forKey: key) else {
            queues[key] = nil
            return Consequence()
        }
        return Self.leftovers(of: queue, key)
    }

    /// Records that all keys are removed.
    mutating func forgottenAll() -> Consequence {
        let old = queues
        queues = old.mapValues { _ in WriteQueue() }
        return old.reduce(into: Consequence()) { consequence, entry in
            let leftovers = Self.leftovers(of: entry.value, entry.key)
            consequence.superseded += leftovers.superseded
            consequence.dropped += leftovers.dropped
        }
    }

    private static func leftovers(of queue: WriteQueue, _ key: Key) -> Consequence {
        Consequence(
            superseded: queue.next.map { [(key, $0)] } ?? [], dropped: queue.value.map { [$0] } ?? [])
    }
}
