import Hablare

/// The clock of a simulated process. Its time is the virtual time of the scheduler.
struct VirtualClock: Clock, Sendable {
    /// An instant: the time since the history began.
    struct Instant: InstantProtocol {
        let offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    let scheduler: SimulationScheduler
    let lane: Int

    var now: Instant { Instant(offset: .nanoseconds(scheduler.now)) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await scheduler.sleep(until: deadline.offset.nanoseconds, lane: lane)
    }
}

extension Duration {
    /// The duration in whole nanoseconds. If the number is too large, the greatest possible number.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? .max : product + attoseconds / 1_000_000_000
    }
}
