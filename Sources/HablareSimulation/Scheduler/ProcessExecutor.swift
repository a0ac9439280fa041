/// The task executor of one simulated process, which passes every job to the scheduler.
///
/// Each process has its own, so that the scheduler knows a job's process. The actors of the process stay ordinary
/// default actors, because one shared serial executor would hide their interleavings.
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
