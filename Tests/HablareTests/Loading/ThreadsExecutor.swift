import Dispatch

/// Runs tasks on threads of its own, which a test may block.
final class ThreadsExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "hablare.test.threads", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
