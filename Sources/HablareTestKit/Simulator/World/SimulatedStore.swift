import Foundation
import Hablare

/// One process's way to the shared disk.
final class SimulatedStore: RequestStore {
    private let process: SimulatedProcess
    private let disk: SimulatedDisk
    private let recorder: Recorder

    init(process: SimulatedProcess, disk: SimulatedDisk, recorder: Recorder) {
        self.process = process
        self.disk = disk
        self.recorder = recorder
    }

    var content: (any ContentStore)? { nil }
    var signal: (any StoreSignal)? { self }
    var liveness: (any OwnerLiveness)? { self }

    func commit(_ writes: [StoreWrite]) throws -> [WriteReceipt] {
        try disk.transact(by: process, failing: \.failingCommits) {
            let receipts = disk.tables.commit(writes)
            recorder.record(.committed(writes: Int32(writes.count)), in: process.number)
            disk.note(writes, receipts, by: process)
            return receipts
        }
    }

    func claim(_ query: ClaimQuery) throws -> Claim {
        try disk.transact(by: process, failing: \.failingClaims, writes: { !$0.flights.isEmpty }) {
            let claim = disk.tables.claim(query)
            recorder.record(.claimed(Int32(claim.flights.count)), in: process.number)
            return claim
        }
    }

    func hasForeignCommits() throws -> Bool {
        try readable()
        let all = disk.state.withLock { $0.commits }
        return process.state.withLock { state in
            let foreign = all - state.commits
            defer { state.foreignCommitsSeen = foreign }
            return foreign != state.foreignCommitsSeen
        }
    }

    // MARK: Reading

    private func readable() throws {
        guard !process.isCutOff else { throw SimulatedDisk.dead }
        guard process.takes(\.failingReads) else { return }
        recorder.record(.readFailed, in: process.number)
        throw AIServiceError(.storageBusy, "The store is in use. Try again.")
    }

    func snapshot(of id: UUID) throws -> RequestSnapshot? {
        try readable()
        return disk.tables.snapshot(of: id)
    }

    func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot] {
        try readable()
        return disk.tables.snapshots(filter)
    }

    func flights(_ ids: [FlightID]) throws -> [FlightID: FlightLifecycle] {
        try readable()
        return disk.tables.flights(ids)
    }

    func response(of id: UUID) throws -> AIResponseData? {
        try readable()
        return disk.tables.response(of: id)
    }

    func request(of id: UUID) throws -> StoredRequest? {
        try readable()
        return disk.tables.request(of: id)
    }

    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) throws -> StreamPage? {
        try readable()
        return disk.tables.stream(of: id, from: position, maximumBytes: maximumBytes)
    }

    func cachedAnswer(_ query: CacheQuery) throws -> CachedAnswer? {
        try readable()
        return disk.tables.cachedAnswer(query)
    }

    func attempts(of id: UUID) throws -> [AttemptRecord] {
        try readable()
        return disk.tables.attempts(of: id)
    }

    func owners() throws -> [OwnerRecord] {
        try readable()
        let owners = disk.tables.owners()
        disk.looked(process, at: owners)
        return owners
    }

    func accounts() throws -> [AccountRecord] {
        try readable()
        return disk.tables.accounts()
    }

    func ledger(_ query: LedgerQuery) throws -> LedgerReport {
        try readable()
        return disk.tables.ledger(query)
    }

    func budgets() throws -> [BudgetRecord] {
        try readable()
        return disk.tables.budgets()
    }

    func prunePlan(_ retention: Retention, at date: Date) throws -> PrunePlan {
        try readable()
        return disk.tables.prunePlan(retention, at: date)
    }

    func statistics() throws -> StoreStatistics {
        try readable()
        return disk.tables.statistics()
    }
}

extension SimulatedStore: StoreSignal {
    func changes() -> AsyncStream<Void> { process.signals.stream }
}

extension SimulatedStore: OwnerLiveness {
    var host: String { "machine" }

    func acquire() throws -> String {
        guard !process.isCutOff else { throw SimulatedDisk.dead }
        let count = process.state.withLock { state in
            state.locks += 1
            return state.locks
        }
        return disk.lock(process, "lock-\(process.number)-\(count)")
    }

    func release(_ lockName: String) {
        guard !process.isCutOff else { return }
        disk.unlock(lockName)
    }

    func isDead(_ owner: OwnerRegistration) throws -> Bool? {
        guard !process.isCutOff else { throw SimulatedDisk.dead }
        return disk.isDead(owner)
    }
}
