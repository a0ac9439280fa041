/// Records writes and removals in the blob cache, and decides which blobs may be read. Writes and removals may run at
/// the same time and end in any order. This type is pure.
///
/// If a key is removed while a value is written for it, the write could store the removed value again. Therefore each
/// writer calls ``isOvertaken(_:since:)`` after its write. If the result is `true`, the writer removes the value that
/// it has written. Until the writer has removed it, the blob must not be read. The blob also must not be read while a
/// removal is in progress or after a removal has failed. A removed value therefore never appears again.
struct BlobTraffic<Key: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        /// The logical times at which the writes in progress began.
        var writes: [Int] = []
        /// The number of removals in progress.
        var removals = 0
        /// The logical time at which the latest removal began.
        var removed = 0
        /// The logical time at which a removed value was found to be still in the cache.
        var left: Int?

        var isIdle: Bool { writes.isEmpty && removals == 0 && left == nil }

        /// Sets `left` to `nil` if the operation that began at `start` began later than `left`.
        mutating func wasCleared(since start: Int) {
            if let left, left < start { self.left = nil }
        }
    }

    private var entries: [Key: Entry] = [:]
    /// A logical clock. It advances with each event, so that events can be compared.
    private var now = 0
    /// The number of removals of all keys that are in progress. `cleared` and `left` have the same meaning as
    /// `Entry.removed` and `Entry.left`, but for all keys.
    private var clearances = 0
    private var cleared = 0
    private var left: Int?

    /// The number of keys that have an entry.
    var count: Int { entries.count }

    /// Returns whether a blob in the cache may be read: it is the value that was stored last, and it was not removed.
    func isReadable(_ key: Key) -> Bool {
        guard clearances == 0, left == nil else { return false }
        guard let entry = entries[key] else { return true }
        return entry.removals == 0 && entry.left == nil && !entry.writes.contains { $0 < max(entry.removed, cleared) }
    }

    // MARK: Writing

    /// Records the beginning of a write, and returns its logical time.
    mutating func writeBegan(_ key: Key) -> Int {
        now += 1
        entries[key, default: Entry()].writes.append(now)
        return now
    }

    /// Returns whether a removal of the key began after the write began. If so, the written blob must be removed.
    func isOvertaken(_ key: Key, since start: Int) -> Bool {
        start < max(entries[key]?.removed ?? 0, cleared)
    }

    /// The way in which a write ended.
    enum WriteEnd: Sendable {
        /// The value is stored.
        case stored
        /// The value is not stored. An earlier value may be stored.
        case failed
        /// A removal began during the write. The written value was removed again.
        case undone
        /// A removal began during the write. The written value may still be in the cache.
        case left
    }

    /// Records the end of a write.
    mutating func writeEnded(_ key: Key, since start: Int, _ end: WriteEnd) {
        now += 1
        change(key) { [now] entry in
            entry.writes.removeAll { $0 == start }
            switch end {
            case .stored: entry.wasCleared(since: start)
            case .left: entry.left = now
            case .failed, .undone: break
            }
        }
    }

    // MARK: Removing

    /// Records the beginning of the removal of a key, and returns its logical time.
    mutating func removalBegan(_ key: Key) -> Int {
        now += 1
        entries[key, default: Entry()].removals += 1
        entries[key, default: Entry()].removed = now
        return now
    }

    /// Records the end of the removal of a key, whether it succeeded or failed.
    mutating func removalEnded(_ key: Key, since start: Int, isDone: Bool) {
        now += 1
        change(key) { [now] entry in
            entry.removals -= 1
            if isDone { entry.wasCleared(since: start) } else { entry.left = now }
        }
    }

    /// Records the beginning of the removal of all keys, and returns its logical time.
    mutating func clearanceBegan() -> Int {
        now += 1
        clearances += 1
        cleared = now
        return now
    }

    /// Records the end of the removal of all keys, whether it succeeded or failed.
    mutating func clearanceEnded(since start: Int, isDone: Bool) {
        now += 1
        clearances -= 1
        guard isDone else { return left = now }
        if let left, left < start { self.left = nil }
        for key in Array(entries.keys) { change(key) { $0.wasCleared(since: start) } }
    }

    private mutating func change(_ key: Key, _ change: (inout Entry) -> Void) {
        guard var entry = entries[key] else { return }
        change(&entry)
        entries[key] = entry.isIdle ? nil : entry
    }
}
