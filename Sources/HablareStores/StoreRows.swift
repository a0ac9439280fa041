package import Foundation
package import Hablare

/// The rows of a store within one transaction. ``StoreMachine`` reads and writes them.
///
/// A conforming type keeps rows, and answers queries about them. It does not contain rules of the engine. The machine
/// decides, for example, which lease is valid, which request leads a shared flight, what a retry does, and which
/// answers leave the cache.
///
/// A conforming type must follow these rules:
///
/// - A method that writes a row replaces the whole row. It must write in any case, because the machine has already
///   decided to write.
/// - The result of a query must include earlier writes of the same transaction.
/// - If the comment of a query says "Needs an index", the query must not scan all rows. A flight may have ten thousand
///   requests (its members), and a million flights may wait.
/// - "Ascending" means in the order of the flights' ids, which is the order of arrival.
/// - If a row is damaged, it must be read so that no harm is done. For example, a damaged flight is read as held, so
///   that it is not sent. A damaged response is read as protected, so that it is not evicted.
///
/// All methods are called inside the transaction of a commit. If a method throws, the transaction ends, and all its
/// writes are undone. Therefore a value that cannot be stored must not make a method throw, because the other writes of
/// the commit would be lost. Check for such a value before the write, and refuse the write with
/// ``WriteReceipt/rejected(_:)``.
package protocol StoreRows {
    /// The type of the errors that the methods throw. It is `Never` for rows in memory.
    associatedtype Failure: Error

    // MARK: Owners

    /// Registers a process under a new id. An id must never be used again, even after ``deregister(_:)``.
    mutating func register(_ owner: OwnerRegistration) throws(Failure) -> OwnerID

    /// Sets the date at which a registration ends. Returns whether the registration exists.
    mutating func renew(_ owner: OwnerID, until date: Date) throws(Failure) -> Bool

    /// Removes a registration, if it exists.
    mutating func deregister(_ owner: OwnerID) throws(Failure)

    /// Returns the flights that a process holds, ascending. Needs an index.
    mutating func flights(leasedTo owner: OwnerID) throws(Failure) -> [FlightID]

    // MARK: Accounts

    /// Returns the state of an account. Returns `nil` if the store does not know the account.
    mutating func budget(of account: AccountID) throws(Failure) -> AccountBudget?

    /// Replaces the state of an account.
    mutating func write(_ budget: AccountBudget, of account: AccountID) throws(Failure)

    /// Records the account that a provider's calls use. It replaces the account that was recorded for the provider
    /// before.
    mutating func note(_ account: AccountID, of provider: ProviderID) throws(Failure)

    // MARK: Requests

    /// Returns the row of a request. Returns `nil` if there is no such request.
    mutating func request(_ id: UUID) throws(Failure) -> RequestRow?

    /// Returns the request at a position of a job. Needs an index.
    mutating func request(at position: Submission.JobPosition) throws(Failure) -> UUID?

    /// Inserts a request. Also stores the data of the submission that the row does not contain, such as the metadata
    /// and the trace.
    mutating func insert(_ request: RequestRow, of submission: Submission) throws(Failure)

    /// Replaces a request's row. Data that the row does not contain, such as the metadata and the trace, stays
    /// unchanged.
    mutating func write(_ request: RequestRow) throws(Failure)

    /// Deletes a request with all its text, such as its metadata and error.
    mutating func delete(_ request: RequestRow) throws(Failure)

    /// Returns the live requests whose deadline is on or before a date. Returns at most `limit` requests, ordered by
    /// deadline and then by flight. Needs an index.
    mutating func requests(dueAt date: Date, limit: Int) throws(Failure) -> [UUID]

    /// Returns the earliest deadline of all live requests. Returns `nil` if no live request has a deadline. Needs an
    /// index.
    mutating func earliestDeadline() throws(Failure) -> Date?

    // MARK: Flights

    /// Inserts a flight with the prompt and parameters of a submission. Returns the flight's id, which must be greater
    /// than all earlier ids.
    mutating func insert(_ flight: FlightRow, of submission: Submission) throws(Failure) -> FlightID

    /// Inserts a flight with the prompt and parameters of another flight. Returns the new flight's id, which must be
    /// greater than all earlier ids.
    mutating func insert(_ flight: FlightRow, copying original: FlightID) throws(Failure) -> FlightID

    /// Returns the row of a flight. Returns `nil` if there is no such flight.
    mutating func flight(_ id: FlightID) throws(Failure) -> FlightRow?

    /// Replaces a flight's row. The flight's prompt and parameters stay unchanged. Deletes the flight's resume handle
    /// if ``FlightLifecycle/hasHandle`` is false.
    mutating func write(_ flight: FlightRow, of id: FlightID) throws(Failure)

    /// Replaces the resume handle of a flight. `nil` deletes the handle.
    mutating func write(handle: Data?, of id: FlightID) throws(Failure)

    /// Erases the content of a flight: its prompt, parameters, resume handle, response and output, and the texts of its
    /// errors. Removes the flight's answer from the cache.
    ///
    /// The row stays, because the ledger refers to it. Erasing must not need disk space, because callers must be able
    /// to delete requests from a full store.
    mutating func erase(_ id: FlightID) throws(Failure)

    /// Returns the flights that do the work of a fingerprint, ascending. Includes only flights that are live or whose
    /// answer is in the cache. Needs an index.
    mutating func flights(for work: Fingerprint) throws(Failure) -> [FlightID]

    // MARK: Members

    /// Returns the members of a flight, in the order of their UUIDs.
    mutating func members(of flight: FlightID) throws(Failure) -> [FlightMember]

    /// Returns whether a flight has members besides the request `id`.
    mutating func hasMembers(of flight: FlightID, besides id: UUID) throws(Failure) -> Bool

    /// Returns the first UUID and the highest priority of the live members of a flight. Returns `nil` if no member is
    /// live. Needs an index, because one of ten thousand members must be able to leave a flight quickly.
    mutating func liveMembers(of flight: FlightID) throws(Failure) -> (first: UUID, priority: Priority)?

    /// Returns whether a flight has a member that keeps the response. A member keeps the response if the member is
    /// completed and the response was not evicted for it.
    mutating func isResponseKept(by flight: FlightID) throws(Failure) -> Bool

    /// Returns whether a flight has a member that protects the response from pruning (``RequestRow/protectsResponse``).
    mutating func isProtected(_ flight: FlightID) throws(Failure) -> Bool

    /// Updates the store's index of protected responses, because the result of ``isProtected(_:)`` may have changed for
    /// a flight. A store without such an index does nothing.
    mutating func protectionChanged(of flight: FlightID) throws(Failure)

    // MARK: Output

    /// Returns the size of a flight's output, in the newest generation that has output. Returns `nil` if there is no
    /// output.
    mutating func output(of flight: FlightID) throws(Failure) -> OutputRow?

    /// Adds chunks to a flight's output. If the chunks belong to a new generation, they replace the earlier output.
    mutating func append(_ group: ChunkGroup) throws(Failure)

    /// Marks the output of a generation as the flight's response.
    ///
    /// The boundaries of the chunks of this generation are kept. The chunks of other generations are deleted. The store
    /// need not keep the bytes of the chunks, because the response contains them.
    mutating func outputCompleted(of flight: FlightID, generation: Int) throws(Failure)

    // MARK: Responses

    /// Returns the row of a flight's response. Returns `nil` if the flight has no response.
    mutating func response(of flight: FlightID) throws(Failure) -> ResponseRow?

    /// Stores the response of a flight. If the flight has an unusable answer, the response replaces it.
    mutating func write(_ response: AIResponseData, of flight: FlightID) throws(Failure)

    /// Evicts the content of a flight's response, and the flight's output. The row of the response stays.
    mutating func evictResponse(of flight: FlightID) throws(Failure)

    /// Returns whether the store has the content that a reference refers to.
    mutating func hasContent(_ reference: ContentReference) throws(Failure) -> Bool

    /// Returns the flights of unprotected responses in the order of their arrival, the oldest first, up to and
    /// including a position in this order. Returns at most `limit` flights. The result may include protected responses.
    /// The machine checks each response itself.
    mutating func unprotectedResponses(through position: PrunePlan.Position, limit: Int) throws(Failure) -> [FlightID]

    // MARK: The cache

    /// Returns the number of answers in the cache and their total size in bytes.
    mutating func cacheSize() throws(Failure) -> (count: Int, bytes: Int64)

    /// Returns the flight of the least recently used answer in the cache. If several answers have the same date,
    /// returns the flight with the lowest id. Needs an index.
    mutating func leastRecentlyUsedAnswer() throws(Failure) -> FlightID?

    /// Returns the flights of the cached answers that belong to a selection.
    mutating func answers(_ selection: CacheSelection) throws(Failure) -> [FlightID]

    // MARK: The ledger

    /// Returns the record of an attempt in the ledger. Returns `nil` if there is no record.
    mutating func attempt(_ number: Int, of flight: FlightID) throws(Failure) -> AttemptRecord?

    /// Writes the record of an attempt in the ledger. It replaces an earlier record of the attempt.
    mutating func write(_ attempt: AttemptRecord, of flight: FlightID) throws(Failure)

    /// Adds tags to a flight. The costs of its attempts count for these tags.
    mutating func charge(_ tags: [String], for flight: FlightID) throws(Failure)

    /// Returns the amount spent of a budget in a period. Returns `nil` if no amount is recorded.
    mutating func account(of budget: BudgetPeriod) throws(Failure) -> BudgetAccount?

    /// Replaces the amount spent of a budget in a period.
    mutating func write(_ account: BudgetAccount, of budget: BudgetPeriod) throws(Failure)

    /// Returns the amounts that budgets reserve for an attempt.
    mutating func reservations(of attempt: Int, of flight: FlightID) throws(Failure) -> [Reservation]

    /// Replaces the amounts that budgets reserve for an attempt.
    mutating func write(_ reservations: [Reservation], of attempt: Int, of flight: FlightID) throws(Failure)
}

/// Rows from which ``StoreMachine`` can also claim flights. A store that claims flights with statements of its own need
/// not conform to this protocol.
package protocol ClaimableRows: StoreRows {
    /// Returns the waiting flights of a provider and a priority within a scope, ascending. Returns at most `limit`
    /// flights, which come after the flight `after`. A flight with several members belongs to the jobs of all its live
    /// members. Needs an index.
    mutating func waiting(
        for provider: ProviderID, _ priority: Priority, in scope: ClaimScope, after: FlightID?, limit: Int
    ) throws(Failure) -> [FlightID]

    /// Returns the flights of a provider whose backoff ends on or before a date, those with the earliest end first.
    /// Returns at most `limit` flights. Needs an index.
    mutating func backingOff(for provider: ProviderID, until date: Date, limit: Int) throws(Failure) -> [FlightID]

    /// Returns the earliest date at which the backoff of one of a provider's flights ends. Returns `nil` if no flight
    /// backs off. Needs an index.
    mutating func earliestBackoff(for provider: ProviderID) throws(Failure) -> Date?

    /// Returns a leased flight for the process that has claimed it, with its prompt or a reference to the prompt.
    mutating func claimed(_ flight: FlightRow, _ id: FlightID, deadline: Date?) throws(Failure) -> ClaimedFlight
}

/// The part of a request that ``StoreMachine`` uses. The store also keeps the request's metadata, trace and cache
/// policy.
package struct RequestRow: Sendable, Codable {
    package var id: UUID
    package var flight: FlightID
    package var lifecycle: RequestLifecycle
    /// The request's own priority. The flight's priority is the highest priority of its live members.
    package var priority: Priority
    package var job: Submission.JobPosition?
    package var deadline: Date?
    package var tags: [String]
    package var finishedAt: Date?
    package var error: AIServiceError?
    /// The age of the cached answer in seconds, if the request was answered from the cache. Otherwise `nil`.
    package var cacheAge: TimeInterval?
    /// Whether the response was evicted for this request. Other members of the flight may still keep the response.
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

/// The part of a flight that ``StoreMachine`` uses. The store also keeps the flight's prompt, parameters and resume
/// handle.
package struct FlightRow: Sendable, Codable {
    package var lifecycle: FlightLifecycle
    /// The UUID of the first live member, the leader. The provider receives the request of the leader.
    package var head: UUID
    /// Whether another request has ever joined the flight.
    package var isShared = false
    package var job: JobKey?
    package var priority: Priority
    package var provider: ProviderID
    package var model: String?
    /// The provider and the model for which the flight was submitted.
    package var origin: FallbackTarget
    /// The fingerprint of the flight's work. `nil` if the flight's prompt was erased. In this case no request can join
    /// the flight.
    package var work: Fingerprint?
    package var unknownOutcome: UnknownOutcomePolicy
    /// The flight's streaming policy. `nil` if the flight does not stream.
    package var streaming: StreamingPolicy?
    package var startedAt: Date?
    /// The date of the first attempt that counts towards the maximum number of attempts. `nil` if no attempt counts.
    package var triedSince: Date?
    /// The date on which the flight's answer in the cache was last used. `nil` if the answer is not in the cache.
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

/// The part of a response that ``StoreMachine`` uses.
package struct ResponseRow: Sendable, Hashable {
    package var receivedAt: Date
    /// The size of the response's content in bytes, in the database and in content files. It is 0 if the content was
    /// evicted.
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

/// A budget and one of its periods.
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
    /// The maximum cost of the attempt in micro-dollars. `nil` if this cost is unknown.
    package var bound: Int64?
    package var share: BudgetAccount.Share

    package init(budget: BudgetPeriod, bound: Int64?, share: BudgetAccount.Share) {
        self.budget = budget
        self.bound = bound
        self.share = share
    }
}
