public import Foundation

/// Where requests live: the seam between the engine and a database.
///
/// Synchronous and throwing on purpose: the ``Journal`` calls ``commit(_:)`` and ``claim(_:)`` from one thread of its
/// own, so a store needs no queue. ``StoreReading`` may be called from any thread at the same time.
///
/// Every conformer passes the store contract suite in `HablareTestKit`.
public protocol RequestStore: StoreReading {
    /// Writes all writes in one durable transaction, in order, and answers with a receipt for each.
    ///
    /// On return everything is on disk. A row that cannot be written gets a receipt that says so and leaves no trace;
    /// the others are written.
    ///
    /// - Throws: ``AIServiceError`` of category storage when nothing was written.
    func commit(_ writes: [StoreWrite]) throws -> [WriteReceipt]

    /// Takes waiting flights for an owner, in one durable transaction: most urgent first, then in order of arrival.
    ///
    /// - Throws: ``AIServiceError`` of category storage when nothing was taken.
    func claim(_ query: ClaimQuery) throws -> [ClaimedFlight]

    /// Where large content is kept; `nil` when the store keeps all content inline.
    var content: (any ContentStore)? { get }

    /// Tells of commits that other processes made; `nil` when the store has no other processes.
    var signal: (any StoreSignal)? { get }

    /// Tells living processes on this store from dead ones; `nil` when there are no others.
    var liveness: (any OwnerLiveness)? { get }

    /// Whether another process has committed since the last call. Called from the journal's thread.
    func hasForeignCommits() throws -> Bool
}

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

    /// The processes that are registered.
    func owners() throws -> [OwnerRecord]

    /// Counts.
    func statistics() throws -> StoreStatistics
}

/// Which requests to read.
public struct SnapshotFilter: Sendable, Hashable {
    /// Only these phases; `nil`: all.
    public var phases: Set<RequestPhase>?
    /// Only this job's, in the order of their positions.
    public var job: JobKey?
    /// Only these requests.
    public var ids: [UUID]?
    /// At most so many. Default 1,000.
    public var limit: Int
    /// Continues after this request.
    public var after: UUID?

    /// Creates a filter.
    public init(
        phases: Set<RequestPhase>? = nil, job: JobKey? = nil, ids: [UUID]? = nil, limit: Int = 1000, after: UUID? = nil
    ) {
        self.phases = phases
        self.job = job
        self.ids = ids
        self.limit = limit
        self.after = after
    }
}

/// A request as it was submitted.
public struct StoredRequest: Sendable, Hashable {
    /// The request.
    public var request: AIRequest
    /// The provider it was submitted to.
    public var provider: ProviderID
    /// The job it belongs to.
    public var job: Submission.JobPlace?

    /// Creates a stored request.
    public init(request: AIRequest, provider: ProviderID, job: Submission.JobPlace?) {
        self.request = request
        self.provider = provider
        self.job = job
    }
}

/// An attempt as the ledger has it.
public struct AttemptRecord: Sendable, Hashable, Codable {
    /// How an attempt ended.
    public enum Outcome: Int, Sendable, Hashable, Codable, CaseIterable {
        /// With the answer.
        case completed = 0
        /// With an error.
        case failed = 1
        /// By the request's cancellation.
        case cancelled = 2
        /// By the shutdown of its process.
        case interrupted = 3
        /// Its process died; nobody knows how it ended.
        case lost = 4
        /// With an answer that came too late.
        case discarded = 5
    }

    /// Which attempt of the request, from 1.
    public var attempt: Int
    /// The fencing token it was sent under.
    public var token: Int64
    /// How it ended.
    public var outcome: Outcome
    /// Why it failed.
    public var error: AIServiceError?
    /// Whether the provider may have billed it.
    public var billing: BillingState
    /// What was used.
    public var usage: Usage
    /// When it was sent.
    public var startedAt: Date
    /// When it ended, or was found lost.
    public var endedAt: Date

    /// Creates a record.
    public init(
        attempt: Int, token: Int64, outcome: Outcome, error: AIServiceError? = nil, billing: BillingState,
        usage: Usage = Usage(), startedAt: Date, endedAt: Date
    ) {
        self.attempt = attempt
        self.token = token
        self.outcome = outcome
        self.error = error
        self.billing = billing
        self.usage = usage
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}

/// A registered process.
public struct OwnerRecord: Sendable, Hashable {
    /// Its id.
    public var id: OwnerID
    /// What it said of itself; `expiresAt` as last renewed.
    public var registration: OwnerRegistration

    /// Creates a record.
    public init(id: OwnerID, registration: OwnerRegistration) {
        self.id = id
        self.registration = registration
    }
}

/// Counts over a store.
public struct StoreStatistics: Sendable, Hashable {
    /// Requests by phase.
    public var requests: [RequestPhase: Int]
    /// Attempts that ended, failed and lost ones included.
    public var attempts: Int
    /// What all attempts used; cost counts only attempts whose cost is known.
    public var usage: Usage

    /// Creates counts.
    public init(requests: [RequestPhase: Int] = [:], attempts: Int = 0, usage: Usage = Usage()) {
        self.requests = requests
        self.attempts = attempts
        self.usage = usage
    }
}
