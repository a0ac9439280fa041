/// The task executor of one simulated process. It passes every job to the scheduler.
///
/// Each process has its own executor, so that the scheduler knows which process a job belongs to. The actors of the
/// process are ordinary default actors. One shared serial executor would hide their interleavings.
final class ProcessExecutor: TaskExecutor {
    let lane: Int
    private let scheduler: SimulationScheduler

    init(lane: Int, scheduler: SimulationScheduler) {
        self.lane = lane
        self.scheduler = scheduler
    }

    func enqueue(_ job: consuming ExecutorJob) {
        scheduler.enqueue(.job(UnownedJob(job)), lane: lane)
    }

    /// Runs an entry on the calling thread.
    func run(_ entry: SimulationScheduler.Entry) {
        switch entry {
        case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        case .action(let action): action()
        }
    }
}
