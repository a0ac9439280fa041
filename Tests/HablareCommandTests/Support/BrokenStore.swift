import Foundation
import Hablare

/// A store that refuses to be written from a moment on: a disk that is full.
final class BrokenStore: RequestStore {
    private let store: any RequestStore
    private let isFull: @Sendable ([StoreWrite]) -> Bool

    init(_ store: any RequestStore, isFull: @escaping @Sendable ([StoreWrite]) -> Bool) {
        self.store = store
        self.isFull = isFull
    }

    func commit(_ writes: [StoreWrite]) throws -> [WriteReceipt] {
        guard !isFull(writes) else { throw AIServiceError(.storageFull, "The disk is full. Free some space.") }
        return try store.commit(writes)
    }

    func claim(_ query: ClaimQuery) throws -> Claim { try store.claim(query) }
    func hasForeignCommits() throws -> Bool { try store.hasForeignCommits() }
    var content: (any ContentStore)? { store.content }
    var signal: (any StoreSignal)? { store.signal }
    var liveness: (any OwnerLiveness)? { store.liveness }
    func snapshot(of id: UUID) throws -> RequestSnapshot? { try store.snapshot(of: id) }
    func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot] { try store.snapshots(filter) }
    func flights(_ ids: [FlightID]) throws -> [FlightID: FlightLifecycle] { try store.flights(ids) }
    func response(of id: UUID) throws -> AIResponseData? { try store.response(of: id) }
    func request(of id: UUID) throws -> StoredRequest? { try store.request(of: id) }
    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) throws -> StreamPage? {
        try store.stream(of: id, from: position, maximumBytes: maximumBytes)
    }
    func cachedAnswer(_ query: CacheQuery) throws -> CachedAnswer? { try store.cachedAnswer(query) }
    func attempts(of id: UUID) throws -> [AttemptRecord] { try store.attempts(of: id) }
    func owners() throws -> [OwnerRecord] { try store.owners() }
    func accounts() throws -> [AccountRecord] { try store.accounts() }
    func ledger(_ query: LedgerQuery) throws -> LedgerReport { try store.ledger(query) }
    func budgets() throws -> [BudgetRecord] { try store.budgets() }
    func prunePlan(_ retention: Retention, at date: Date) throws -> PrunePlan {
        try store.prunePlan(retention, at: date)
    }
    func statistics() throws -> StoreStatistics { try store.statistics() }
}
