import Dispatch
import Foundation

/// Runs the journal's drain somewhere: on a thread of its own in production, on the scheduler of a simulation.
public protocol CommitDriver: Sendable {
    /// Called once, before anything else, with what to run whenever signalled. It blocks for the time of its commits.
    func start(_ drain: @escaping @Sendable () -> Void)

    /// Asks for one more run of the drain. Called when the journal's queue becomes non-empty, from any thread.
    func signal()

    /// No more runs are needed. Called once, when the journal goes away.
    func stop()
}

/// The production driver: one thread that sleeps on a semaphore.
///
/// A thread and not a task, because a commit blocks for the time of a disk sync, and the threads of the cooperative
/// pool must not.
public final class ThreadCommitDriver: CommitDriver {
    private let wakeUp = DispatchSemaphore(value: 0)
    private let isStopped = Guarded(false)

    /// Creates a driver; its thread starts with ``start(_:)``.
    public init() {}

    /// Starts the thread.
    public func start(_ drain: @escaping @Sendable () -> Void) {
        let wakeUp = self.wakeUp
        let isStopped = self.isStopped
        let thread = Thread {
            while true {
                wakeUp.wait()
                if isStopped.withLock({ $0 }) { return }
                drain()
            }
        }
        thread.name = "hablare.journal"
        thread.start()
    }

    /// Wakes the thread.
    public func signal() {
        wakeUp.signal()
    }

    /// Ends the thread after its current run.
    public func stop() {
        isStopped.withLock { $0 = true }
        wakeUp.signal()
    }
}
