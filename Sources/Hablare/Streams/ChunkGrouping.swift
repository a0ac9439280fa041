import DequeModule

/// Decides when chunks are written to the store, and which chunks are written together. This type is pure.
///
/// The first chunk is written at once, so that a reader receives it soon. Later chunks are written in groups. A group
/// is written when it is full, or when the time ``Bounds/delay`` has passed since the last group was begun. A slow
/// stream therefore needs few commits, and each chunk is written soon.
struct ChunkGrouping: Sendable {
    struct Bounds: Sendable, Hashable {
        /// The time between the starts of two groups, if the groups are not full.
        var delay: Duration
        var groupBytes = 256 << 10
        var groupCount = 1024
        var retryDelay = Duration.seconds(1)
        /// The maximum number of bytes that have not been written to the store. If this number is reached, no more
        /// chunks are accepted.
        var heldBytes = 1 << 20
        var heldCount = 8192

        init(_ durability: StreamingPolicy.Durability) {
            switch durability {
            case .durable: delay = .milliseconds(25)
            case .volatile: delay = .seconds(1)
            }
        }
    }

    enum Step: Sendable, Hashable {
        /// Write `count` chunks, beginning with the chunk number `first`, and then call ``journalled()``.
        case journal(first: Int, count: Int)
        case wait(until: Duration)
        /// Wait for the next event.
        case idle
    }

    private let bounds: Bounds
    private(set) var journalledCount: Int
    private var sizes: Deque<Int> = []
    private var heldBytes = 0
    /// The number of chunks that are being written.
    private var underWay = 0
    private var lastBegan: Duration?
    /// The time before which no group is written, because the last write failed.
    private var pausedUntil: Duration?
    private var isOver = false
    /// Whether the store failed after the stream had ended.
    private var isGivenUp = false

    /// Creates a grouping.
    ///
    /// - Parameter kept: The number of chunks of this answer that earlier attempts wrote to the store.
    init(_ bounds: Bounds, after kept: Int = 0) {
        self.bounds = bounds
        journalledCount = kept
    }

    var count: Int { journalledCount + sizes.count }

    var isFull: Bool { heldBytes >= bounds.heldBytes || sizes.count >= bounds.heldCount }

    // MARK: Events

    mutating func arrived(size: Int) {
        sizes.append(size)
        heldBytes += size
    }

    mutating func ended() { isOver = true }

    mutating func journalled() {
        journalledCount += underWay
        for _ in 0..<underWay { heldBytes -= sizes.removeFirst() }
        underWay = 0
    }

    /// Handles a failed write of the current group. The write is repeated after a delay. After the end of the stream,
    /// the write is not repeated. The remaining chunks are then written together with the attempt's end, and the engine
    /// keeps this end until the store works again.
    mutating func failed(now: Duration) {
        underWay = 0
        if isOver { isGivenUp = true } else { pausedUntil = now + bounds.retryDelay }
    }

    mutating func step(now: Duration) -> Step {
        guard underWay == 0, !sizes.isEmpty, !isGivenUp else { return .idle }
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
