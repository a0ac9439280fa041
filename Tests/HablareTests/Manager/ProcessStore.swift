import Foundation
import Hablare
import HablareStores
import HablareTestKit

/// One process's view of a store that several share in memory: it can fail on demand, die, and be told of the others.
final class ProcessStore: ForwardingStore {
    /// What the processes of one machine share.
    final class Machine: OwnerLiveness, StoreSignal {
        private struct State: Sendable {
            var alive: Set<String> = []
            var last = 0
            var processes = 0
            /// Which rows each commit changed.
            var log: [(process: Int, record: ChangeRecord)] = []
            var watchers: [AsyncStream<Void>.Continuation] = []
        }

        let shared = InMemoryStore()
        let host = "machine"
        private let state = Guarded(State())

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

        /// Kills every process: their locks are let go, and nothing else happens.
        func killAll() { state.withLock { $0.alive = [] } }

        func changes() -> AsyncStream<Void> {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            state.withLock { $0.watchers.append(continuation) }
            return stream
        }

        /// A process opens the store: its number, and how many commits there are.
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
        /// What the next commit holds whose answer is lost, and whether it is made.
        var lost: (isLost: @Sendable (StoreWrite) -> Bool, isMade: Bool)?
        var claimHold: Hold?
        var commitHold: Hold?
        var streamHold: Hold?
        var holdsUp: @Sendable (StoreWrite) -> Bool = { _ in true }
        var own = 0
        /// How many commits of the machine's log were read.
        var read = 0
    }

    private let machine: Machine
    private let process: Int
    private let state: Guarded<State>

    let content: (any ContentStore)?
    private let knowsLiveness: Bool
    private let hearsOthers: Bool

    /// - Parameters:
    ///   - knowsLiveness: Whether locks say who is dead, or leases do by running out.
    ///   - hearsOthers: Whether it is told when another process has committed, or finds out when it looks.
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
        state = Guarded(State(read: opened.commits))
    }

    var shared: InMemoryStore { machine.shared }
    var base: any RequestStore { shared }

    /// From now on commits that hold such a write fail; claims too, when nothing is said of writes.
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

    /// The next commit that holds such a write is made or not, and its outcome is unknown to the process.
    func loseNextCommit(isMade: Bool, of condition: @escaping @Sendable (StoreWrite) -> Bool) {
        state.withLock { $0.lost = (condition, isMade) }
    }

    /// From now on this process takes on nothing: its claims fail, and whatever else it does works.
    func failClaims() {
        fail(on: { _ in false })
        state.withLock { $0.failsClaims = true }
    }

    /// Holds the journal up until it is let go, once: as a slow disk does.
    final class Hold: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let hasArrived = Guarded(false)

        var isReached: Bool { hasArrived.withLock { $0 } }
        func letGo() { semaphore.signal() }

        fileprivate func pass() {
            hasArrived.withLock { $0 = true }
            semaphore.wait()
        }
    }

    /// The next claim answers when it is let go; what it took is taken by then.
    func holdNextClaim(_ hold: Hold) { state.withLock { $0.claimHold = hold } }

    /// The next commit, or the next that holds such a write, is begun when it is let go.
    func holdNextCommit(_ hold: Hold, of condition: @escaping @Sendable (StoreWrite) -> Bool = { _ in true }) {
        state.withLock { state in
            state.commitHold = hold
            state.holdsUp = condition
        }
    }

    /// The next who reads a stream is told of it when it is let go.
    func holdNextStream(_ hold: Hold) { state.withLock { $0.streamHold = hold } }

    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) -> StreamPage? {
        take { $0.streamHold.take() }?.pass()
        return shared.stream(of: id, from: position, maximumBytes: maximumBytes)
    }

    /// How many commits this process has made.
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
