import Foundation
import Hablare
import HablareTestKit

/// A store of any kind that fails on demand.
final class FaultyStore: RequestStore {
    private struct State: Sendable {
        var failure: AIServiceError?
        var fails: @Sendable (StoreWrite) -> Bool = { _ in true }
    }

    private let store: any RequestStore
    private let state = Guarded(State())

    init(_ store: any RequestStore) {
        self.store = store
    }

    /// From now on commits that hold such a write fail, and claims.
    func fail(on condition: @escaping @Sendable (StoreWrite) -> Bool = { _ in true }) {
        state.withLock { $0 = State(failure: AIServiceError(.storageFull, "The disk is full."), fails: condition) }
    }

    func recover() { state.withLock { $0.failure = nil } }

    func commit(_ writes: [StoreWrite]) throws -> [WriteReceipt] {
        let state = state.withLock { $0 }
        if let failure = state.failure, writes.contains(where: state.fails) { throw failure }
        return try store.commit(writes)
    }

    func claim(_ query: ClaimQuery) throws -> Claim {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return try store.claim(query)
    }

    func hasForeignCommits() throws -> Bool { try store.hasForeignCommits() }
    var content: (any ContentStore)? { store.content }
    var signal: (any StoreSignal)? { nil }
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
    func abandonedContent(before date: Date, removing: Bool) throws -> AbandonedContent {
        try store.abandonedContent(before: date, removing: removing)
    }
}
