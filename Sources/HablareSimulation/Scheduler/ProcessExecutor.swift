/// The task executor of one simulated process. It passes every job (a piece of a task that runs without suspension) to
/// the scheduler.
///
/// Each process has an executor of its own, so that the scheduler knows to which process a job belongs. The actors of
/// the process are ordinary default actors. If they shared one serial executor, the simulation could not vary the order
/// of their jobs.
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

    /// Runs a job or an action on the calling thread.
    func run(_ entry: SimulationScheduler.Entry) {
        switch entry {
        case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        case .action(let action): action()
        }
    }
}
