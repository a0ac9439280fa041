#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

/// The times of the reactive rules, in milliseconds: one place for what an app should not have in many.
public enum ReactiveInterval: Int, Sendable, CaseIterable {
    /// How quiet a queue of actions has to be before it is committed: 500 ms.
    case queueCommit = 500
    /// How quiet a queue of actions has to be before what it shows is changed: 100 ms.
    case queueDisplay = 100
    /// How often what changes all the time, as a progress, is shown at most: every 300 ms.
    case display = 300
    /// How long an error that passes by itself is shown: 5 s.
    case errorDisplay = 5_000
    /// How long after an error of the network it is tried again: 2 s.
    case networkRetry = 2_000

    /// The time, as a scheduler counts it.
    public func time<Time: SchedulerTimeIntervalConvertible>() -> Time { .milliseconds(rawValue) }
}
