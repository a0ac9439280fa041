public import Foundation

/// Reads a store.
public protocol StoreReading: Sendable {
    /// A request; `nil` when no request has that UUID.
    func snapshot(of id: UUID) throws -> RequestSnapshot?

    /// A page of requests in order of submission.
    func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot]

    /// The response of a completed request; its result is a failure when the content was evicted.
    func response(of id: UUID) throws -> AIResponseData?

    /// The request as it was submitted, and the provider it was submitted to.
    func request(of id: UUID) throws -> StoredRequest?

    /// The attempts of a request, oldest first; the one under way is not among them.
    func attempts(of id: UUID) throws -> [AttemptRecord]

    /// The processes that are registered, and, with an empty registration that expired in 1970, holders that are not.
    func owners() throws -> [OwnerRecord]

    /// The accounts of which something is known: what was spent of their limits, whether they are paused.
    func accounts() throws -> [AccountRecord]

    /// What a policy would give up of the responses now. Reads an entry of every unprotected one, and none of content.
    func prunePlan(_ retention: Retention, at date: Date) throws -> PrunePlan

    /// Counts.
    func statistics() throws -> StoreStatistics
}
