public import Foundation

/// The functions that read a store. Any thread may call them at any time. They may block.
public protocol StoreReading: Sendable {
    /// Returns the snapshot of a request. Returns `nil` if no request has this UUID.
    func snapshot(of id: UUID) throws -> RequestSnapshot?

    /// Returns a page of requests in the order of submission.
    func snapshots(_ filter: SnapshotFilter) throws -> [RequestSnapshot]

    /// Returns the lifecycles of flights. The result does not contain unknown flights.
    func flights(_ ids: [FlightID]) throws -> [FlightID: FlightLifecycle]

    /// Returns the response of a completed request. Returns `nil` if the request is not completed. If the content is no
    /// longer kept, the result of the response is a failure.
    func response(of id: UUID) throws -> AIResponseData?

    /// Returns the answer that arrived for a request but could not be used (``AttemptEnd/kept``). Returns `nil` if
    /// there is no such answer. If the content is no longer kept, the result of the answer is a failure. The default
    /// implementation returns `nil`. It suits a store that keeps no unusable answers.
    func keptAnswer(of id: UUID) throws -> AIResponseData?

    /// Returns a request as it was submitted, with the provider to which it was submitted.
    func request(of id: UUID) throws -> StoredRequest?

    /// Returns a page of a request's stream from a position on. Returns `nil` if no request has this UUID.
    ///
    /// The page ends with the chunk with which it reaches `maximumBytes`. If there are chunks after the position, the
    /// page therefore has at least one chunk. It has at most ``StreamPage/maximumChunks`` chunks.
    func stream(of id: UUID, from position: StreamPosition, maximumBytes: Int) throws -> StreamPage?

    /// Returns the newest answer in the cache for the work of a query. The answer must have been received within the
    /// query's window. Returns `nil` if there is no such answer.
    func cachedAnswer(_ query: CacheQuery) throws -> CachedAnswer?

    /// Returns the ended attempts of a request, oldest first. If the answer came from the cache, the list is empty.
    func attempts(of id: UUID) throws -> [AttemptRecord]

    /// Returns the registered processes, and processes that are not registered but hold flights.
    ///
    /// A process of the second kind has an empty registration that expired in 1970. Another process therefore retires
    /// it and breaks its leases.
    func owners() throws -> [OwnerRecord]

    /// Returns the providers of all flights that have not ended. Each provider occurs once. The list is sorted by the
    /// providers' ids.
    ///
    /// If a flight moved to another provider, the list contains only the other provider. This method must be fast for
    /// any number of waiting flights and for any number of older flights.
    func providers() throws -> [ProviderID]

    /// Returns the accounts that the store knows. For each account, the store knows how much of the limits is used and
    /// whether the account is paused.
    func accounts() throws -> [AccountRecord]

    /// Returns sums over the attempts in the ledger, including the attempts of deleted requests. Reads every attempt.
    func ledger(_ query: LedgerQuery) throws -> LedgerReport

    /// Returns the amounts spent of each budget, sorted by name, then by period.
    func budgets() throws -> [BudgetRecord]

    /// Returns the responses that a policy would evict now. Reads one entry for each unprotected response, but no
    /// content.
    func prunePlan(_ retention: Retention, at date: Date) throws -> PrunePlan

    /// Returns counts over the store.
    func statistics() throws -> StoreStatistics
}

extension StoreReading {
    /// Returns `nil`: the store keeps no unusable answers.
    public func keptAnswer(of id: UUID) throws -> AIResponseData? { nil }
}

/// A request as it was submitted.
public struct StoredRequest: Sendable, Hashable {
    /// The request.
    public var request: AIRequest
    /// The provider to which the request was submitted.
    public var provider: ProviderID
    /// The request's position in a job. `nil` if the request belongs to no job.
    public var job: Submission.JobPosition?

    /// Creates a stored request.
    public init(request: AIRequest, provider: ProviderID, job: Submission.JobPosition?) {
        self.request = request
        self.provider = provider
        self.job = job
    }
}

/// Counts over a store.
public struct StoreStatistics: Sendable, Hashable {
    /// The number of requests in each phase.
    public var requests: [RequestPhase: Int]
    /// The number of ended attempts, including failed and lost attempts.
    public var attempts: Int
    /// The usage of all attempts. Its cost is the sum of the known costs.
    public var usage: Usage
    /// The number of answers in the cache.
    public var cachedAnswers: Int
    /// The total size of these answers, in bytes.
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
    /// Replaces the reason why requests wait, if the requests wait because of their provider account. Requests wait
    /// because of the account if the limit of the account is used up, the provider asked for a pause, or the provider
    /// fails.
    ///
    /// - Parameters:
    ///   - snapshots: The snapshots as the store returned them.
    ///   - now: The current date.
    /// - Returns: The snapshots, with a new ``RequestSnapshot/waiting`` if an account is the reason.
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
    /// Whether only a free slot of the provider is missing for the request to be sent.
    package var waitsForItsLane: Bool {
        switch waiting {
        case .queued, .unclaimed: true
        default: false
        }
    }
}

extension StoreReading {
    /// Returns changes that describe the current state of rows. A row that occurs several times in `rows` is read once.
    /// Changes of accounts come first, then changes of flights, then changes of requests.
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
