public import Foundation

/// The reference store: everything in memory, nothing kept when the process ends.
///
/// For previews, tests and runs without a disk. It is also the yardstick: what this store does is what a store must
/// do, and the contract suite and a differential test hold the others to it.
public final class InMemoryStore: RequestStore {
    private let tables = Guarded(MemoryTables())

    /// Creates an empty store.
    public init() {}

    /// `nil`: all content is inline.
    public var content: (any ContentStore)? { nil }

    /// `nil`: no other process can see the store.
    public var signal: (any StoreSignal)? { nil }

    /// `nil`: no other process can see the store.
    public var liveness: (any OwnerLiveness)? { nil }

    /// Never.
    public func hasForeignCommits() -> Bool { false }

    /// Applies the writes in order. See ``RequestStore/commit(_:)``; never throws.
    public func commit(_ writes: [StoreWrite]) -> [WriteReceipt] {
        tables.withLock { tables in writes.map { tables.apply($0) } }
    }

    /// Takes waiting flights. See ``RequestStore/claim(_:)``; never throws.
    public func claim(_ query: ClaimQuery) -> Claim {
        tables.withLock { $0.claim(query) }
    }

    /// See ``StoreReading/snapshot(of:)``.
    public func snapshot(of id: UUID) -> RequestSnapshot? {
        tables.withLock { $0.snapshot(of: id, countingAhead: true) }
    }

    /// See ``StoreReading/snapshots(_:)``.
    public func snapshots(_ filter: SnapshotFilter) -> [RequestSnapshot] {
        tables.withLock { $0.snapshots(filter) }
    }

    /// See ``StoreReading/flights(_:)``.
    public func flights(_ ids: [FlightID]) -> [FlightID: FlightLifecycle] {
        tables.withLock { tables in
            Dictionary(
                ids.compactMap { id in tables.flights[id].map { (id, $0.lifecycle) } },
                uniquingKeysWith: { first, _ in first })
        }
    }

    /// See ``StoreReading/response(of:)``.
    public func response(of id: UUID) -> AIResponseData? {
        tables.withLock { $0.response(of: id) }
    }

    /// See ``StoreReading/request(of:)``.
    public func request(of id: UUID) -> StoredRequest? {
        tables.withLock { $0.request(of: id) }
    }

    /// See ``StoreReading/stream(of:from:maximumBytes:)``.
    public func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) -> StreamPage? {
        tables.withLock { $0.stream(of: id, from: position, maximumBytes: maximumBytes) }
    }

    /// See ``StoreReading/cachedAnswer(_:)``.
    public func cachedAnswer(_ query: CacheQuery) -> CachedAnswer? {
        tables.withLock { $0.cachedAnswer(query) }
    }

    /// All lines of the ledger, of deleted requests too.
    package var attempts: [AttemptRecord] { tables.withLock { $0.lines } }

    /// The content files that responses refer to.
    package var responseContent: [ContentReference] {
        tables.withLock { tables in
            tables.responses.values.compactMap { response in
                if case .success(let content) = response.result { content.body?.reference } else { nil }
            }
        }
    }

    /// Whether a flight's request was not erased.
    package func keepsRequest(of flight: FlightID) -> Bool {
        tables.withLock { $0.flights[flight]?.request != nil }
    }

    /// See ``StoreReading/attempts(of:)``.
    public func attempts(of id: UUID) -> [AttemptRecord] {
        tables.withLock { $0.attempts(of: id) }
    }

    /// See ``StoreReading/owners()``.
    public func owners() -> [OwnerRecord] {
        tables.withLock { $0.ownerRecords }
    }

    /// See ``StoreReading/providers()``.
    public func providers() -> [ProviderID] {
        tables.withLock { tables in
            let open = tables.flights.values.filter { !$0.lifecycle.isSettled }
            return Set(open.map(\.provider)).sorted { $0.rawValue < $1.rawValue }
        }
    }

    /// See ``StoreReading/accounts()``.
    public func accounts() -> [AccountRecord] {
        tables.withLock { $0.accountRecords }
    }

    /// See ``StoreReading/ledger(_:)``.
    public func ledger(_ query: LedgerQuery) -> LedgerReport {
        tables.withLock { $0.ledger(query) }
    }

    /// See ``StoreReading/budgets()``.
    public func budgets() -> [BudgetRecord] {
        tables.withLock { $0.budgetRecords }
    }

    /// See ``StoreReading/prunePlan(_:at:)``.
    public func prunePlan(_ retention: Retention, at date: Date) -> PrunePlan {
        tables.withLock { $0.prunePlan(retention, at: date) }
    }

    /// See ``StoreReading/statistics()``.
    public func statistics() -> StoreStatistics {
        tables.withLock { $0.statistics }
    }
}
