import Hablare
import HablareSupport

/// Runs the journal's drain, the function that commits all waiting writes, as a job of its process. The number of
/// writes in a commit therefore depends on the seed.
final class SimulatedCommitDriver: CommitDriver {
    private let scheduler: SimulationScheduler
    private let lane: Int
    /// The maximum time that a commit waits for the disk, in nanoseconds.
    private let delay: Int64
    private let drain = Confined(Drain())

    /// A container of the closure. Without this structure, every access would wrap the closure again, because it is in
    /// a generic container.
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

    /// Runs the drain once more after the process was cut off. The timers of such a process do not fire, but its
    /// waiting callers must continue so that their memory is freed.
    func flush() {
        ready()
    }

    private func ready() {
        scheduler.enqueue(.action { self.drain.withLock { $0.run }?() }, lane: lane)
    }
}
