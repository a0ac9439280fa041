import Foundation
import Hablare
import HablareStores
import HablareSupport

/// The disk that all processes of a history share. It consists of the in-memory store, with planned faults at each
/// access.
final class SimulatedDisk: Sendable {
    struct State: Sendable {
        /// The rows that each commit changed, for other processes.
        var log: [(process: Int32, record: ChangeRecord)] = []
        var isFull = false
        /// The locks that processes hold, each with the number of its process.
        var locks: [String: Int32] = [:]
        /// The process of each registered owner.
        var owners: [OwnerID: SimulatedProcess] = [:]
        /// Every chunk that was ever on disk. A chunk contains the number of its call. The current chunks of the store
        /// are not sufficient: a reader may have received a chunk of a request that was then deleted.
        var chunks: Set<Data> = []
        /// The content files of prompts, by flight.
        var prompts: [FlightID: ContentReference] = [:]
    }

    let tables = InMemoryStore()
    /// The content files, or `nil` if all content is in rows.
    let content: SimulatedContent?
    let knowsLiveness: Bool
    let state = Confined(State())
    private let recorder: Recorder
    /// A closure that is called when a process dies during a commit.
    let onDeath: @Sendable (SimulatedProcess, _ isOfMachine: Bool) -> Void
    /// A closure that is called after a commit of a process.
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

    /// Runs a transaction. If a fault is planned, the transaction fails, or the process dies before or after it.
    ///
    /// - Parameter writes: A closure that returns whether the transaction changed anything. If it did, other processes
    ///   are notified.
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
            // The machine's death loses a commit that was not acknowledged. A process's death may leave it.
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

    /// Throws an error if the disk does not accept writes at the moment.
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

    /// Adds the changes of a commit to the log that other processes read. The log is written in the same transaction as
    /// the commit.
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

    /// Records which processes registered or were retired, and which chunks were written.
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
                if let remainder = end.remainingChunks { noteChunks(of: remainder) }
            default: continue
            }
        }
    }

    private func noteChunks(of group: ChunkGroup) {
        var remainder = group.bytes
        for size in group.sizes {
            state.withLock { _ = $0.chunks.insert(Data(remainder.prefix(size))) }
            remainder = remainder.dropFirst(size)
        }
    }

    /// Returns whether a chunk was ever on the disk.
    func wasJournalled(_ chunk: Data) -> Bool { state.withLock { $0.chunks.contains(chunk) } }

    /// Records the registrations that a process has just read. The process uses them to decide which other processes
    /// are dead.
    func looked(_ process: SimulatedProcess, at owners: [OwnerRecord]) {
        let seen = Dictionary(owners.map { ($0.id, $0.registration) }, uniquingKeysWith: { first, _ in first })
        process.state.withLock { state in
            state.seen = seen
            state.latestOffset = state.dateOffset
        }
    }

    /// Returns whether a process may regard another process as dead, according to the registrations that it has read.
    private func isGone(_ owner: OwnerID, to process: SimulatedProcess) -> Bool {
        guard let seen = process.state.withLock({ $0.seen[owner] }) else { return false }
        return !gone(among: [OwnerRecord(id: owner, registration: seen)], at: process.latestDate).isEmpty
    }

    /// Returns the registered processes that are dead. A process is dead if it no longer holds its lock. If it has no
    /// lock, it counts as dead when its leases have expired.
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

    /// Releases the locks of a process that has ended.
    func unlockAll(of process: SimulatedProcess) {
        state.withLock { state in state.locks = state.locks.filter { $0.value != process.number } }
    }
}
