import Dispatch
import Foundation
import HablareSupport

/// Runs the journal's drain, the function that writes all waiting entries to the store. In production, the drain runs
/// on a separate thread. In a simulation, a scheduler runs it.
public protocol CommitDriver: Sendable {
    /// Starts the driver. From now on, the driver runs `drain` after each call of ``signal()``. The journal calls this
    /// method once, before any other method of the driver. `drain` blocks its thread while it commits.
    func start(_ drain: @escaping @Sendable () -> Void)

    /// Requests one more run of the drain. The journal calls this method from any thread, when its queue was empty and
    /// gets an entry.
    func signal()

    /// Stops the driver. The journal calls this method once, when it is deallocated.
    func stop()
}

/// The driver for production: a thread that sleeps on a semaphore.
///
/// It is a thread and not a task, because a commit blocks while it waits for the disk. Threads of the cooperative pool
/// must not block.
public final class ThreadCommitDriver: CommitDriver {
    private let wakeUp = DispatchSemaphore(value: 0)
    private let isStopped = Locked(false)

    /// Creates a driver. Its thread starts with ``start(_:)``.
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

    /// Ends the thread after the current run of the drain.
    public func stop() {
        isStopped.withLock { $0 = true }
        wakeUp.signal()
    }
}
