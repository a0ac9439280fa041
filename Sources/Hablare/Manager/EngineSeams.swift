public import Foundation

/// Everything through which the engine touches the world beside its store and providers: time, identity, threads, and
/// whoever looks on.
///
/// Production takes the defaults. A test or a simulation replaces them and owns every interleaving.
public struct EngineSeams: Sendable {
    /// What is waited by.
    public var clock: EngineClock
    /// The date of records, where the store has none of its own (``RequestStore/date``). Called under the engine's lock: it
    /// must not block, nor call the manager.
    public var date: @Sendable () -> Date
    /// Where the UUIDs of regenerated requests come from.
    public var makeID: @Sendable () -> UUID
    /// What spreads retries: a number between 0 and 1 for each. Called under the engine's lock, as the date is.
    public var jitter: @Sendable () -> Double
    /// Where tasks run; `nil` is the global executor.
    public var taskExecutor: (any TaskExecutor)?
    /// What the journal commits on.
    public var makeCommitDriver: @Sendable () -> any CommitDriver
    /// Where metrics and spans go.
    public var observation: EngineObservation
    /// Hears of every ``EngineEvent`` of the manager, from its first one on; `nil`, the default, hears of none.
    ///
    /// Called in commit order, from any thread, before anyone who waits for the outcome in question resumes. The engine
    /// keeps its lock meanwhile: the follower must not block, and deadlocks if it calls the manager. To do more than count
    /// or pass on, or where missing an event does no harm, read ``AIRequestManager/events()``.
    public var follower: (@Sendable (EngineEvent) -> Void)?

    /// The system's clock, dates, UUIDs and threads, what the process has bootstrapped for metrics and spans, and no
    /// follower, unless given.
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

/// A clock as the engine uses one: time since it was made, and sleeping until such a time.
public struct EngineClock: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Adapts a clock. Its time at this moment becomes zero.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        // Clocks trap on times that their counters cannot hold, and a request may ask for any.
        wait = { try await clock.sleep(until: start.advanced(by: min($0, .farthest)), tolerance: nil) }
    }

    /// The time since the clock was made.
    public var now: Duration { elapsed() }

    /// Sleeps until a time, or throws `CancellationError`.
    public func sleep(until deadline: Duration) async throws {
        try await wait(deadline)
    }

    /// Sleeps for a time, or throws `CancellationError`.
    public func sleep(for duration: Duration) async throws {
        try await wait(now + min(duration, .farthest))
    }
}
