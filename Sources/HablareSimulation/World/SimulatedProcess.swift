import Foundation
import Hablare
import Synchronization

/// One process of a history, from its start to its death: an engine, its tasks, and what goes wrong with it.
final class SimulatedProcess: Sendable {
    struct State: Sendable {
        var manager: AIRequestManager?
        var driver: SimulatedCommitDriver?
        var tasks: [Int32: Task<Void, Never>] = [:]
        /// Operations of client code that have not ended.
        var pending: Set<Int32> = []
        var isServiceRunning = true
        /// Whether it has no network.
        var isOffline = false
        /// How far its date is from the virtual time, in nanoseconds.
        var dateOffset: Int64 = 0
        /// The most that it was since the process last looked at who there is.
        var latestOffset: Int64 = 0
        var failingCommits = 0
        /// The number of coming commits whose outcome is unknown to the process, and whether they are made.
        var uncertainCommits: (count: Int, areMade: Bool) = (0, false)
        var failingClaims = 0
        var failingReads = 0
        /// Of content files.
        var failingFiles = 0
        /// How many commits from now it dies at, and how.
        var deathAtCommit: (count: Int, isApplied: Bool, isOfMachine: Bool)?
        /// The same of writing a content file.
        var deathAtFile: (count: Int, isApplied: Bool, isOfMachine: Bool)?
        /// Content that lost its last reference and could not be removed.
        var uncollected: Set<ContentReference> = []
        var diesWithMachine = false
        /// When a new one starts in its place, after its death or end.
        var restart: Int64?
        /// How long it goes on after its engine has ended.
        var linger: Int64 = 0
        /// How many commits of the disk's log it has read.
        var logRead = 0
        var isSignalOnItsWay = false
        /// How many locks it took. Each has a name of its own, as a file of its own has: a registration whose lock was let
        /// go stays dead when its process registers anew.
        var locks = 0
        /// Who there was when the process last looked.
        var seen: [OwnerID: OwnerRegistration] = [:]
    }

    /// Counted over the history, from 0.
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

    /// Whether nothing it does is seen or heard any more.
    var isCutOff: Bool { cutOff.load(ordering: .relaxed) }

    /// The date as the process has it.
    var date: Date {
        let offset = state.withLock { $0.dateOffset }
        return SimulationNames.date(scheduler.now + offset)
    }

    /// The latest date by which the process may have judged what it saw when it last looked at who there is: its clock
    /// may have been set back since.
    var latestDate: Date {
        let offset = state.withLock { $0.latestOffset }
        return SimulationNames.date(scheduler.now + offset)
    }

    /// Takes one of a budget of failures.
    func takes(_ budget: any WritableKeyPath<State, Int> & Sendable) -> Bool {
        state.withLock { state in
            guard state[keyPath: budget] > 0 else { return false }
            state[keyPath: budget] -= 1
            return true
        }
    }

    /// Whether the next commit, whose outcome is to be unknown, is made; `nil` where its outcome is known.
    func takesUncertainCommit() -> Bool? {
        state.withLock { state in
            guard state.uncertainCommits.count > 0 else { return nil }
            state.uncertainCommits.count -= 1
            return state.uncertainCommits.areMade
        }
    }

    /// Throws where the process is dead, or where this reading of the disk is to fail.
    func mayRead(_ recorder: Recorder) throws {
        guard !isCutOff else { throw SimulatedDisk.dead }
        guard takes(\.failingReads) else { return }
        recorder.record(.readFailed, in: number)
        throw AIServiceError(.storageBusy, "The store is in use. Try again.")
    }

    /// Takes back what was to go wrong.
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

    /// Cuts the process off from the world: from now on it is dead, and does not know it.
    func cut() {
        cutOff.store(true, ordering: .relaxed)
    }

    /// Lets what is left of a process that was cut off run to its end, and frees its memory.
    ///
    /// - Returns: Whether it came to an end.
    func bury(within bound: Int) -> Bool {
        scheduler.cut(lane: lane)
        let (tasks, driver) = state.withLock { state in
            defer { state.manager = nil }
            return (state.tasks.sorted { $0.key < $1.key }.map(\.value), state.driver)
        }
        for task in tasks { task.cancel() }
        driver?.flush()
        shutdownOrder.continuation.finish()
        guard scheduler.runRest(ofLane: lane, within: bound) else { return false }
        driver?.stop()
        return state.withLock { state in
            state.driver = nil
            return !state.isServiceRunning && state.pending.isEmpty
        }
    }
}
