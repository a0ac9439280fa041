package import Dispatch

/// A task executor that runs tasks on a dispatch queue of its own. If the queue is serial, tasks run one after the
/// other. If the queue is concurrent, tasks run on threads that a test may block.
package final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    package init(_ attributes: DispatchQueue.Attributes = []) {
        queue = DispatchQueue(label: "hablare.test.tasks", attributes: attributes)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
