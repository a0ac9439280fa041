#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// The durations for debouncing, throttling and retrying in this module, in milliseconds.
public enum ReactiveInterval: Int, Sendable, CaseIterable {
    /// The pause after the last change before a queue of actions is committed: 500 ms.
    case queueCommit = 500
    /// The pause after the last change before a queue of actions is drawn again: 100 ms.
    case queueDisplay = 100
    /// The minimum interval between updates of a value that changes all the time, such as a progress: 300 ms.
    case display = 300
    /// The time for which a transient error is shown: 5 s.
    case errorDisplay = 5_000
    /// The delay before a retry after a network error: 2 s.
    case networkRetry = 2_000

    /// Returns the interval in the type of a scheduler.
    public func time<Time: SchedulerTimeIntervalConvertible>() -> Time { .milliseconds(rawValue) }
}
