package import Foundation
package import Hablare

/// The rows of a store within one transaction, which ``StoreMachine`` reads and writes.
///
/// A conformer keeps rows and answers queries about them. It knows no rule of the engine. The machine decides which
/// lease is valid, which member leads a shared flight, what a retry does and which answers leave the cache.
///
/// Rules for conformers:
///
/// - A setter replaces the whole row of its id. It must not decide whether to write, because the machine has decided.
/// - A query must see the earlier writes of its transaction.
/// - A query needs an index if its comment states this. A flight may have ten thousand members, and a million flights
///   may wait.
/// - "Ascending" means by flight id, which is the order of arrival.
/// - A damaged row must read as the harmless case: held rather than sent, kept rather than evicted.
///
/// All calls run inside the one transaction of a commit. A method that throws ends the transaction, and none of its
/// writes is kept. A value that cannot be stored would therefore cost the other writes of the commit. Find it before
/// anything is written, and refuse its write with ``WriteReceipt/rejected(_:)``.
package protocol StoreRows {
    /// The error that the methods throw; `Never` for rows in memory.
    associatedtype Failure: Error

    // MARK: Owners

    /// Registers a process under a new id. An id must never be given twice, not even after ``deregister(_:)``.
    mutating func register(_ owner: OwnerRegistration) throws(Failure) -> OwnerID

    /// Sets the date at which a registration ends. Returns whether the registration exists.
    mutating func renew(_ owner: OwnerID, until date: Date) throws(Failure) -> Bool

    /// Removes a registration, if it exists.
    mutating func deregister(_ owner: OwnerID) throws(Failure)

    /// Returns the flights that a process holds, ascending. Needs an index.
    mutating func flights(leasedTo owner: OwnerID) throws(Failure) -> [FlightID]

    // MARK: Accounts

    /// Returns the state of an account; `nil` if the store has none.
    mutating func budget(of account: AccountID) throws(Failure) -> AccountBudget?

    /// Replaces the state of an account.
    mutating func write(_ budget: AccountBudget, of account: AccountID) throws(Failure)

    /// Records the account that a provider's calls use up. It replaces an earlier account of the provider.
    mutating func note(_ account: AccountID, of provider: ProviderID) throws(Failure)

    // MARK: Requests

    /// Returns the row of a request; `nil` if no request has that UUID.
    mutating func request(_ id: UUID) throws(Failure) -> RequestRow?

    /// Returns the request at a position of a job. Needs an index.
    mutating func request(at position: Submission.JobPosition) throws(Failure) -> UUID?

    /// Inserts a request, with the data of its submission that the row does not have, such as its metadata and trace.
    mutating func insert(_ request: RequestRow, of submission: Submission) throws(Failure)

    /// Replaces a request's row. The data that only its submission has stays.
    mutating func write(_ request: RequestRow) throws(Failure)

    /// Deletes a request with all its text, such as its metadata and error.
    mutating func delete(_ request: RequestRow) throws(Failure)

    /// Returns the live requests whose deadline is at or before a date. Returns at most `limit` of them, the earliest
    /// deadline first, and requests of one deadline in the order of their flights. Needs an index.
    mutating func requests(dueAt date: Date, limit: Int) throws(Failure) -> [UUID]

    /// Returns the earliest deadline of all live requests; `nil` if none has one. Needs an index.
    mutating func earliestDeadline() throws(Failure) -> Date?

    // MARK: Flights

    /// Inserts a flight with the prompt and parameters of a submission. Returns its id, which is greater than any
    /// before.
    mutating func insert(_ flight: FlightRow, of submission: Submission) throws(Failure) -> FlightID

    /// Inserts a flight with the prompt and parameters of another flight. Returns its id, which is greater than any
    /// before.
    mutating func insert(_ flight: FlightRow, copying original: FlightID) throws(Failure) -> FlightID

    /// Returns the row of a flight; `nil` if there is none.
    mutating func flight(_ id: FlightID) throws(Failure) -> FlightRow?

    /// Replaces a flight's row. Its prompt and parameters stay. Deletes the flight's resume handle if
    /// ``FlightLifecycle/hasHandle`` is false.
    mutating func write(_ flight: FlightRow, of id: FlightID) throws(Failure)

    /// Replaces the resume handle of a flight; `nil` deletes it.
    mutating func write(handle: Data?, of id: FlightID) throws(Failure)

    /// Erases a flight's content: its prompt, parameters, resume handle, response, output and the text of its errors.
    /// Removes its answer from the cache.
    ///
    /// The row stays, because the ledger refers to it. Erasing must need no disk space, because a full store must be
    /// able to delete.
    mutating func erase(_ id: FlightID) throws(Failure)

    /// Returns the flights for some work that are live or have their answer in the cache, ascending. Needs an index.
    mutating func flights(for work: Fingerprint) throws(Failure) -> [FlightID]

    // MARK: Members

    /// Returns the members of a flight, in the order of their UUIDs.
    mutating func members(of flight: FlightID) throws(Failure) -> [FlightMember]

    /// Returns whether a flight has members other than one request.
    mutating func hasMembers(of flight: FlightID, besides id: UUID) throws(Failure) -> Bool

    /// Returns the live member of a flight with the first UUID, and the highest priority of its live members; `nil` if
    /// none is live. Needs an index, because one of ten thousand members must be able to leave a flight quickly.
    mutating func liveMembers(of flight: FlightID) throws(Failure) -> (first: UUID, priority: Priority)?

    /// Returns whether a member of a flight keeps the response: the member is completed and its response was not
    /// evicted.
    mutating func isResponseKept(by flight: FlightID) throws(Failure) -> Bool

    /// Returns whether a member of a flight protects the response from pruning: see ``RequestRow/protectsResponse``.
    mutating func isProtected(_ flight: FlightID) throws(Failure) -> Bool

    /// Updates an index of ``isProtected(_:)``, whose result may have changed for a flight. A store without such an
    /// index does nothing.
    mutating func protectionChanged(of flight: FlightID) throws(Failure)

    // MARK: Output

    /// Returns the size of a flight's output in its newest generation that has any; `nil` if there is none.
    mutating func output(of flight: FlightID) throws(Failure) -> OutputRow?

    /// Adds chunks to a flight's output. Chunks of a new generation replace the earlier output.
    mutating func append(_ group: ChunkGroup) throws(Failure)

    /// Marks the output of a generation as the flight's response.
    ///
    /// Keeps the boundaries of this generation's chunks and deletes the chunks of other generations. The store need not
    /// keep the bytes a second time, because the response has them.
    mutating func outputCompleted(of flight: FlightID, generation: Int) throws(Failure)

    // MARK: Responses

    /// Returns the row of a flight's response; `nil` if there is none.
    mutating func response(of flight: FlightID) throws(Failure) -> ResponseRow?

    /// Stores the response of a flight, in place of an answer that was kept although it could not be used.
    mutating func write(_ response: AIResponseData, of flight: FlightID) throws(Failure)

    /// Evicts the content of a flight's response, and the flight's output. The row of the response stays.
    mutating func evictResponse(of flight: FlightID) throws(Failure)

    /// Returns whether the store has the content of a reference.
    mutating func hasContent(_ reference: ContentReference) throws(Failure) -> Bool

    /// Returns the flights of responses that no member protects and that were received at or before a position: at most
    /// `limit`, the oldest first. The result may include protected responses, because the machine checks each one.
    mutating func unprotectedResponses(through position: PrunePlan.Position, limit: Int) throws(Failure) -> [FlightID]

    // MARK: The cache

    /// Returns the number of answers in the cache and their total size in bytes.
    mutating func cacheSize() throws(Failure) -> (count: Int, bytes: Int64)

    /// Returns the flight of the least recently used answer in the cache. Of several, it returns the first flight.
    /// Needs an index.
    mutating func leastRecentlyUsedAnswer() throws(Failure) -> FlightID?

    /// Returns the flights of a selection of answers in the cache.
    mutating func answers(_ selection: CacheSelection) throws(Failure) -> [FlightID]

    // MARK: The ledger

    /// Returns the ledger's record of an attempt of a flight; `nil` if there is none.
    mutating func attempt(_ number: Int, of flight: FlightID) throws(Failure) -> AttemptRecord?

    /// Replaces the ledger's record of an attempt, or adds it.
    mutating func write(_ attempt: AttemptRecord, of flight: FlightID) throws(Failure)

    /// Adds tags to those that a flight's attempts are charged to.
    mutating func charge(_ tags: [String], for flight: FlightID) throws(Failure)

    /// Returns the spending of a budget in a period; `nil` if there is none.
    mutating func account(of budget: BudgetPeriod) throws(Failure) -> BudgetAccount?

    /// Replaces the spending of a budget in a period.
    mutating func write(_ account: BudgetAccount, of budget: BudgetPeriod) throws(Failure)

    /// Returns the reservations of an attempt.
    mutating func reservations(of attempt: Int, of flight: FlightID) throws(Failure) -> [Reservation]

    /// Replaces the reservations of an attempt.
    mutating func write(_ reservations: [Reservation], of attempt: Int, of flight: FlightID) throws(Failure)
}

/// The rows of a store for which ``StoreMachine`` claims flights. A store that claims by statements of its own does not
/// need this conformance.
package protocol ClaimableRows: StoreRows {
    /// Returns the waiting flights of a provider and priority within a scope: at most `limit` of those after a given
    /// flight, ascending. A shared flight is within the scope of the job of each live member. Needs an index.
    mutating func waiting(
        for provider: ProviderID, _ priority: Priority, in scope: ClaimScope, after: FlightID?, limit: Int
    ) throws(Failure) -> [FlightID]

    /// Returns the flights of a provider whose backoff ends at a date or before: at most `limit`, the earliest first.
    /// Needs an index.
    mutating func backingOff(for provider: ProviderID, until date: Date, limit: Int) throws(Failure) -> [FlightID]

    /// Returns the earliest end of a backoff of a provider's flights; `nil` if none backs off. Needs an index.
    mutating func earliestBackoff(for provider: ProviderID) throws(Failure) -> Date?

    /// Returns a leased flight as its new holder receives it: with its prompt, or a reference to that.
    mutating func claimed(_ flight: FlightRow, _ id: FlightID, deadline: Date?) throws(Failure) -> ClaimedFlight
}

/// A request as ``StoreMachine`` knows it. The store also keeps its metadata, trace and cache policy.
package struct RequestRow: Sendable, Codable {
    package var id: UUID
    package var flight: FlightID
    package var lifecycle: RequestLifecycle
    /// The request's own priority. A flight has the highest priority of its live members.
    package var priority: Priority
    package var job: Submission.JobPosition?
    package var deadline: Date?
    package var tags: [String]
    package var finishedAt: Date?
    package var error: AIServiceError?
    /// The age, in seconds, of the answer from the cache; `nil` if the cache had none.
    package var cacheAge: TimeInterval?
    /// Whether the response was evicted for this request. Other members of its flight may keep it.
    package var isEvicted = false
    package var isPinned = false
    package var awaitsMerge: Bool

    /// Whether the request protects its response from eviction by age and the store's limits.
    package var protectsResponse: Bool { !isEvicted && (isPinned || awaitsMerge || job != nil) }

    package init(
        id: UUID, flight: FlightID, lifecycle: RequestLifecycle, priority: Priority, job: Submission.JobPosition? = nil,
        deadline: Date? = nil, tags: [String] = [], finishedAt: Date? = nil, error: AIServiceError? = nil,
        cacheAge: TimeInterval? = nil, isEvicted: Bool = false, isPinned: Bool = false, awaitsMerge: Bool = false
    ) {
        self.id = id
        self.flight = flight
        self.lifecycle = lifecycle
        self.priority = priority
        self.job = job
        self.deadline = deadline
        self.tags = tags
        self.finishedAt = finishedAt
        self.error = error
        self.cacheAge = cacheAge
        self.isEvicted = isEvicted
        self.isPinned = isPinned
        self.awaitsMerge = awaitsMerge
    }

    package init(_ submission: Submission, of flight: FlightID) {
        let request = submission.request
        id = request.id
        self.flight = flight
        lifecycle = RequestLifecycle()
        priority = request.priority
        job = submission.job
        deadline = request.deadline
        tags = request.tags
        awaitsMerge = request.keepUntilMerged
    }
}

/// A flight as ``StoreMachine`` knows it. The store also keeps its prompt, parameters and resume handle.
package struct FlightRow: Sendable, Codable {
    package var lifecycle: FlightLifecycle
    /// The leading member, under whose UUID the flight is sent.
    package var head: UUID
    /// Whether requests other than the first have ever joined the flight.
    package var isShared = false
    package var job: JobKey?
    package var priority: Priority
    package var provider: ProviderID
    package var model: String?
    /// The provider and model that the flight was submitted to.
    package var origin: FallbackTarget
    /// The work that the flight does; `nil` once its prompt was erased, after which no request can join it.
    package var work: Fingerprint?
    package var unknownOutcome: UnknownOutcomePolicy
    /// The flight's streaming policy; `nil` if it does not stream.
    package var streaming: StreamingPolicy?
    package var startedAt: Date?
    /// The date of the first counted attempt; `nil` if no attempt counts any more.
    package var triedSince: Date?
    /// The date of the last use of the flight's answer in the cache; `nil` if the answer is not there.
    package var usedAt: Date?
    package var answerBytes: Int64 = 0

    package init(
        lifecycle: FlightLifecycle, head: UUID, isShared: Bool, job: JobKey?, priority: Priority, provider: ProviderID,
        model: String?, origin: FallbackTarget, work: Fingerprint?, unknownOutcome: UnknownOutcomePolicy,
        streaming: StreamingPolicy?, startedAt: Date?, triedSince: Date?, usedAt: Date?, answerBytes: Int64
    ) {
        self.lifecycle = lifecycle
        self.head = head
        self.isShared = isShared
        self.job = job
        self.priority = priority
        self.provider = provider
        self.model = model
        self.origin = origin
        self.work = work
        self.unknownOutcome = unknownOutcome
        self.streaming = streaming
        self.startedAt = startedAt
        self.triedSince = triedSince
        self.usedAt = usedAt
        self.answerBytes = answerBytes
    }

    package init(_ submission: Submission) {
        let request = submission.request
        lifecycle = submission.flight
        head = request.id
        job = submission.job?.key
        priority = request.priority
        provider = submission.provider
        model = request.model
        origin = FallbackTarget(submission.provider, model: request.model)
        work = submission.fingerprint
        unknownOutcome = request.unknownOutcome
        streaming = request.streaming
        startedAt = submission.flight.isExecuting ? submission.createdAt : nil
        triedSince = startedAt
    }

    mutating func move(to lifecycle: FlightLifecycle) {
        self.lifecycle = lifecycle
        if lifecycle.tries <= 0 { triedSince = nil }
    }
}

/// The size of a flight's output in one generation.
package struct OutputRow: Sendable, Hashable {
    package var generation: Int
    package var chunks: Int
    package var bytes: Int

    package init(generation: Int, chunks: Int, bytes: Int) {
        self.generation = generation
        self.chunks = chunks
        self.bytes = bytes
    }
}

/// A response as ``StoreMachine`` knows it.
package struct ResponseRow: Sendable, Hashable {
    package var receivedAt: Date
    /// The size of the response's content in bytes, in the database and in content files; 0 once it was evicted.
    package var bytes: Int64
    package var content: ContentReference?
    package var isEvicted: Bool

    package init(receivedAt: Date, bytes: Int64, content: ContentReference? = nil, isEvicted: Bool = false) {
        self.receivedAt = receivedAt
        self.bytes = bytes
        self.content = content
        self.isEvicted = isEvicted
    }
}

/// A budget in one of its periods.
package struct BudgetPeriod: Sendable, Hashable, Codable {
    package var budget: String
    package var period: Date

    package init(budget: String, period: Date) {
        self.budget = budget
        self.period = period
    }
}

/// The amount that a budget reserves for an attempt.
package struct Reservation: Sendable, Hashable, Codable {
    package var budget: BudgetPeriod
    /// The maximum cost of the attempt in micro-dollars; `nil` if unknown.
    package var bound: Int64?
    package var share: BudgetAccount.Share

    package init(budget: BudgetPeriod, bound: Int64?, share: BudgetAccount.Share) {
        self.budget = budget
        self.bound = bound
        self.share = share
    }
}
