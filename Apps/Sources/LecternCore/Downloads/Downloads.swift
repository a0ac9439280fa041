/// The downloads for use without a network, as a pure machine. Methods are named after what happened, and return what to
/// do next. A shell makes the audio and deletes files.
///
/// These rules hold for any events in any order:
/// - An item is in flight at most once, and at most ``mostInFlight`` items are.
/// - Nothing starts during a pause. A pause stops what is in flight; a later start continues it.
/// - A complete item is deleted only 30 days after it was wanted last.
public struct Downloads: Hashable, Sendable, Codable {
    /// The time for which a complete item is kept after it was wanted last: 30 days, in seconds.
    public static let kept: Int64 = 30 * 86_400
    /// The most items in flight: 2.
    public static let mostInFlight = 2
    /// The number of attempts after which an item counts as failed: 5.
    public static let mostAttempts = 5

    /// The state of an item.
    public enum Phase: Hashable, Sendable, Codable {
        /// Waits for its turn.
        case waiting
        /// Is being made.
        case inFlight
        /// Failed, and is tried again at a time.
        case retrying(at: Moment)
        /// Failed, and is tried again when the person asks.
        case failed
        /// Is complete.
        case complete
    }

    /// An item.
    public struct Entry: Hashable, Sendable, Codable {
        /// The state.
        public internal(set) var phase = Phase.waiting
        /// The reason; `nil` if it is no longer wanted.
        public internal(set) var reason: DownloadReason?
        /// The place among the wishes.
        var place = 0
        /// When it was wanted last.
        public internal(set) var wantedAt: Moment
        /// The parts that are made, and all parts; 0 of 0 until known.
        public internal(set) var made = 0
        /// All parts; 0 until known.
        public internal(set) var parts = 0
        /// The number of failed attempts.
        public internal(set) var attempts = 0
    }

    /// An order to the shell.
    public enum Effect: Hashable, Sendable {
        /// Make the audio of an item. What an earlier start made is kept.
        case start(DownloadItem)
        /// Stop making an item. What was made is kept.
        case stop(DownloadItem)
        /// Delete what was made of an item.
        case delete(DownloadItem)
    }

    /// The progress of all items that are wanted.
    public struct Progress: Hashable, Sendable {
        /// The number of complete items.
        public var complete = 0
        /// The number of items.
        public var all = 0
        /// The number of items that failed.
        public var failed = 0
        /// Whether downloads are paused.
        public var isPaused = false
    }

    /// The items.
    public private(set) var entries: [DownloadItem: Entry] = [:]
    /// Whether downloads are paused.
    public private(set) var isPaused = false

    /// Creates a machine without items.
    public init() {}

    // MARK: Events

    /// The wishes changed, or were read again. Call this at least once a day, so that wanted items stay wanted.
    public mutating func wanted(_ wishes: DownloadWishes, now: Moment) -> [Effect] {
        for item in entries.keys { entries[item]?.reason = nil }
        for (place, (item, reason)) in wishes.items.enumerated() {
            var entry = entries[item] ?? Entry(wantedAt: now)
            entry.reason = reason
            entry.place = place
            // The clock may have been set back.
            entry.wantedAt = now
            entries[item] = entry
        }
        return next(now: now)
    }

    /// Parts of an item were made.
    public mutating func progressed(_ item: DownloadItem, made: Int, of parts: Int) {
        guard entries[item]?.phase == .inFlight else { return }
        entries[item]?.made = max(0, min(made, parts))
        entries[item]?.parts = max(0, parts)
    }

    /// An item is complete.
    public mutating func finished(_ item: DownloadItem, now: Moment) -> [Effect] {
        // What finished during a pause, or after a stop, is complete all the same.
        guard var entry = entries[item], entry.phase != .complete else { return next(now: now) }
        entry.phase = .complete
        entry.attempts = 0
        entry.made = entry.parts
        entries[item] = entry
        return next(now: now)
    }

    /// An attempt failed.
    ///
    /// - Parameter canRetry: Whether the same attempt can succeed later.
    public mutating func failed(_ item: DownloadItem, canRetry: Bool, now: Moment) -> [Effect] {
        guard var entry = entries[item], entry.phase == .inFlight else { return next(now: now) }
        entry.attempts += 1
        if canRetry, entry.attempts < Self.mostAttempts {
            // 5 s, 20 s, 80 s, 320 s.
            entry.phase = .retrying(at: now.adding(seconds: 5 << (2 * (entry.attempts - 1))))
        } else {
            entry.phase = .failed
        }
        entries[item] = entry
        return next(now: now)
    }

    /// The person asked to try failed items again.
    public mutating func retried(now: Moment) -> [Effect] {
        for (item, entry) in entries where entry.phase == .failed {
            entries[item]?.phase = .waiting
            entries[item]?.attempts = 0
        }
        return next(now: now)
    }

    /// The person paused downloads.
    public mutating func paused() -> [Effect] {
        isPaused = true
        return stop { _ in true }
    }

    /// The person resumed downloads.
    public mutating func resumed(now: Moment) -> [Effect] {
        isPaused = false
        return next(now: now)
    }

    /// The process started again: nothing is in flight any more.
    public mutating func restarted(now: Moment) -> [Effect] {
        _ = stop { _ in true }
        return next(now: now)
    }

    /// Time passed. See ``wake(after:)``.
    public mutating func timePassed(now: Moment) -> [Effect] { next(now: now) }

    /// The time at which ``timePassed(now:)`` has something to do; `nil` for never.
    public func wake(after now: Moment) -> Moment? {
        entries.values.compactMap { entry in
            switch entry.phase {
            case .retrying(let time): isPaused || entry.reason == nil ? nil : time
            case .complete: entry.reason == nil ? entry.wantedAt.adding(seconds: Self.kept) : nil
            case .waiting, .inFlight, .failed: nil
            }
        }.min()
    }

    /// The progress.
    public var progress: Progress {
        var progress = Progress(isPaused: isPaused)
        for entry in entries.values where entry.reason != nil {
            progress.all += 1
            if entry.phase == .complete { progress.complete += 1 }
            if entry.phase == .failed { progress.failed += 1 }
        }
        return progress
    }

    // MARK: Decisions

    private mutating func next(now: Moment) -> [Effect] {
        var effects = stop { $0.reason == nil }
        effects += forget(now: now)
        guard !isPaused else { return effects }
        var free = Self.mostInFlight - entries.values.count { $0.phase == .inFlight }
        let ready = entries.filter { $0.value.reason != nil && $0.value.isReady(now: now) }
            .sorted { ($0.value.place, "\($0.key)") < ($1.value.place, "\($1.key)") }
        for (item, _) in ready where free > 0 {
            entries[item]?.phase = .inFlight
            effects.append(.start(item))
            free -= 1
        }
        return effects
    }

    private mutating func stop(_ condition: (Entry) -> Bool) -> [Effect] {
        let stopped = entries.filter { $0.value.phase == .inFlight && condition($0.value) }.keys
            .sorted { "\($0)" < "\($1)" }
        for item in stopped { entries[item]?.phase = .waiting }
        return stopped.map { .stop($0) }
    }

    /// Forgets items that are no longer wanted: complete ones after 30 days, others at once.
    private mutating func forget(now: Moment) -> [Effect] {
        let old = entries.filter { _, entry in
            guard entry.reason == nil else { return false }
            return entry.phase != .complete || entry.wantedAt.adding(seconds: Self.kept) <= now
        }.keys.sorted { "\($0)" < "\($1)" }
        for item in old { entries[item] = nil }
        return old.map { .delete($0) }
    }
}

extension Downloads.Entry {
    fileprivate func isReady(now: Moment) -> Bool {
        switch phase {
        case .waiting: true
        case .retrying(let time): time <= now
        case .inFlight, .failed, .complete: false
        }
    }
}
