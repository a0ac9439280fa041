import Hablare

/// Runs a journal's drain as one more job of its process: how many calls share a commit differs from seed to seed.
final class SimulatedCommitDriver: CommitDriver {
    private let scheduler: SimulationScheduler
    private let lane: Int
    /// How long a commit waits for the disk, at most, in nanoseconds.
    private let delay: Int64
    private let drain = Confined(Drain())

    /// In a structure of its own: a bare closure in a generic container is wrapped once more by every access to it.
    private struct Drain: Sendable {
        var run: (@Sendable () -> Void)?
    }

    init(scheduler: SimulationScheduler, lane: Int, delay: Int64) {
        self.scheduler = scheduler
        self.lane = lane
        self.delay = delay
    }

    func start(_ drain: @escaping @Sendable () -> Void) {
        self.drain.withLock { $0.run = drain }
    }

    func signal() {
        let wait = delay > 0 ? scheduler.draw(below: delay) : 0
        guard wait > 0, !scheduler.isCutOff(lane: lane) else { return ready() }
        scheduler.at(scheduler.now + wait, lane: lane) { self.ready() }
    }

    func stop() {
        drain.withLock { $0.run = nil }
    }

    /// Runs the drain once more: timers of a process that is cut off do not fire, and whoever waits must hear.
    func flush() {
        ready()
    }

    private func ready() {
        scheduler.enqueue(.action { self.drain.withLock { $0.run }?() }, lane: lane)
    }
}
