import Hablare

/// A clock that stands still until it is told to move. Sleepers wake in the order of their deadlines.
public final class ManualClock: Clock, Sendable {
    /// A moment of a manual clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let offset: Duration

        /// A later or earlier moment.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The time from this moment to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Orders by time.
        public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private struct Sleeper: Sendable {
        let number: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
        var lastNumber = 0
        var cancelled: Set<Int> = []
    }

    private let state = Guarded(State())
    private let sleeping = CountWaiters()

    /// Creates a clock at time zero.
    public init() {}

    /// The present moment.
    public var now: Instant { state.withLock { $0.now } }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the clock has been moved to a deadline, or throws `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Next: Sendable { case wake, cancel, wait }
                let next = state.withLock { state -> Next in
                    if state.cancelled.remove(number) != nil { return .cancel }
                    if deadline <= state.now { return .wake }
                    state.sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
                    sleeping.set(state.sleepers.count)
                    return .wait
                }
                switch next {
                case .wake: continuation.resume()
                case .cancel: continuation.resume(throwing: CancellationError())
                case .wait: break
                }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                defer { sleeping.set(state.sleepers.count) }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves the clock and wakes whoever's deadline has come.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state -> [Sleeper] in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let woken = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            sleeping.set(state.sleepers.count)
            return woken.sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// How many tasks sleep on the clock.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Waits until so many tasks sleep on the clock: the moment to move it. Ends early when the task is cancelled.
    public func sleepers(reach count: Int) async {
        await sleeping.reach(count)
    }
}
