public import Foundation
import GRDB
public import Hablare

extension SQLiteStore {
    /// Returns the responses that a policy would evict now. See ``/Hablare/StoreReading/prunePlan(_:at:)``.
    public func prunePlan(_ retention: Retention, at date: Date) throws -> PrunePlan {
        try read { try $0.prunePlan(retention, at: date) }
    }

    func read<R>(_ body: (ReadTransaction) throws -> R) throws -> R {
        try noticingDamage {
            try pool.read { db in try body(ReadTransaction(db: db, content: files)) }
        }
    }

    /// Returns the snapshot of a request. See ``/Hablare/StoreReading/snapshot(of:)``.
    public func snapshot(of id: UUID) throws -> RequestSnapshot? {
        let snapshot = try read { try $0.snapshot(of: id, countingAhead: true) }
        if snapshot == nil { try notFound(id) }
        return snapshot
    }

    /// Returns a page of requests in the order of submission. See ``/Hablare/StoreReading/snapshots(_:)``.
    public func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot] {
        try read { try $0.snapshots(filter) }
    }

    /// Returns the lifecycles of flights. See ``/Hablare/StoreReading/flights(_:)``.
    public func flights(_ ids: [FlightID]) throws -> [FlightID: FlightLifecycle] {
        try read { try $0.flights(ids) }
    }

    /// Returns the response of a completed request. See ``/Hablare/StoreReading/response(of:)``.
    public func response(of id: UUID) throws -> AIResponseData? {
        try read { try $0.response(of: id) }
    }

    /// Returns the answer that arrived for a request but could not be used. See
    /// ``/Hablare/StoreReading/keptAnswer(of:)``.
    public func keptAnswer(of id: UUID) throws -> AIResponseData? {
        try read { try $0.keptAnswer(of: id) }
    }

    /// Returns a request as it was submitted. See ``/Hablare/StoreReading/request(of:)``.
    public func request(of id: UUID) throws -> StoredRequest? {
        let request = try read { try $0.request(of: id) }
        if request == nil { try notFound(id) }
        return request
    }

    /// Returns a page of a request's stream from a position on. See
    /// ``/Hablare/StoreReading/stream(of:from:maximumBytes:)``.
    public func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) throws -> StreamPage? {
        try read { try $0.stream(of: id, from: position, maximumBytes: maximumBytes) }
    }

    /// Returns the newest cached answer for the work of a query. See ``/Hablare/StoreReading/cachedAnswer(_:)``.
    public func cachedAnswer(_ query: CacheQuery) throws -> CachedAnswer? {
        try read { try $0.cachedAnswer(query) }
    }

    /// Returns the ended attempts of a request, oldest first. See ``/Hablare/StoreReading/attempts(of:)``.
    public func attempts(of id: UUID) throws -> [AttemptRecord] {
        try read { try $0.attempts(of: id) }
    }

    /// Returns the processes that are registered or hold flights. See ``/Hablare/StoreReading/owners()``.
    public func owners() throws -> [OwnerRecord] {
        try read { try $0.owners() }
    }

    /// Returns the providers of all flights that have not ended. See ``/Hablare/StoreReading/providers()``.
    public func providers() throws -> [ProviderID] {
        try read { try $0.providers() }
    }

    /// Returns the accounts that the store knows. See ``/Hablare/StoreReading/accounts()``.
    public func accounts() throws -> [AccountRecord] {
        try read { try $0.accounts() }
    }

    /// Returns sums over the attempts in the ledger. See ``/Hablare/StoreReading/ledger(_:)``.
    public func ledger(_ query: LedgerQuery) throws -> LedgerReport {
        try read { try $0.ledger(query) }
    }

    /// Returns the amounts spent of each budget. See ``/Hablare/StoreReading/budgets()``.
    public func budgets() throws -> [BudgetRecord] {
        try read { try $0.budgets() }
    }

    /// Returns counts over the store. See ``/Hablare/StoreReading/statistics()``.
    public func statistics() throws -> StoreStatistics {
        try read { try $0.statistics() }
    }
}
