import Hablare
import HablareSupport

/// A driver that runs a journal's drain as a job of its process. So the number of writes in a commit varies with the
/// seed.
final class SimulatedCommitDriver: CommitDriver {
    private let scheduler: SimulationScheduler
    private let lane: Int
    /// The maximum time that a commit waits for the disk, in nanoseconds.
    private let delay: Int64
    private let drain = Confined(Drain())

    /// A structure that contains the closure, because every access to a bare closure in a generic container wraps the
    /// closure again.
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

    /// Runs the drain once more. The timers of a cut-off process do not fire, but its waiters must be resumed.
    func flush() {
        ready()
    }

    private func ready() {
        scheduler.enqueue(.action { self.drain.withLock { $0.run }?() }, lane: lane)
    }
}
