public import Foundation
import HablareSupport

/// The engine's external dependencies except its store and its providers: clocks, UUIDs, threads and observers.
///
/// Use the defaults in production. A test or a simulation replaces them to control the order of all events.
///
/// For example, a test uses a `ManualClock` of `HablareTestKit` and prints the events:
///
/// ```swift
/// let clock = ManualClock()
/// var seams = EngineSeams(clock: EngineClock(clock), jitter: { 1 })
/// seams.follower = { event in print(event) }
/// ```
public struct EngineSeams: Sendable {
    /// The clock for all waits. Default: `ContinuousClock`. For example, `EngineClock(clock)` in a test that advances a
    /// `ManualClock`.
    public var clock: EngineClock
    /// A function that returns the date for records, if the store has no date of its own (``RequestStore/date``). The
    /// engine calls it under its lock, so the function must not block and must not call the manager. Default: the
    /// system's clock. For example, `{ Date(timeIntervalSince1970: 0) }` for records that are the same in every run.
    public var date: @Sendable () -> Date
    /// A function that returns the UUID of the new request that ``AIRequestManager/regenerate(_:)`` submits. Default:
    /// `UUID.timeOrdered()`. To get the same UUIDs in every run, pass a closure that uses a seeded generator.
    public var makeID: @Sendable () -> UUID
    /// A function that returns a number between 0 and 1. The engine computes the maximum delay before a retry, and
    /// multiplies it by this number. The engine calls it under its lock, so the function must not block and must not
    /// call the manager. Default: a random number. For example, `{ 1 }` for the longest delay, or `{ 0 }` for no delay.
    public var jitter: @Sendable () -> Double
    /// The preferred executor of the engine's tasks. `nil`, the default, is the global executor. For example, an
    /// executor of a single thread to run the tasks of a simulation in a fixed order.
    public var taskExecutor: (any TaskExecutor)?
    /// A function that creates the driver that runs the journal's commits. Default: a separate thread. For example, a
    /// simulation passes a driver that commits only when the test asks for it.
    public var makeCommitDriver: @Sendable () -> any CommitDriver
    /// The destinations of metrics and spans. Default: the metrics and tracing systems that the process has
    /// bootstrapped. For example, ``EngineObservation/none`` for an engine that should not be measured.
    public var observation: EngineObservation
    /// A function that receives every ``EngineEvent`` of the manager, from the first event on. Default: `nil`.
    ///
    /// The engine calls the function in commit order and from any thread. It does so before it resumes callers that
    /// wait for the outcome that the event reports. The engine holds its lock during the call. The function must
    /// therefore not block, and it deadlocks if it calls the manager. Use it only to count events or to pass them to
    /// another thread. For all other purposes, read ``AIRequestManager/events()``. For example,
    /// `{ _ in count.withLock { $0 += 1 } }` counts the events.
    public var follower: (@Sendable (EngineEvent) -> Void)?

    /// Creates seams. By default they use the system's clock, dates, UUIDs and threads, the metrics and tracing systems
    /// that the process has bootstrapped, and no follower.
    public init(
        clock: EngineClock = EngineClock(ContinuousClock()),
        date: @escaping @Sendable () -> Date = { Date() },
        makeID: @escaping @Sendable () -> UUID = { UUID.timeOrdered() },
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        taskExecutor: (any TaskExecutor)? = nil,
        makeCommitDriver: @escaping @Sendable () -> any CommitDriver = { ThreadCommitDriver() },
        observation: EngineObservation = EngineObservation(),
        follower: (@Sendable (EngineEvent) -> Void)? = nil
    ) {
        self.clock = clock
        self.date = date
        self.makeID = makeID
        self.jitter = jitter
        self.taskExecutor = taskExecutor
        self.makeCommitDriver = makeCommitDriver
        self.observation = observation
        self.follower = follower
    }
}

/// A type-erased clock for the engine. It measures the time since its creation.
public struct EngineClock: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Creates an engine clock that uses another clock. The current time of the other clock becomes zero.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        // Clocks trap on times that their counters cannot hold, and a request may ask for any time.
        wait = { try await clock.sleep(until: start.advanced(by: min($0, .farthest)), tolerance: nil) }
    }

    /// The time since the clock was created.
    public var now: Duration { elapsed() }

    /// Sleeps until ``now`` reaches a time. Throws `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Duration) async throws {
        try await wait(deadline)
    }

    /// Sleeps for a duration. Throws `CancellationError` if the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try await wait(now + min(duration, .farthest))
    }
}
