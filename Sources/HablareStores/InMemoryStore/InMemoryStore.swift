public import Foundation
public import Hablare
import HablareSupport

/// A store that keeps all data in memory until the process ends. Use it in previews, in tests, and wherever data need
/// not survive the process.
///
/// It is the reference for other stores: the contract suite and a differential test compare other stores with it.
public final class InMemoryStore: RequestStore {
    private let machine = Locked(StoreMachine(MemoryRows()))

    /// Creates an empty store.
    public init() {}

    /// `nil`, because all content is in the rows and none is in files.
    public var content: (any ContentStore)? { nil }

    /// `nil`, because no other process can access the store.
    public var signal: (any StoreSignal)? { nil }

    /// `nil`, because no other process can access the store.
    public var liveness: (any OwnerLiveness)? { nil }

    /// Returns no changes, because no other process can access the store.
    public func foreignChanges(where isOfInterest: (ChangedRow) -> Bool) -> ForeignChanges { ForeignChanges() }

    /// Applies the writes in order. See ``/Hablare/RequestStore/commit(_:)``. Never throws.
    public func commit(_ writes: [StoreWrite]) -> StoreCommit {
        machine.withLock { $0.commit(writes) }
    }

    /// Leases waiting flights to an owner. See ``/Hablare/RequestStore/claim(_:)``. Never throws.
    public func claim(_ query: ClaimQuery) -> Claim {
        machine.withLock { $0.claim(query) }
    }

    /// Returns the snapshot of a request. See ``/Hablare/StoreReading/snapshot(of:)``.
    public func snapshot(of id: UUID) -> RequestSnapshot? {
        withRows { $0.snapshot(of: id, countingAhead: true) }
    }

    /// Returns a page of requests in the order of submission. See ``/Hablare/StoreReading/snapshots(_:)``.
    public func snapshots(_ filter: SnapshotFilter) -> [RequestSnapshot] {
        withRows { $0.snapshots(filter) }
    }

    /// Returns the lifecycles of flights. See ``/Hablare/StoreReading/flights(_:)``.
    public func flights(_ ids: [FlightID]) -> [FlightID: FlightLifecycle] {
        withRows { rows in
            Dictionary(
                ids.compactMap { id in rows.flights[id].map { (id, $0.lifecycle) } },
                uniquingKeysWith: { first, _ in first })
        }
    }

    /// Returns the response of a completed request. See ``/Hablare/StoreReading/response(of:)``.
    public func response(of id: UUID) -> AIResponseData? {
        withRows { $0.response(to: id) }
    }

    /// Returns the answer that arrived for a request but could not be used. See
    /// ``/Hablare/StoreReading/keptAnswer(of:)``.
    public func keptAnswer(of id: UUID) -> AIResponseData? {
        withRows { $0.keptAnswer(to: id) }
    }

    /// Returns a request as it was submitted. See ``/Hablare/StoreReading/request(of:)``.
    public func request(of id: UUID) -> StoredRequest? {
        withRows { $0.storedRequest(of: id) }
    }

    /// Returns a page of a request's stream from a position on. See
    /// ``/Hablare/StoreReading/stream(of:from:maximumBytes:)``.
    public func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) -> StreamPage? {
        withRows { $0.stream(of: id, from: position, maximumBytes: maximumBytes) }
    }

    /// Returns the newest cached answer for the work of a query. See ``/Hablare/StoreReading/cachedAnswer(_:)``.
    public func cachedAnswer(_ query: CacheQuery) -> CachedAnswer? {
        withRows { $0.cachedAnswer(query) }
    }

    /// All records of the ledger, including the records of deleted requests.
    package var attempts: [AttemptRecord] { withRows { $0.ledger.values.flatMap(\.self) } }

    package var responseContent: [ContentReference] {
        withRows { rows in
            rows.responses.values.compactMap { response in
                if case .success(let content) = response.result { content.body?.reference } else { nil }
            }
        }
    }

    package func keepsRequest(of flight: FlightID) -> Bool {
        withRows { $0.prompts[flight] != nil }
    }

    /// Returns the ended attempts of a request, oldest first. See ``/Hablare/StoreReading/attempts(of:)``.
    public func attempts(of id: UUID) -> [AttemptRecord] {
        withRows { $0.attempts(of: id) }
    }

    /// Returns the processes that are registered or hold flights. See ``/Hablare/StoreReading/owners()``.
    public func owners() -> [OwnerRecord] {
        withRows { $0.ownerRecords }
    }

    /// Returns the providers of all flights that have not ended. See ``/Hablare/StoreReading/providers()``.
    public func providers() -> [ProviderID] {
        withRows { rows in
            let open = rows.flights.values.filter { !$0.lifecycle.isSettled }
            return Set(open.map(\.provider)).sorted { $0.rawValue < $1.rawValue }
        }
    }

    /// Returns the accounts that the store knows. See ``/Hablare/StoreReading/accounts()``.
    public func accounts() -> [AccountRecord] {
        withRows { $0.accountRecords }
    }

    /// Returns sums over the attempts in the ledger. See ``/Hablare/StoreReading/ledger(_:)``.
    public func ledger(_ query: LedgerQuery) -> LedgerReport {
        withRows { $0.ledger(query) }
    }

    /// Returns the amounts spent of each budget. See ``/Hablare/StoreReading/budgets()``.
    public func budgets() -> [BudgetRecord] {
        withRows { $0.budgetRecords }
    }

    /// Returns the responses that a policy would evict now. See ``/Hablare/StoreReading/prunePlan(_:at:)``.
    public func prunePlan(_ retention: Retention, at date: Date) -> PrunePlan {
        withRows { $0.prunePlan(retention, at: date) }
    }

    /// Returns counts over the store. See ``/Hablare/StoreReading/statistics()``.
    public func statistics() -> StoreStatistics {
        withRows { $0.statistics }
    }

    /// Reads or changes the rows in one critical section.
    func withRows<R: Sendable>(_ body: (inout MemoryRows) throws -> R) rethrows -> R {
        try machine.withLock { try body(&$0.rows) }
    }
}
