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
        /// Whether something that was to be removed is still there.
        var isLeft = false

        var isIdle: Bool { writes.isEmpty && removals == 0 && !isLeft }
    }

    private var entries: [Key: Entry] = [:]
    /// Counts what happens, so that one thing can be told to be later than another.
    private var now = 0
    /// The same as of one key, of all of them.
    private var removals = 0
    private var removed = 0
    private var isLeft = false

    /// How many keys it has to remember.
    var count: Int { entries.count }

    /// Whether what the cache has for a key is what was stored last, and was not to be removed.
    func isReadable(_ key: Key) -> Bool {
        guard removals == 0, !isLeft else { return false }
        guard let entry = entries[key] else { return true }
        return entry.removals == 0 && !entry.isLeft && !entry.writes.contains { $0 < max(entry.removed, removed) }
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
        start < max(entries[key]?.removed ?? 0, removed)
    }

    /// A write is over.
    ///
    /// - Parameter leaves: Whether what was to be removed is still there; `nil` when nothing is known of it.
    mutating func writeEnded(_ key: Key, since start: Int, leaves: Bool?) {
        guard var entry = entries[key] else { return }
        entry.writes.removeAll { $0 == start }
        if let leaves { entry.isLeft = leaves }
        entries[key] = entry.isIdle ? nil : entry
    }

    // MARK: Removing

    /// What is stored for a key is to be removed.
    mutating func removalBegan(_ key: Key) {
        now += 1
        entries[key, default: Entry()].removals += 1
        entries[key, default: Entry()].removed = now
    }

    /// It was, or could not be.
    mutating func removalEnded(_ key: Key, isDone: Bool) {
        guard var entry = entries[key] else { return }
        entry.removals -= 1
        entry.isLeft = !isDone
        entries[key] = entry.isIdle ? nil : entry
    }

    /// Everything is to be removed.
    mutating func clearanceBegan() {
        now += 1
        removals += 1
        removed = now
    }

    /// It was, or could not be.
    mutating func clearanceEnded(isDone: Bool) {
        removals -= 1
        isLeft = !isDone
        guard isDone else { return }
        for key in entries.keys { entries[key]?.isLeft = false }
        entries = entries.filter { !$0.value.isIdle }
    }
}
