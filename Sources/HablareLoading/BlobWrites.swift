/// The values that callers have received and that are not in the blob cache yet. Until a value is in the blob cache,
/// callers that ask for its key receive it from here. For each key, one value is written at a time, in the order in
/// which callers received the values. This type is pure.
///
/// Without this type, a value that does not fit into memory could not be found while it is written. It would be loaded
/// again. Two values of the same key could also be written at the same time. The cache does not order these writes, so
/// the older value could replace the newer value.
struct BlobWrites<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A value to write.
    struct Write: Sendable {
        let value: Value
        /// The logical time of ``BlobTraffic`` at which callers received the value.
        let start: Int
    }

    private struct WriteQueue: Sendable {
        /// The value that callers received last, or `nil` if the key was removed later.
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

    /// The actions that the caller must perform after an event.
    struct Consequence: Sendable {
        /// The write to start now.
        var write: Write?
        /// The queued writes that will not be done.
        var superseded: [(key: Key, write: Write)] = []
        /// The values that are no longer kept. The caller releases them after it has unlocked, because a release may
        /// run code of other modules.
        var dropped: [Value] = []
    }

    /// Records that callers received a value. The value is written now, or after the write of the same key that is in
    /// progress.
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

    /// Records that a key is removed. A write in progress continues. A queued write is not done.
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
