package import Foundation
package import Hablare

/// A store that wraps another store. To write a wrapper, conform to this protocol and implement only the methods that
/// the wrapper changes. All other calls are forwarded to the wrapped store.
///
/// The protocol forwards every requirement of ``RequestStore`` and ``StoreReading``, even if the requirement has a
/// default implementation. Otherwise the wrapper would use the default implementation, and would never call the wrapped
/// store.
package protocol ForwardingStore: RequestStore {
    /// The wrapped store, which receives the forwarded calls.
    var base: any RequestStore { get }
}

// Writing, and everything beside the rows.
extension ForwardingStore {
    package func commit(_ writes: [StoreWrite]) throws -> StoreCommit { try base.commit(writes) }
    package func claim(_ query: ClaimQuery) throws -> Claim { try base.claim(query) }
    package func foreignChanges(where isOfInterest: (ChangedRow) -> Bool) throws -> ForeignChanges {
        try base.foreignChanges(where: isOfInterest)
    }
    package var content: (any ContentStore)? { base.content }
    package var signal: (any StoreSignal)? { base.signal }
    package var liveness: (any OwnerLiveness)? { base.liveness }
    package var date: (@Sendable () -> Date)? { base.date }
    package var readExecutor: (any TaskExecutor)? { base.readExecutor }

    package func abandonedContent(before date: Date, removing: Bool) throws -> AbandonedContent {
        try base.abandonedContent(before: date, removing: removing)
    }
}

// Reading.
extension ForwardingStore {
    package func snapshot(of id: UUID) throws -> RequestSnapshot? { try base.snapshot(of: id) }
    package func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot] { try base.snapshots(filter) }
    package func flights(_ ids: [FlightID]) throws -> [FlightID: FlightLifecycle] { try base.flights(ids) }
    package func response(of id: UUID) throws -> AIResponseData? { try base.response(of: id) }
    package func keptAnswer(of id: UUID) throws -> AIResponseData? { try base.keptAnswer(of: id) }
    package func request(of id: UUID) throws -> StoredRequest? { try base.request(of: id) }

    package func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) throws -> StreamPage? {
        try base.stream(of: id, from: position, maximumBytes: maximumBytes)
    }

    package func cachedAnswer(_ query: CacheQuery) throws -> CachedAnswer? { try base.cachedAnswer(query) }
    package func attempts(of id: UUID) throws -> [AttemptRecord] { try base.attempts(of: id) }
    package func owners() throws -> [OwnerRecord] { try base.owners() }
    package func providers() throws -> [ProviderID] { try base.providers() }
    package func accounts() throws -> [AccountRecord] { try base.accounts() }
    package func ledger(_ query: LedgerQuery) throws -> LedgerReport { try base.ledger(query) }
    package func budgets() throws -> [BudgetRecord] { try base.budgets() }

    package func prunePlan(_ retention: Retention, at date: Date) throws -> PrunePlan {
        try base.prunePlan(retention, at: date)
    }

    package func statistics() throws -> StoreStatistics { try base.statistics() }
}
