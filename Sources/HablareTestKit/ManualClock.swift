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
        var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Guarded(State())

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
                let (next, arrived) = state.withLock { state -> (Next, [CheckedContinuation<Void, Never>]) in
                    if state.cancelled.remove(number) != nil { return (.cancel, []) }
                    if deadline <= state.now { return (.wake, []) }
                    state.sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
                    let count = state.sleepers.count
                    let arrived = state.arrivals.filter { $0.count <= count }.map(\.continuation)
                    state.arrivals.removeAll { $0.count <= count }
                    return (.wait, arrived)
                }
                switch next {
                case .wake: continuation.resume()
                case .cancel: continuation.resume(throwing: CancellationError())
                case .wait: break
                }
                for arrival in arrived { arrival.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
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
            return woken.sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Waits until so many tasks sleep on the clock: the moment to move it.
    public func sleepers(reach count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.arrivals.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
