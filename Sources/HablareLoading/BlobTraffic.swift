/// Decides which blobs can be trusted while writes and removals run concurrently and in no order. Pure.
///
/// A removal that overtakes a write of the same key would leave the removed value behind. So each writer afterwards
/// asks whether its write ``isOvertaken(_:since:)``, and if so removes what it wrote. The blob is unreadable until
/// then, and also while a removal is in progress or after one has failed. A removed value therefore never reappears.
struct BlobTraffic<Key: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        /// The start times of the writes in progress.
        var writes: [Int] = []
        /// The number of removals in progress.
        var removals = 0
        /// The start time of the last removal.
        var removed = 0
        /// The time at which a value was found to remain although it should have been removed.
        var left: Int?

        var isIdle: Bool { writes.isEmpty && removals == 0 && left == nil }

        /// Clears `left`, unless the remaining value was found after the operation that began at `start`.
        mutating func wasCleared(since start: Int) {
            if let left, left < start { self.left = nil }
        }
    }

    private var entries: [Key: Entry] = [:]
    /// A logical clock that advances with each event and orders them.
    private var now = 0
    /// The counterparts of `Entry.removals`, `removed` and `left` for removals of all keys.
    private var clearances = 0
    private var cleared = 0
    private var left: Int?

    /// The number of keys with an entry.
    var count: Int { entries.count }

    /// Returns whether the cache's blob for a key is the one that was stored last and has not been removed since.
    func isReadable(_ key: Key) -> Bool {
        guard clearances == 0, left == nil else { return false }
        guard let entry = entries[key] else { return true }
        return entry.removals == 0 && entry.left == nil && !entry.writes.contains { $0 < max(entry.removed, cleared) }
    }

    // MARK: Writing

    /// Records the start of a write and returns its time.
    mutating func writeBegan(_ key: Key) -> Int {
        now += 1
        entries[key, default: Entry()].writes.append(now)
        return now
    }

    /// Returns whether a removal of the key began after the write did, so that the written blob has to be removed.
    func isOvertaken(_ key: Key, since start: Int) -> Bool {
        start < max(entries[key]?.removed ?? 0, cleared)
    }

    /// The end of a write.
    enum WriteEnd: Sendable {
        /// The value is stored.
        case stored
        /// The value is not stored. An earlier one may be.
        case failed
        /// The write was overtaken by a removal, and its value has been removed again.
        case undone
        /// The write was overtaken by a removal, and its value may still be there.
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

    /// Records the start of a key's removal and returns its time.
    mutating func removalBegan(_ key: Key) -> Int {
        now += 1
        entries[key, default: Entry()].removals += 1
        entries[key, default: Entry()].removed = now
        return now
    }

    /// Records the end of a key's removal, whether it succeeded or failed.
    mutating func removalEnded(_ key: Key, since start: Int, isDone: Bool) {
        now += 1
        change(key) { [now] entry in
            entry.removals -= 1
            if isDone { entry.wasCleared(since: start) } else { entry.left = now }
        }
    }

    /// Records the start of the removal of all keys and returns its time.
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
