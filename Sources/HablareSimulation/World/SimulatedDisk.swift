import Foundation
import Hablare
import HablareStores

/// The disk that all processes of a history share: the in-memory store, with what can go wrong on the way to it.
final class SimulatedDisk: Sendable {
    struct State: Sendable {
        /// Which rows each commit changed.
        var log: [(process: Int32, record: ChangeRecord)] = []
        var isFull = false
        /// The locks that are held, with the process that holds each.
        var locks: [String: Int32] = [:]
        /// Which process registered as which owner.
        var owners: [OwnerID: SimulatedProcess] = [:]
        /// Every chunk that ever was on it; they name their call. What the store has of a request now says less: a reader
        /// may be told what was read before the request was deleted, or got another flight.
        var chunks: Set<Data> = []
        /// The files of the prompts that are in one, by flight.
        var prompts: [FlightID: ContentReference] = [:]
    }

    let tables = InMemoryStore()
    /// `nil` where all content is inline.
    let content: SimulatedContent?
    let knowsLiveness: Bool
    let state = Confined(State())
    private let recorder: Recorder
    /// Tells that a process dies in the middle of a commit.
    let onDeath: @Sendable (SimulatedProcess, _ isOfMachine: Bool) -> Void
    /// Tells that a process has written.
    private let onWrite: @Sendable (SimulatedProcess) -> Void

    init(
        content: SimulatedContent?, knowsLiveness: Bool, recorder: Recorder,
        onDeath: @escaping @Sendable (SimulatedProcess, _ isOfMachine: Bool) -> Void,
        onWrite: @escaping @Sendable (SimulatedProcess) -> Void
    ) {
        self.content = content
        self.knowsLiveness = knowsLiveness
        self.recorder = recorder
        self.onDeath = onDeath
        self.onWrite = onWrite
    }

    /// Runs a transaction, unless something is wrong with the disk or the process dies before or after.
    ///
    /// - Parameter writes: Whether it changed anything: others hear of nothing else.
    func transact<R>(
        by process: SimulatedProcess, failing budget: any WritableKeyPath<SimulatedProcess.State, Int> & Sendable,
        writes: (R) -> Bool = { _ in true }, _ transaction: () -> R
    ) throws -> R {
        guard !process.isCutOff else { throw Self.dead }
        try check(process, budget)
        let death = process.state.withLock { state -> (isApplied: Bool, isOfMachine: Bool)? in
            guard let death = state.deathAtCommit else { return nil }
            state.deathAtCommit?.count -= 1
            return death.count <= 1 ? (death.isApplied, death.isOfMachine) : nil
        }
        if let death {
            // The machine's death loses what was not acknowledged; a process's may leave it.
            if death.isApplied, !death.isOfMachine { _ = transaction() }
            recorder.record(.commitLost(wasApplied: death.isApplied && !death.isOfMachine), in: process.number)
            if death.isApplied, !death.isOfMachine { wrote(process) }
            onDeath(process, death.isOfMachine)
            throw Self.dead
        }
        if let isMade = process.takesUncertainCommit() {
            recorder.record(.commitUncertain(wasMade: isMade), in: process.number)
            if isMade, writes(transaction()) { wrote(process) }
            throw AIServiceError(.storageUncertain, "The connection to the store was lost. Try again.")
        }
        let result = transaction()
        if writes(result) { wrote(process) }
        return result
    }

    /// Whether the disk takes anything now.
    func check(
        _ process: SimulatedProcess, _ budget: any WritableKeyPath<SimulatedProcess.State, Int> & Sendable
    ) throws {
        if state.withLock({ $0.isFull }) {
            recorder.record(.commitFailed, in: process.number)
            throw AIServiceError(.storageFull, "The disk is full. Free some space.")
        }
        if process.takes(budget) {
            recorder.record(.commitFailed, in: process.number)
            throw AIServiceError(.storageBusy, "The store is in use. Try again.")
        }
    }

    static let dead = AIServiceError(.storageFailed, "The process is dead.")

    private func wrote(_ process: SimulatedProcess) {
        onWrite(process)
    }

    /// Adds a commit to the log, for other processes to read. Part of its transaction.
    func log(_ changes: [StoreChange], by process: SimulatedProcess) {
        let record = ChangeRecord(of: changes)
        guard !record.isEmpty else { return }
        state.withLock { $0.log.append((process.number, record)) }
    }

    func setFull(_ isFull: Bool) {
        let changed = state.withLock { state in
            defer { state.isFull = isFull }
            return state.isFull != isFull
        }
        if changed { recorder.record(isFull ? .diskFilled : .diskFreed) }
    }

    // MARK: Owners

    /// Notes who registers and who is taken for dead, and what is streamed.
    func note(_ writes: [StoreWrite], _ receipts: [WriteReceipt], by process: SimulatedProcess) {
        for (write, receipt) in zip(writes, receipts) {
            switch (write, receipt) {
            case (.registerOwner, .owner(let owner)):
                state.withLock { $0.owners[owner] = process }
                recorder.record(.ownerRegistered, in: process.number)
            case (.retireOwner(let owner, _), _):
                let retired = state.withLock { $0.owners.removeValue(forKey: owner) }
                guard let retired else { continue }
                let isGone = isGone(owner, to: process)
                recorder.record(
                    .ownerRetired(process: retired.number, isJustified: retired === process || isGone),
                    in: process.number)
            case (.append(let group), .done): noteChunks(of: group)
            case (.settle(let end), let receipt):
                if case .refused = receipt { continue }
                if let rest = end.rest { noteChunks(of: rest) }
            default: continue
            }
        }
    }

    private func noteChunks(of group: ChunkGroup) {
        var rest = group.bytes
        for size in group.sizes {
            state.withLock { _ = $0.chunks.insert(Data(rest.prefix(size))) }
            rest = rest.dropFirst(size)
        }
    }

    /// Whether a chunk was on the disk at any time.
    func wasJournalled(_ chunk: Data) -> Bool { state.withLock { $0.chunks.contains(chunk) } }

    /// Notes whom a process saw when it looked at who there is: by that it judges who is gone.
    func looked(_ process: SimulatedProcess, at owners: [OwnerRecord]) {
        let seen = Dictionary(owners.map { ($0.id, $0.registration) }, uniquingKeysWith: { first, _ in first })
        process.state.withLock { state in
            state.seen = seen
            state.latestOffset = state.dateOffset
        }
    }

    /// Whether a process may take an owner for dead, by what it saw.
    private func isGone(_ owner: OwnerID, to process: SimulatedProcess) -> Bool {
        guard let seen = process.state.withLock({ $0.seen[owner] }) else { return false }
        return !gone(among: [OwnerRecord(id: owner, registration: seen)], at: process.latestDate).isEmpty
    }

    /// A process is judged by its lock, and by its lease where there is none.
    func gone(among owners: [OwnerRecord], at date: Date) -> Set<OwnerID> {
        let unlocked = owners.filter { !knowsLiveness || $0.registration.lockName.isEmpty }.withEndedLeases(at: date)
        guard knowsLiveness else { return unlocked }
        let locks = state.withLock { $0.locks }
        let locked = owners.filter { !$0.registration.lockName.isEmpty && locks[$0.registration.lockName] == nil }
        return unlocked.union(locked.map(\.id))
    }

    func lock(_ process: SimulatedProcess, _ name: String) -> String {
        state.withLock { $0.locks[name] = process.number }
        return name
    }

    func unlock(_ name: String) {
        state.withLock { _ = $0.locks.removeValue(forKey: name) }
    }

    /// Lets go what a process that ended held.
    func unlockAll(of process: SimulatedProcess) {
        state.withLock { state in state.locks = state.locks.filter { $0.value != process.number } }
    }
}
