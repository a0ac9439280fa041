/// When a queue commits, how often it tries, and how much it remembers. A queue that is opened with a setting below its
/// least throws ``ActionQueueError/Code/invalidConfiguration``.
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
    /// So many waiting actions, over all groups, are committed at once. At least 1. Default 10.
    public var count: Int
    /// So long after the last change whatever waits is committed. 0 or more. Default 500 ms.
    public var quietTime: Duration
    /// The most items of one call of the committer. At least 1. Default 100.
    public var largestGroup: Int
    /// How many actions can be undone, over commits and restarts. 0 or more.
    /// Default 50.
    public var undoDepth: Int
    /// How many attempts an item gets before it counts as failed. At least 1.
    /// Default 8.
    public var maximumAttempts: Int
    /// What is waited after the first failure; doubles with each further one. 0 or more. Default 1 s.
    public var retryDelay: Duration
    /// The most that is waited between two attempts. 0 or more. Default 60 s.
    public var maximumRetryDelay: Duration
    /// How long a shutdown waits for commits under way before it cancels them. 0 or more. Default 5 s.
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

    /// Refuses what cannot work.
    func check() throws(ActionQueueError) {
        let counts = [
            ("count", count, 1), ("largestGroup", largestGroup, 1), ("undoDepth", undoDepth, 0),
            ("maximumAttempts", maximumAttempts, 1),
        ]
        for (name, value, least) in counts where value < least {
            throw ActionQueueError(
                .invalidConfiguration, "`\(name)` of the queue's configuration is \(value). Give it \(least) or more.")
        }
        let durations = [
            ("quietTime", quietTime), ("retryDelay", retryDelay), ("maximumRetryDelay", maximumRetryDelay),
            ("shutdownGrace", shutdownGrace),
        ]
        for (name, value) in durations where value < .zero {
            throw ActionQueueError(
                .invalidConfiguration, "`\(name)` of the queue's configuration is negative. Give it zero or more.")
        }
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
