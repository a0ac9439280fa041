import Foundation
import Hablare
import HablareStores
import HablareSupport
import HablareTestKit

/// One process's view of a store that several processes share in memory. It can fail on demand, die, and be notified of
/// other processes.
final class ProcessStore: ForwardingStore {
    /// The state that the processes of one machine share.
    final class Machine: OwnerLiveness, StoreSignal {
        private struct State: Sendable {
            var alive: Set<String> = []
            var last = 0
            var processes = 0
            /// The rows that each commit changed.
            var log: [(process: Int, record: ChangeRecord)] = []
            var watchers: [AsyncStream<Void>.Continuation] = []
        }

        let shared = InMemoryStore()
        let host = "machine"
        private let state = Locked(State())

        func acquire() -> String {
            state.withLock { state in
                state.last += 1
                state.alive.insert("lock-\(state.last)")
                return "lock-\(state.last)"
            }
        }

        func release(_ lockName: String) { state.withLock { _ = $0.alive.remove(lockName) } }
        func gone(among owners: [OwnerRecord], at date: Date) -> Set<OwnerID> {
            let foreign = owners.filter { $0.registration.host != host }.withEndedLeases(at: date)
            let own = owners.filter { $0.registration.host == host && isFree($0.registration.lockName) }
            return foreign.union(own.map(\.id))
        }
        func isFree(_ lockName: String) -> Bool { state.withLock { !$0.alive.contains(lockName) } }

        /// Kills every process: their locks are released, and nothing else happens.
        func killAll() { state.withLock { $0.alive = [] } }

        func changes() -> AsyncStream<Void> {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            state.withLock { $0.watchers.append(continuation) }
            return stream
        }

        /// Opens the store for a process. Returns its number and the number of commits.
        fileprivate func open() -> (process: Int, commits: Int) {
            state.withLock { state in
                state.processes += 1
                return (state.processes, state.log.count)
            }
        }

        fileprivate func commits(after count: Int) -> ArraySlice<(process: Int, record: ChangeRecord)> {
            state.withLock { $0.log.dropFirst(count) }
        }

        fileprivate func committed(_ changes: [StoreChange], by process: Int) {
            let record = ChangeRecord(of: changes)
            if !record.isEmpty { state.withLock { $0.log.append((process, record)) } }
        }

        fileprivate func wakeWatchers() {
            for watcher in state.withLock({ $0.watchers }) { watcher.yield() }
        }
    }

    private struct State: Sendable {
        var failure: AIServiceError?
        var failsOn: @Sendable (StoreWrite) -> Bool = { _ in true }
        var failsClaims = true
        /// The writes of the next commit whose outcome is lost, and whether the commit is made.
        var lost: (isLost: @Sendable (StoreWrite) -> Bool, isMade: Bool)?
        var claimHold: Hold?
        var commitHold: Hold?
        var streamHold: Hold?
        var accountsHold: Hold?
        var holdsUp: @Sendable (StoreWrite) -> Bool = { _ in true }
        var own = 0
        /// The number of commits that were read from the machine's log.
        var read = 0
    }

    private let machine: Machine
    private let process: Int
    private let state: Locked<State>

    let content: (any ContentStore)?
    private let knowsLiveness: Bool
    private let hearsOthers: Bool

    /// - Parameters:
    ///   - knowsLiveness: Whether locks show which process is dead, or only expired leases do.
    ///   - hearsOthers: Whether the process is notified of other processes' commits, or finds them only when it looks.
    init(
        _ machine: Machine = Machine(), content: (any ContentStore)? = nil, knowsLiveness: Bool = true,
        hearsOthers: Bool = true
    ) {
        self.machine = machine
        self.knowsLiveness = knowsLiveness
        self.hearsOthers = hearsOthers
        self.content = content
        let opened = machine.open()
        process = opened.process
        state = Locked(State(read: opened.commits))
    }

    var shared: InMemoryStore { machine.shared }
    var base: any RequestStore { shared }

    /// Lets commits with a matching write fail from now on, and also claims if no writes are given.
    func fail(
        with error: AIServiceError = AIServiceError(.storageFull, "Full."),
        on condition: (@Sendable (StoreWrite) -> Bool)? = nil
    ) {
        state.withLock { state in
            state.failure = error
            state.failsOn = condition ?? { _ in true }
            state.failsClaims = condition == nil
        }
    }

    /// Lets the next commit with a matching write have an unknown outcome, made or not.
    func loseNextCommit(isMade: Bool, of condition: @escaping @Sendable (StoreWrite) -> Bool) {
        state.withLock { $0.lost = (condition, isMade) }
    }

    /// Lets all claims of this process fail from now on, and nothing else.
    func failClaims() {
        fail(on: { _ in false })
        state.withLock { $0.failsClaims = true }
    }

    /// Blocks the journal until it is released, once, like a slow disk.
    final class Hold: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let hasArrived = Locked(false)

        var isReached: Bool { hasArrived.withLock { $0 } }
        func letGo() { semaphore.signal() }

        fileprivate func pass() {
            hasArrived.withLock { $0 = true }
            semaphore.wait()
        }
    }

    /// Lets the next claim return only when it is released. Its leases are taken before.
    func holdNextClaim(_ hold: Hold) { state.withLock { $0.claimHold = hold } }

    /// Lets the next commit, or the next with a matching write, begin only when it is released.
    func holdNextCommit(_ hold: Hold, of condition: @escaping @Sendable (StoreWrite) -> Bool = { _ in true }) {
        state.withLock { state in
            state.commitHold = hold
            state.holdsUp = condition
        }
    }

    /// Lets the next stream reader get its answer only when it is released.
    func holdNextStream(_ hold: Hold) { state.withLock { $0.streamHold = hold } }

    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) -> StreamPage? {
        take { $0.streamHold.take() }?.pass()
        return shared.stream(of: id, from: position, maximumBytes: maximumBytes)
    }

    /// Lets the next reader of the accounts get them only when it is released.
    func holdNextAccounts(_ hold: Hold) { state.withLock { $0.accountsHold = hold } }

    func accounts() -> [AccountRecord] {
        let accounts = shared.accounts()
        take { $0.accountsHold.take() }?.pass()
        return accounts
    }

    /// The number of commits of this process.
    var commits: Int { state.withLock { $0.own } }

    func recover() { state.withLock { $0.failure = nil } }

    func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
        take { writes.contains(where: $0.holdsUp) ? $0.commitHold.take() : nil }?.pass()
        let (failure, fails) = state.withLock { ($0.failure, $0.failsOn) }
        if let failure, writes.contains(where: fails) { throw failure }
        let isMade = state.withLock { state -> Bool? in
            guard let lost = state.lost, writes.contains(where: lost.isLost) else { return nil }
            state.lost = nil
            return lost.isMade
        }
        if isMade ?? true {
            let commit = shared.commit(writes)
            state.withLock { $0.own += 1 }
            machine.committed(commit.changes, by: process)
            machine.wakeWatchers()
            if isMade == nil { return commit }
        }
        throw AIServiceError(.storageUncertain, "The connection to the store was lost. Try again.")
    }

    func claim(_ query: ClaimQuery) throws -> Claim {
        if let failure = state.withLock({ $0.failsClaims ? $0.failure : nil }) { throw failure }
        let claim = shared.claim(query)
        machine.committed(claim.flights.map { .flight($0.id, $0.lifecycle) }, by: process)
        take { $0.claimHold.take() }?.pass()
        return claim
    }

    private func take(_ hold: (inout State) -> Hold?) -> Hold? { state.withLock { hold(&$0) } }

    func foreignChanges(where isOfInterest: (ChangedRow) -> Bool) throws -> ForeignChanges {
        let read = state.withLock { $0.read }
        let commits = machine.commits(after: read)
        let foreign = commits.filter { $0.process != process }.map(\.record)
        let changes = ForeignChanges(
            changes: try presentChanges(of: foreign.flatMap(\.rows).filter(isOfInterest)),
            mayWait: foreign.contains(where: \.mayWait), touchesAnswers: foreign.contains(where: \.touchesAnswers))
        state.withLock { $0.read = read + commits.count }
        return changes
    }

    var signal: (any StoreSignal)? { hearsOthers ? machine : nil }
    var liveness: (any OwnerLiveness)? { knowsLiveness ? machine : nil }
}
