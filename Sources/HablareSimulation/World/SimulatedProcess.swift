import Foundation
import Hablare
import Synchronization

/// A process of a history, from its start to its death. It contains an engine, its tasks and its planned faults.
final class SimulatedProcess: Sendable {
    struct State: Sendable {
        var manager: AIRequestManager?
        var driver: SimulatedCommitDriver?
        var tasks: [Int32: Task<Void, Never>] = [:]
        /// The operations of the simulated app that have not returned.
        var pending: Set<Int32> = []
        var isServiceRunning = true
        /// Whether the process has no network.
        var isOffline = false
        /// The difference between the process's date and the virtual time, in nanoseconds.
        var dateOffset: Int64 = 0
        /// The maximum of this difference since the process last read the registrations of other processes.
        var latestOffset: Int64 = 0
        var failingCommits = 0
        /// The number of next commits whose outcome the process does not learn. `areMade` tells whether they are made.
        var uncertainCommits: (count: Int, areMade: Bool) = (0, false)
        var failingClaims = 0
        var failingReads = 0
        /// The number of next writes of content files that fail.
        var failingFiles = 0
        /// The commit at which the process dies, counted from now on, and the kind of death.
        var deathAtCommit: (count: Int, isApplied: Bool, isOfMachine: Bool)?
        /// The write to a content file at which the process dies, counted from now on, and the kind of death.
        var deathAtFile: (count: Int, isApplied: Bool, isOfMachine: Bool)?
        /// Content to which no row refers any more and that could not be removed yet.
        var uncollected: Set<ContentReference> = []
        var diesWithMachine = false
        /// The time after the end of this process at which a new process starts in the same slot.
        var restart: Int64?
        /// The time for which the process continues to run after its engine has ended.
        var linger: Int64 = 0
        /// The number of commits in the disk's log that this process has read.
        var logRead = 0
        var isSignalOnItsWay = false
        /// The number of locks that the process has taken. Each lock has a different name, like a lock file. If a lock
        /// was released, the registration that used it therefore counts as dead, even if the process registers again.
        var locks = 0
        /// The registrations of processes that this process read last.
        var seen: [OwnerID: OwnerRegistration] = [:]
    }

    /// The number of the process in the history, from 0.
    let number: Int32
    let slot: Int
    let executor: ProcessExecutor
    let shutdownOrder = AsyncStream.makeStream(of: Void.self)
    let signals = Broadcast<Void>(limit: 1)
    let state = Confined(State())
    private let scheduler: SimulationScheduler
    private let cutOff = Atomic(false)

    init(number: Int32, slot: Int, scheduler: SimulationScheduler) {
        self.number = number
        self.slot = slot
        self.scheduler = scheduler
        executor = scheduler.makeLane()
    }

    var lane: Int { executor.lane }
    var spawner: TaskSpawner { TaskSpawner(executor: executor) }
    var manager: AIRequestManager? { state.withLock { $0.manager } }

    /// Whether the process is cut off from the simulated world. If so, its actions have no effect on other processes,
    /// and it receives nothing.
    var isCutOff: Bool { cutOff.load(ordering: .relaxed) }

    /// The date of the process's clock.
    var date: Date {
        let offset = state.withLock { $0.dateOffset }
        return SimulationNames.date(scheduler.now + offset)
    }

    /// The latest date that the process's clock has shown since the process last read the registrations of other
    /// processes. The clock may have been set back since.
    var latestDate: Date {
        let offset = state.withLock { $0.latestOffset }
        return SimulationNames.date(scheduler.now + offset)
    }

    /// If failures of a kind are planned, uses one of them. Returns whether there was one.
    func takes(_ budget: any WritableKeyPath<State, Int> & Sendable) -> Bool {
        state.withLock { state in
            guard state[keyPath: budget] > 0 else { return false }
            state[keyPath: budget] -= 1
            return true
        }
    }

    /// If the outcome of the next commit is planned to be unknown, returns whether the commit is made. Otherwise
    /// returns `nil`.
    func takesUncertainCommit() -> Bool? {
        state.withLock { state in
            guard state.uncertainCommits.count > 0 else { return nil }
            state.uncertainCommits.count -= 1
            return state.uncertainCommits.areMade
        }
    }

    /// Throws an error if the process is dead, or if a failure of this read is planned.
    func mayRead(_ recorder: Recorder) throws {
        guard !isCutOff else { throw SimulatedDisk.dead }
        guard takes(\.failingReads) else { return }
        recorder.record(.readFailed, in: number)
        throw AIServiceError(.storageBusy, "The store is in use. Try again.")
    }

    /// Removes all planned faults.
    func heal() {
        scheduler.lightFuse(0, lane: lane)
        scheduler.setAsleep(false, lane: lane)
        state.withLock { state in
            state.failingCommits = 0
            state.uncertainCommits.count = 0
            state.failingClaims = 0
            state.failingReads = 0
            state.failingFiles = 0
            state.deathAtCommit = nil
            state.deathAtFile = nil
            state.isOffline = false
        }
        for reason in SuspensionReason.allCases { manager?.resume(from: reason) }
    }

    /// Cuts the process off from the simulated world. The process is then dead for all others. Its code continues
    /// without knowing it.
    func cut() {
        cutOff.store(true, ordering: .relaxed)
    }

    /// Runs the remaining jobs of a process that was cut off, so that its tasks end and its memory is freed.
    ///
    /// - Returns: Whether all jobs ended.
    func bury(within bound: Int) -> Bool {
        scheduler.cut(lane: lane)
        let (tasks, driver) = state.withLock { state in
            defer { state.manager = nil }
            return (state.tasks.sorted { $0.key < $1.key }.map(\.value), state.driver)
        }
        for task in tasks { task.cancel() }
        driver?.flush()
        shutdownOrder.continuation.finish()
        guard scheduler.runRemaining(ofLane: lane, within: bound) else { return false }
        driver?.stop()
        return state.withLock { state in
            state.driver = nil
            return !state.isServiceRunning && state.pending.isEmpty
        }
    }
}
