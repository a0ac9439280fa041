/// The values that were delivered and are not in the blob cache yet: asks are answered from here meanwhile, and each key
/// is written by one at a time, in the order of delivery. Pure.
///
/// Without it a value that memory does not hold would be nowhere until its write is over. It would be loaded again beside
/// the write, and of two writes of one key, which no cache puts in order, the older could be the last.
struct BlobWrites<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A value that is to be written.
    struct Write: Sendable {
        let value: Value
        /// When it was delivered, as ``BlobTraffic`` counts.
        let start: Int
    }

    private struct Line: Sendable {
        /// What was delivered last; `nil` when that was to be removed since.
        var value: Value?
        /// What is written when the write under way is over.
        var next: Write?
    }

    /// One for each key that is being written.
    private var lines: [Key: Line] = [:]

    /// How many keys are being written.
    var count: Int { lines.count }

    /// The value of a key that is on its way to the blob cache.
    func value(for key: Key) -> Value? { lines[key]?.value }

    /// What an event leaves to be done.
    struct Consequence: Sendable {
        /// What is to be written now.
        var write: Write?
        /// What waited to be written, and will not be.
        var superseded: [(key: Key, write: Write)] = []
        /// What is not held here any more: to be let go of where code of others may run.
        var dropped: [Value] = []
    }

    /// A value was delivered, and is to be written: now, or after the write of its key that is under way.
    mutating func delivered(_ write: Write, for key: Key) -> Consequence {
        guard let line = lines.updateValue(Line(value: write.value), forKey: key) else {
            return Consequence(write: write)
        }
        lines[key]?.next = write
        return Self.leftovers(of: line, key)
    }

    /// The write of a key that was under way is over, however it ended.
    mutating func ended(_ key: Key) -> Consequence {
        guard let line = lines.removeValue(forKey: key) else { return Consequence() }
        guard let next = line.next else { return Self.leftovers(of: line, key) }
        lines[key] = Line(value: line.value)
        return Consequence(write: next)
    }

    /// A key is to be removed. Its write that is under way has begun; another one is spared.
    mutating func forgotten(_ key: Key) -> Consequence {
        guard let line = lines.updateValue(Line(), forKey: key) else {
            lines[key] = nil
            return Consequence()
        }
        return Self.leftovers(of: line, key)
    }

    /// All of them are.
    mutating func forgottenAll() -> Consequence {
        let old = lines
        lines = old.mapValues { _ in Line() }
        return old.reduce(into: Consequence()) { consequence, entry in
            let leftovers = Self.leftovers(of: entry.value, entry.key)
            consequence.superseded += leftovers.superseded
            consequence.dropped += leftovers.dropped
        }
    }

    private static func leftovers(of line: Line, _ key: Key) -> Consequence {
        Consequence(
            superseded: line.next.map { [(key, $0)] } ?? [], dropped: line.value.map { [$0] } ?? [])
    }
}
