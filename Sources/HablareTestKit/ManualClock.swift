import Hablare
import HablareSupport

/// A clock whose time changes only when a test calls ``advance(by:)``. Tasks that sleep on the clock wake in the order
/// of their deadlines.
public final class ManualClock: Clock, Sendable {
    /// An instant of a manual clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public let offset: Duration

        /// Returns the instant that is a duration later. A negative duration gives an earlier instant.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns the time from this instant to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Orders instants by time.
        public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private struct Sleeper: Sendable {
        let deadline: Instant
        let waiter: Waiter<Void>
    }

    private struct State: Sendable {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
    }

    private let state = Locked(State())
    private let sleeping = CountWaiters()

    /// Creates a clock at time zero.
    public init() {}

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the clock reaches a deadline. Throws `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let waiter = Waiter<Void>()
        let isOver = state.withLock { state in
            if deadline <= state.now { return true }
            state.sleepers.append(Sleeper(deadline: deadline, waiter: waiter))
            sleeping.set(state.sleepers.count)
            return false
        }
        if isOver { return }
        do {
            try await waiter.value()
        } catch {
            state.withLock { state in
                state.sleepers.removeAll { $0.waiter === waiter }
                sleeping.set(state.sleepers.count)
            }
            throw error
        }
    }

    /// Advances the clock. Wakes the tasks whose deadlines the clock reaches.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state -> [Sleeper] in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let woken = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            sleeping.set(state.sleepers.count)
            // The sort is stable, so sleepers with the same deadline wake in the order in which they fell asleep.
            return woken.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in woken { sleeper.waiter.resume() }
    }

    /// The number of tasks that sleep on the clock.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Waits until at least `count` tasks sleep on the clock. The test can then advance the clock. The wait ends early
    /// if the task is cancelled.
    public func sleepers(reach count: Int) async {
        await sleeping.reach(count)
    }
}
