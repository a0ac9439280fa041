/// When a queue commits, how often it tries, and how much it remembers.
public struct ActionQueueConfiguration: Sendable, Hashable {
    /// Who decides when actions are committed.
    public enum Mode: Sendable, Hashable {
        /// The queue: when ``ActionQueueConfiguration/count`` actions wait, or ``ActionQueueConfiguration/quietTime`` has
        /// passed since the last one was appended, undone or redone.
        case automatic
        /// The app, by ``DurableActionQueue/commit()`` or ``DurableActionQueue/flush()``: a person looks at what waits
        /// first. What was committed once is tried again by itself.
        case review
    }

    /// Who decides when actions are committed. Default: ``Mode/automatic``.
    public var mode: Mode
    /// So many waiting actions, over all groups, are committed at once. Default 10; less than 1 counts as 1.
    public var count: Int
    /// So long after the last change whatever waits is committed. Default 500 ms.
    public var quietTime: Duration
    /// The most items of one call of the committer. Default 100; less than 1 counts as 1.
    public var largestGroup: Int
    /// How many actions can be undone, over commits and restarts. Default 50; less than 0 counts as 0.
    public var undoDepth: Int
    /// How many attempts an item gets before it counts as failed. Default 8; less than 1 counts as 1.
    public var maximumAttempts: Int
    /// What is waited after the first failure; doubles with each further one. Default 1 s.
    public var retryDelay: Duration
    /// The most that is waited between two attempts. Default 60 s.
    public var maximumRetryDelay: Duration
    /// How long a shutdown waits for commits under way before it cancels them. Default 5 s.
    public var shutdownGrace: Duration

    /// Creates a configuration.
    public init(
        mode: Mode = .automatic, count: Int = 10, quietTime: Duration = .milliseconds(500), largestGroup: Int = 100,
        undoDepth: Int = 50, maximumAttempts: Int = 8, retryDelay: Duration = .seconds(1),
        maximumRetryDelay: Duration = .seconds(60), shutdownGrace: Duration = .seconds(5)
    ) {
        self.mode = mode
        self.count = count
        self.quietTime = quietTime
        self.largestGroup = largestGroup
        self.undoDepth = undoDepth
        self.maximumAttempts = maximumAttempts
        self.retryDelay = retryDelay
        self.maximumRetryDelay = maximumRetryDelay
        self.shutdownGrace = shutdownGrace
    }

    /// What is waited after so many failed attempts.
    func backoff(after attempts: Int) -> Duration {
        var delay = max(.zero, min(retryDelay, maximumRetryDelay))
        var doublings = max(1, attempts) - 1
        while doublings > 0, delay > .zero, delay < maximumRetryDelay {
            delay = min(delay + delay, maximumRetryDelay)
            doublings -= 1
        }
        return delay
    }
}
