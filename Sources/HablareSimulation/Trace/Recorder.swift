import Hablare
import HablareSupport

/// Records the trace of a history: the list of its events. Do not record events of dead processes.
final class Recorder: Sendable {
    private struct State: Sendable {
        var events: [TraceEvent] = []
        var jobs: [[Int32]] = []
    }

    private let scheduler: SimulationScheduler
    private let state = Confined(State())

    init(scheduler: SimulationScheduler) {
        self.scheduler = scheduler
        state.withLock { $0.events.reserveCapacity(512) }
    }

    func record(_ what: TraceEvent.What, in process: Int32 = -1) {
        let stamp = scheduler.stamp
        state.withLock {
            $0.events.append(TraceEvent(time: stamp.now, step: stamp.steps, process: process, what: what))
        }
    }

    /// Records the list of requests that the submission of a job returned.
    func job(_ requests: [Int32]) -> Observed {
        state.withLock { state in
            state.jobs.append(requests)
            return .storedJob(Int32(state.jobs.count - 1))
        }
    }

    var events: [TraceEvent] { state.withLock { $0.events } }
    var jobs: [[Int32]] { state.withLock { $0.jobs } }
}
