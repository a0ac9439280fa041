/// The values that were delivered to callers but are not yet in the blob cache. Until a value is in the blob cache,
/// requests for its key are answered with this value. Each key has one write at a time, in the order of delivery. Pure.
///
/// Without this record, a value that does not fit into memory could not be found until its write ends. It would be
/// loaded again during the write. Two writes of one key could also run at once. The cache does not order them, so the
/// older value could replace the newer value.
struct BlobWrites<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A value to write.
    struct Write: Sendable {
        let value: Value
        /// The time of the delivery, on the logical clock of ``BlobTraffic``.
        let start: Int
    }

    private struct WriteQueue: Sendable {
        /// The value that was delivered last; `nil` if the key was removed after the delivery.
        var value: Value?
        /// The write that follows the write in progress.
        var next: Write?
    }

    /// One entry for each key with a write in progress.
    private var queues: [Key: WriteQueue] = [:]

    /// The number of keys with a write in progress.
    var count: Int { queues.count }

    /// Returns the value of a key whose write has not ended.
    func value(for key: Key) -> Value? { queues[key]?.value }

    /// The work that the caller must do after an event.
    struct Consequence: Sendable {
        /// The write to start now.
        var write: Write?
        /// The queued writes that will not be done.
        var superseded: [(key: Key, write: Write)] = []
        /// The values that are no longer kept. The caller releases them outside the lock, because a release may run
        /// other code.
        var dropped: [Value] = []
    }

    /// Records that a value was delivered. The value is written now. If a write of its key is in progress, the value is
    /// written after that write.
    mutating func delivered(_ write: Write, for key: Key) -> Consequence {
        guard let queue = queues.updateValue(WriteQueue(value: write.value), forKey: key) else {
            return Consequence(write: write)
        }
        queues[key]?.next = write
        return Self.leftovers(of: queue, key)
    }

    /// Records the end of the write of a key, whether it succeeded or failed.
    mutating func ended(_ key: Key) -> Consequence {
        guard let queue = queues.removeValue(forKey: key) else { return Consequence() }
        guard let next = queue.next else { return Self.leftovers(of: queue, key) }
        queues[key] = WriteQueue(value: queue.value)
        return Consequence(write: next)
    }

    /// Records that a key is removed. A write in progress continues. A queued write is dropped.
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
