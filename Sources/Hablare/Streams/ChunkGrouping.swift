import DequeModule

/// Which chunks are journalled together, and when. Pure.
///
/// The first chunk goes at once, so that a reader sees it soon. What follows goes in groups: when one is full, or
/// when the last one began ``Bounds/delay`` ago. So a slow stream costs few commits, and no chunk waits for long.
struct ChunkGrouping: Sendable {
    /// When a group is full, and when a provider has to wait.
    struct Bounds: Sendable, Hashable {
        /// The time between the beginnings of two groups that are not full.
        var delay: Duration
        /// A group of so many bytes is full.
        var groupBytes = 256 << 10
        /// A group of so many chunks is full.
        var groupCount = 1024
        /// How long after a failure a group is tried again.
        var retryDelay = Duration.seconds(1)
        /// With so many bytes that are not journalled, no more are taken.
        var heldBytes = 1 << 20
        /// With so many chunks that are not journalled, no more are taken.
        var heldCount = 8192

        init(_ durability: StreamingPolicy.Durability) {
            switch durability {
            case .durable: delay = .milliseconds(25)
            case .volatile: delay = .seconds(1)
            }
        }
    }

    /// What to do next.
    enum Step: Sendable, Hashable {
        /// Journal so many chunks from the one of this number on, then tell ``journalled()``.
        case journal(first: Int, count: Int)
        /// Ask again then.
        case wait(until: Duration)
        /// Ask again when something happened.
        case rest
    }

    private let bounds: Bounds
    /// How many chunks are journalled.
    private(set) var journalledCount: Int
    /// The sizes of those that are not.
    private var sizes: Deque<Int> = []
    private var heldBytes = 0
    /// How many of those that are not are being journalled.
    private var underWay = 0
    private var lastBegan: Duration?
    /// Until when nothing is tried because the store failed.
    private var pausedUntil: Duration?
    private var isOver = false
    /// Whether the store failed when there was nothing more to wait for.
    private var isGivenUp = false

    /// - Parameter kept: How many chunks of the generation earlier attempts left.
    init(_ bounds: Bounds, after kept: Int = 0) {
        self.bounds = bounds
        journalledCount = kept
    }

    /// How many chunks there are.
    var count: Int { journalledCount + sizes.count }

    /// Whether the provider has to wait.
    var isFull: Bool { heldBytes >= bounds.heldBytes || sizes.count >= bounds.heldCount }

    // MARK: Events

    /// A chunk came.
    mutating func arrived(size: Int) {
        sizes.append(size)
        heldBytes += size
    }

    /// No more will come: what there is goes at once.
    mutating func ended() { isOver = true }

    /// The group under way is on disk.
    mutating func journalled() {
        journalledCount += underWay
        for _ in 0..<underWay { heldBytes -= sizes.removeFirst() }
        underWay = 0
    }

    /// The group under way could not be written: it is tried again after a while; at the end not at all, for then all
    /// that is left goes with the end of the attempt, which is kept until the store recovers.
    mutating func failed(now: Duration) {
        underWay = 0
        if isOver { isGivenUp = true } else { pausedUntil = now + bounds.retryDelay }
    }

    /// What to do now.
    mutating func step(now: Duration) -> Step {
        guard underWay == 0, !sizes.isEmpty, !isGivenUp else { return .rest }
        if let pausedUntil, !isOver, now < pausedUntil { return .wait(until: pausedUntil) }
        pausedUntil = nil
        let isDue = isOver || heldBytes >= bounds.groupBytes || sizes.count >= bounds.groupCount
        if let lastBegan, !isDue, now - lastBegan < bounds.delay { return .wait(until: lastBegan + bounds.delay) }
        var bytes = 0
        while underWay < sizes.count, underWay < bounds.groupCount, bytes < bounds.groupBytes {
            bytes += sizes[underWay]
            underWay += 1
        }
        lastBegan = now
        return .journal(first: journalledCount, count: underWay)
    }
}
