public import Foundation

/// Reads a store.
public protocol StoreReading: Sendable {
    /// A request; `nil` when no request has that UUID.
    func snapshot(of id: UUID) throws -> RequestSnapshot?

    /// A page of requests in order of submission.
    func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot]

    /// Where flights are in their lives; those that are not known are left out.
    func flights(_ ids: [FlightID]) throws -> [FlightID: FlightLifecycle]

    /// The response of a completed request; its result is a failure when the content was evicted.
    func response(of id: UUID) throws -> AIResponseData?

    /// The request as it was submitted, and the provider it was submitted to.
    func request(of id: UUID) throws -> StoredRequest?

    /// What there is of a request's stream from a position on: about so many bytes, one chunk at least where there is
    /// one, at most ``StreamPage/maximumChunks``. `nil` when no request has that UUID.
    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) throws -> StreamPage?

    /// The newest answer of the cache to some work, received within the window; `nil` when there is none.
    func cachedAnswer(_ query: CacheQuery) throws -> CachedAnswer?

    /// The attempts of a request, oldest first; the one under way is not among them, and none is where the answer came
    /// from the cache.
    func attempts(of id: UUID) throws -> [AttemptRecord]

    /// The processes that are registered, and, with an empty registration that expired in 1970, holders that are not.
    func owners() throws -> [OwnerRecord]

    /// The providers of the work that is not done: that waits, backs off, is held or under way. Each once, in the order of
    /// their ids; where work moved on from one to the next, that one. Cheap, however much waits, and was ever asked.
    func providers() throws -> [ProviderID]

    /// The accounts of which something is known: what was spent of their limits, whether they are paused.
    func accounts() throws -> [AccountRecord]

    /// Sums over the attempts in the ledger, those of deleted requests included. Reads every attempt.
    func ledger(_ query: LedgerQuery) throws -> LedgerReport

    /// What was spent of budgets, by name, then by period.
    func budgets() throws -> [BudgetRecord]

    /// What a policy would give up of the responses now. Reads an entry of every unprotected one, and none of content.
    func prunePlan(_ retention: Retention, at date: Date) throws -> PrunePlan

    /// Counts.
    func statistics() throws -> StoreStatistics
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

/// Counts over a store.
public struct StoreStatistics: Sendable, Hashable {
    /// Requests by phase.
    public var requests: [RequestPhase: Int]
    /// Attempts that ended, failed and lost ones included.
    public var attempts: Int
    /// What all attempts used; cost counts only attempts whose cost is known.
    public var usage: Usage
    /// Answers in the cache.
    public var cachedAnswers: Int
    /// How many bytes they have together.
    public var cachedBytes: Int64

    /// Creates counts.
    public init(
        requests: [RequestPhase: Int] = [:], attempts: Int = 0, usage: Usage = Usage(), cachedAnswers: Int = 0,
        cachedBytes: Int64 = 0
    ) {
        self.requests = requests
        self.attempts = attempts
        self.usage = usage
        self.cachedAnswers = cachedAnswers
        self.cachedBytes = cachedBytes
    }
}

extension StoreReading {
    /// Says why requests wait, as far as their accounts are the reason: a used-up limit, a pause that the provider asked
    /// for, a provider that fails.
    ///
    /// - Parameters:
    ///   - snapshots: As the store answered them.
    ///   - now: The present date.
    /// - Throws: ``AIServiceError`` of category storage.
    public func explaining(_ snapshots: [RequestSnapshot], now: Date) throws -> [RequestSnapshot] {
        guard snapshots.contains(where: \.waitsForItsLane) else { return snapshots }
        var reasons: [ProviderID: RequestSnapshot.WaitReason] = [:]
        for account in try accounts() {
            guard let reason = account.budget.waitReason(now: now) else { continue }
            for provider in account.providers { reasons[provider] = reason }
        }
        guard !reasons.isEmpty else { return snapshots }
        return snapshots.map { snapshot in
            guard snapshot.waitsForItsLane, let reason = reasons[snapshot.providerID] else { return snapshot }
            var explained = snapshot
            explained.waiting = reason
            return explained
        }
    }
}

extension RequestSnapshot {
    /// Whether the request could be sent if its provider's lane were free.
    package var waitsForItsLane: Bool {
        switch waiting {
        case .queued, .unclaimed: true
        default: false
        }
    }
}

extension StoreReading {
    /// The changes that led to the present state of rows: those of the accounts, then those of the flights, then those of
    /// the requests, each row once.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    public func presentChanges(of rows: some Sequence<ChangedRow>) throws -> [StoreChange] {
        var requests: [UUID] = []
        var flights: [FlightID] = []
        var accounts: [AccountID] = []
        var known: Set<ChangedRow> = []
        for row in rows where known.insert(row).inserted {
            switch row {
            case .request(let id): requests.append(id)
            case .flight(let id): flights.append(id)
            case .account(let id): accounts.append(id)
            }
        }
        var changes: [StoreChange] = []
        if !accounts.isEmpty {
            let pauses = Dictionary(try self.accounts().map { ($0.id, $0.budget.pausedUntil) }) { first, _ in first }
            changes = accounts.map { .account($0, pausedUntil: pauses[$0] ?? nil) }
        }
        if !flights.isEmpty {
            let found = try self.flights(flights)
            for id in flights {
                guard let lifecycle = found[id] else { continue }
                changes.append(.flight(id, lifecycle))
                changes.append(.appended(id))
            }
        }
        guard !requests.isEmpty else { return changes }
        let page = try snapshots(SnapshotFilter(ids: requests, limit: requests.count))
        let found = Dictionary(page.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for id in requests {
            guard let snapshot = found[id], let flight = snapshot.flight else {
                changes.append(.request(id, of: FlightID(rawValue: 0), .erased))
                continue
            }
            switch snapshot.phase {
            case .pending: changes.append(.request(id, of: flight, .pending))
            case .executing: changes.append(.request(id, of: flight, .executing))
            case .completed: changes.append(.request(id, of: flight, .completed))
            case .failed: changes.append(.request(id, of: flight, .failed(snapshot.error)))
            case .cancelled: changes.append(.request(id, of: flight, .cancelled))
            }
        }
        return changes
    }
}
