/// The settings of a queue for commits, attempts and undo. If a setting is below its minimum, opening the queue throws
/// ``ActionQueueError/Code/invalidConfiguration``.
///
/// ```swift
/// let configuration = ActionQueueConfiguration(count: 25, quietTime: .seconds(2), undoDepth: 200)
/// let reviewed = ActionQueueConfiguration(mode: .review, maximumAttempts: 3)
/// ```
public struct ActionQueueConfiguration: Sendable, Hashable {
    /// The condition that starts a commit.
    public enum Mode: Sendable, Hashable {
        /// The queue commits automatically in two cases: ``ActionQueueConfiguration/count`` actions wait, or
        /// ``ActionQueueConfiguration/quietTime`` has passed since the last append, undo or redo.
        case automatic
        /// The app starts each commit with ``DurableActionQueue/commit()`` or ``DurableActionQueue/flush()``, after the
        /// user has reviewed the waiting actions. After a failure, the queue retries a committed action automatically.
        case review
    }

    /// The condition that starts a commit. Default: ``Mode/automatic``. For example, use `.review` if the user confirms
    /// all deletions together.
    public var mode: Mode
    /// The number of waiting actions, in all groups together, at which a commit starts. At least 1. Default: 10. For
    /// example, use 1 to commit each action at once, or 25 to save calls to a service.
    public var count: Int
    /// The time after the last append, undo or redo at which waiting actions are committed. At least 0. Default: 500
    /// ms. For example, use `.seconds(2)` to leave the user time for an undo before the commit.
    public var quietTime: Duration
    /// The maximum number of items in one call of the committer. At least 1. Default: 100. For example, use 25 for a
    /// service that accepts 25 items in a call.
    public var largestGroup: Int
    /// The number of actions that can be undone, across commits and restarts. At least 0. Default: 50. For example, use
    /// 200 for an editor, or 0 if actions cannot be undone.
    public var undoDepth: Int
    /// The number of attempts after which an item counts as failed. At least 1. Default: 8. For example, use 3 if the
    /// user should soon learn of a failure.
    public var maximumAttempts: Int
    /// The delay after the first failure. The delay doubles after each further failure. At least 0. Default: 1 s. For
    /// example, use `.milliseconds(200)` for a service on the local network.
    public var retryDelay: Duration
    /// The maximum delay between two attempts. At least 0. Default: 60 s. For example, use `.seconds(600)` for edits
    /// that wait for a network.
    public var maximumRetryDelay: Duration
    /// The time after which a shutdown cancels the commits in flight. At least 0. Default: 5 s. For example, use
    /// `.seconds(1)` in an app that the system suspends soon.
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

    /// Throws an error for a setting below its minimum.
    func check() throws(ActionQueueError) {
        let counts = [
            ("count", count, 1), ("largestGroup", largestGroup, 1), ("undoDepth", undoDepth, 0),
            ("maximumAttempts", maximumAttempts, 1),
        ]
        for (name, value, least) in counts where value < least {
            throw ActionQueueError(
                .invalidConfiguration, "The queue's setting `\(name)` is \(value). Set it to \(least) or more.")
        }
        let durations = [
            ("quietTime", quietTime), ("retryDelay", retryDelay), ("maximumRetryDelay", maximumRetryDelay),
            ("shutdownGrace", shutdownGrace),
        ]
        for (name, value) in durations where value < .zero {
            throw ActionQueueError(
                .invalidConfiguration, "The queue's setting `\(name)` is negative. Set it to zero or more.")
        }
    }

    /// Returns the delay after a number of failed attempts.
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
