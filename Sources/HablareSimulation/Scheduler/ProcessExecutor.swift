/// The task executor of one simulated process: hands every job to the scheduler.
///
/// A facade for each process, so that the scheduler knows whose job it runs. The actors of the process stay ordinary
/// default actors: one shared serial executor would hide their interleavings.
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

    /// Runs what was enqueued, on the calling thread.
    func run(_ entry: SimulationScheduler.Entry) {
        switch entry {
        case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        case .action(let action): action()
        }
    }
}
