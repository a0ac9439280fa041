import Dispatch
import Foundation
import HablareSupport

/// A driver that runs the journal's drain, the function that commits all waiting writes. In production the drain runs
/// on a separate thread. In a simulation it runs on a scheduler.
public protocol CommitDriver: Sendable {
    /// Starts the driver, which runs `drain` after each signal. The journal calls this once, before any other method.
    /// `drain` blocks for the time of its commits.
    func start(_ drain: @escaping @Sendable () -> Void)

    /// Requests one more run of the drain. The journal calls this from any thread when its queue becomes non-empty.
    func signal()

    /// Stops the driver. The journal calls this once, when the journal is deallocated and needs no more runs.
    func stop()
}

/// The production driver: a thread that sleeps on a semaphore.
///
/// It is a thread and not a task, because a commit blocks for the time of a disk sync. Threads of the cooperative pool
/// must not block.
public final class ThreadCommitDriver: CommitDriver {
    private let wakeUp = DispatchSemaphore(value: 0)
    private let isStopped = Locked(false)

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
