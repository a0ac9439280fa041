import Foundation
import Hablare
import HablareStores
import HablareSupport

/// The store of one process. It uses the shared disk.
final class SimulatedStore: RequestStore {
    private let process: SimulatedProcess
    private let disk: SimulatedDisk
    private let recorder: Recorder
    private let files: SimulatedProcessContent?
    private let age: Int64

    init(
        process: SimulatedProcess, disk: SimulatedDisk, recorder: Recorder, scheduler: SimulationScheduler,
        plan: SimulationPlan
    ) {
        files = SimulatedProcessContent(
            process: process, disk: disk, recorder: recorder, scheduler: scheduler, plan: plan)
        age = plan.content?.age ?? 0
        self.process = process
        self.disk = disk
        self.recorder = recorder
        let opened = disk.state.withLock { $0.log.count }
        process.state.withLock { $0.logRead = opened }
    }

    var content: (any ContentStore)? { files }
    var signal: (any StoreSignal)? { self }
    var liveness: (any OwnerLiveness)? { self }

    func commit(_ writes: [StoreWrite]) throws -> StoreCommit {
        let before = disk.references.union(disk.content == nil ? [] : StoreWrite.references(of: writes))
        let commit = try disk.transact(by: process, failing: \.failingCommits) {
            let commit = disk.apply(writes)
            recorder.record(.committed(writes: Int32(writes.count)), in: process.number)
            disk.note(writes, commit.receipts, by: process)
            disk.log(commit.changes, by: process)
            return commit
        }
        if !disk.collect(before, by: process) { recorder.record(.fileNotRemoved, in: process.number) }
        return commit
    }

    func claim(_ query: ClaimQuery) throws -> Claim {
        try disk.transact(by: process, failing: \.failingClaims, writes: { !$0.flights.isEmpty }) {
            var claim = disk.tables.claim(query)
            if disk.content != nil { claim.flights = claim.flights.map(disk.withPromptInFile) }
            recorder.record(.claimed(Int32(claim.flights.count)), in: process.number)
            disk.log(claim.flights.map { .flight($0.id, $0.lifecycle) }, by: process)
            return claim
        }
    }

    func foreignChanges(where isOfInterest: (ChangedRow) -> Bool) throws -> ForeignChanges {
        try readable()
        let read = process.state.withLock { $0.logRead }
        let commits = disk.state.withLock { $0.log.dropFirst(read) }
        let foreign = commits.filter { $0.process != process.number }.map(\.record)
        let changes = ForeignChanges(
            changes: try presentChanges(of: foreign.flatMap(\.rows).filter(isOfInterest)),
            mayWait: foreign.contains(where: \.mayWait), touchesAnswers: foreign.contains(where: \.touchesAnswers))
        process.state.withLock { $0.logRead = read + commits.count }
        return changes
    }

    // MARK: Reading

    private func readable() throws { try process.mayRead(recorder) }

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
        guard var request = disk.tables.request(of: id) else { return nil }
        if let prompt = try disk.prompt(of: disk.tables.snapshot(of: id)?.flight) { request.request.prompt = prompt }
        return request
    }

    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) throws -> StreamPage? {
        try readable()
        // The chunks of a completed flight are the bytes of its answer.
        if case .success(let answer)? = disk.tables.response(of: id)?.result, let body = answer.body,
            body.reference != nil
        {
            _ = try body.read()
        }
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

    func providers() throws -> [ProviderID] {
        try readable()
        return disk.tables.providers()
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

    /// Finds orphaned content files. The minimum age of such a file is shorter than in a real store. A real store waits
    /// for an hour. After this time, no process can still be about to write a row for the file. Here the age is part of
    /// the plan.
    func abandonedContent(before date: Date, removing: Bool) throws -> AbandonedContent {
        try readable()
        guard let content = disk.content else { return AbandonedContent() }
        let date = date.addingTimeInterval(3600 - Double(age) / 1e9)
        let references = disk.references
        let found = content.collect(before: date, removing: removing) { references.contains($0) }
        if removing, found.files > 0 { recorder.record(.filesCollected(Int32(found.files)), in: process.number) }
        return AbandonedContent(files: found.files, bytes: Int64(found.bytes))
    }

    func statistics() throws -> StoreStatistics {
        try readable()
        return disk.tables.statistics()
    }
}

extension SimulatedStore: StoreSignal {
    func changes() -> AsyncStream<Void> { process.signals.elements() }
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

    func gone(among owners: [OwnerRecord], at date: Date) throws -> Set<OwnerID> {
        guard !process.isCutOff else { throw SimulatedDisk.dead }
        return disk.gone(among: owners, at: date)
    }
}
