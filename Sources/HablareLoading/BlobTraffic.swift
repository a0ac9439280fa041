/// Which blobs can be believed while some are written and others removed, side by side and in no order. Pure.
///
/// A removal that overtakes a write of the same key would leave behind what was to be removed. So whoever has written
/// asks whether it ``isOvertaken(_:since:)``, and then removes what it wrote; and until that is done, and as long as a
/// removal is under way or has failed, nobody reads the blob. What must not come back does not.
struct BlobTraffic<Key: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        /// When each of the writes that are under way began.
        var writes: [Int] = []
        /// How many removals are under way.
        var removals = 0
        /// When the last removal began.
        var removed = 0
        /// When it was found that something is still there that was to be removed.
        var left: Int?

        var isIdle: Bool { writes.isEmpty && removals == 0 && left == nil }

        /// What began at a time has put things right: unless that something is left was found later.
        mutating func wasCleared(since start: Int) {
            if let left, left < start { self.left = nil }
        }
    }

    private var entries: [Key: Entry] = [:]
    /// Counts what happens, so that one thing can be told to be later than another.
    private var now = 0
    /// The same as of one key, of all of them.
    private var clearances = 0
    private var cleared = 0
    private var left: Int?

    /// How many keys it has to remember.
    var count: Int { entries.count }

    /// Whether what the cache has for a key is what was stored last, and was not to be removed.
    func isReadable(_ key: Key) -> Bool {
        guard clearances == 0, left == nil else { return false }
        guard let entry = entries[key] else { return true }
        return entry.removals == 0 && entry.left == nil && !entry.writes.contains { $0 < max(entry.removed, cleared) }
    }

    // MARK: Writing

    /// A value is to be written. Answers when that was.
    mutating func writeBegan(_ key: Key) -> Int {
        now += 1
        entries[key, default: Entry()].writes.append(now)
        return now
    }

    /// Whether what was written is to be removed: that was asked for since the write began.
    func isOvertaken(_ key: Key, since start: Int) -> Bool {
        start < max(entries[key]?.removed ?? 0, cleared)
    }

    /// How a write ended.
    enum WriteEnd: Sendable {
        /// The value is there.
        case stored
        /// It is not there; what was there before may be.
        case failed
        /// It was overtaken, and is removed again.
        case undone
        /// It was overtaken, and may still be there.
        case left
    }

    /// A write is over.
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

    /// What is stored for a key is to be removed. Answers when that was.
    mutating func removalBegan(_ key: Key) -> Int {
        now += 1
        entries[key, default: Entry()].removals += 1
        entries[key, default: Entry()].removed = now
        return now
    }

    /// It was, or could not be.
    mutating func removalEnded(_ key: Key, since start: Int, isDone: Bool) {
        now += 1
        change(key) { [now] entry in
            entry.removals -= 1
            if isDone { entry.wasCleared(since: start) } else { entry.left = now }
        }
    }

    /// Everything is to be removed. Answers when that was.
    mutating func clearanceBegan() -> Int {
        now += 1
        clearances += 1
        cleared = now
        return now
    }

    /// It was, or could not be.
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
