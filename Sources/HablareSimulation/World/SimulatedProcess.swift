import Foundation
import Hablare
import Synchronization

/// One process of a history, from its start to its death. It has an engine, tasks and faults.
final class SimulatedProcess: Sendable {
    struct State: Sendable {
        var manager: AIRequestManager?
        var driver: SimulatedCommitDriver?
        var tasks: [Int32: Task<Void, Never>] = [:]
        /// The operations of client code that have not ended.
        var pending: Set<Int32> = []
        var isServiceRunning = true
        /// Whether the process has no network.
        var isOffline = false
        /// The difference between the process's date and the virtual time, in nanoseconds.
        var dateOffset: Int64 = 0
        /// The maximum of that difference since the process last looked at the owners.
        var latestOffset: Int64 = 0
        var failingCommits = 0
        /// The number of next commits whose outcome the process does not learn, and whether these commits are made.
        var uncertainCommits: (count: Int, areMade: Bool) = (0, false)
        var failingClaims = 0
        var failingReads = 0
        /// The number of next writes of content files that fail.
        var failingFiles = 0
        /// The commit at which the process dies, counted from now, and the kind of death.
        var deathAtCommit: (count: Int, isApplied: Bool, isOfMachine: Bool)?
        /// The write of a content file at which the process dies, counted from now, and the kind of death.
        var deathAtFile: (count: Int, isApplied: Bool, isOfMachine: Bool)?
        /// Content that lost its last reference and could not be removed.
        var uncollected: Set<ContentReference> = []
        var diesWithMachine = false
        /// The delay until a new process starts in this process's slot, after the process dies or ends.
        var restart: Int64?
        /// The time that the process continues after its engine has ended.
        var linger: Int64 = 0
        /// The number of commits in the disk's log that the process has read.
        var logRead = 0
        var isSignalOnItsWay = false
        /// The number of locks that the process took. Each lock has a different name, like a file. So a registration
        /// whose lock was released stays dead when its process registers again.
        var locks = 0
        /// The owners that the process saw when it last looked.
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

    /// Whether the process is cut off. Its actions are then no longer visible outside, and it receives nothing.
    var isCutOff: Bool { cutOff.load(ordering: .relaxed) }

    /// The date by the process's clock.
    var date: Date {
        let offset = state.withLock { $0.dateOffset }
        return SimulationNames.date(scheduler.now + offset)
    }

    /// The latest date at which the process may have judged the owners that it last saw. Its clock may have been set
    /// back after that.
    var latestDate: Date {
        let offset = state.withLock { $0.latestOffset }
        return SimulationNames.date(scheduler.now + offset)
    }

    /// Uses one failure from a number of planned failures. Returns whether there was one.
    func takes(_ budget: any WritableKeyPath<State, Int> & Sendable) -> Bool {
        state.withLock { state in
            guard state[keyPath: budget] > 0 else { return false }
            state[keyPath: budget] -= 1
            return true
        }
    }

    /// Returns whether the next commit with an unknown outcome is made; `nil` if the outcome of the next commit is
    /// known.
    func takesUncertainCommit() -> Bool? {
        state.withLock { state in
            guard state.uncertainCommits.count > 0 else { return nil }
            state.uncertainCommits.count -= 1
            return state.uncertainCommits.areMade
        }
    }

    /// Throws an error if the process is dead, or if this read of the disk must fail.
    func mayRead(_ recorder: Recorder) throws {
        guard !isCutOff else { throw SimulatedDisk.dead }
        guard takes(\.failingReads) else { return }
        recorder.record(.readFailed, in: number)
        throw AIServiceError(.storageBusy, "The store is in use. Try again.")
    }

    /// Removes all pending faults.
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

    /// Cuts the process off from the world. From now on, the process is dead, but its code continues without knowing
    /// this.
    func cut() {
        cutOff.store(true, ordering: .relaxed)
    }

    /// Runs the remaining jobs of a cut-off process until they end. Frees the process's memory.
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
