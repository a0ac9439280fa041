package import Foundation
package import Hablare

/// The rows of a store within one transaction, which ``StoreMachine`` reads and writes.
///
/// A conformer keeps rows and answers queries about the rows. It has no rules of the engine. The machine decides which
/// lease is valid, which request leads a shared flight, what a retry does, and which answers leave the cache.
///
/// Rules for conformers:
///
/// - A setter replaces the whole row of its id. The machine has already decided to write, so the setter must always
///   write.
/// - The result of a query must include the earlier writes of its transaction.
/// - If the comment of a query says "Needs an index", the query must use an index. A flight may have ten thousand
///   requests (members), and a million flights may wait.
/// - "Ascending" means ordered by flight id, which is the order of arrival.
/// - A damaged row must be read as the harmless case. For example, a damaged flight is held instead of sent, and a
///   damaged response is kept instead of evicted.
///
/// All calls run inside the transaction of a commit. If a method throws, the transaction ends, and none of its writes
/// is kept. A value that cannot be stored would therefore also prevent the other writes of the commit. Check for such a
/// value before you write, and refuse its write with ``WriteReceipt/rejected(_:)``.
package protocol StoreRows {
    /// The error that the methods throw. `Never` for rows in memory.
    associatedtype Failure: Error

    // MARK: Owners

    /// Registers a process under a new id. Never use an id again, not even after ``deregister(_:)``.
    mutating func register(_ owner: OwnerRegistration) throws(Failure) -> OwnerID

    /// Sets the date at which a registration ends. Returns whether the registration exists.
    mutating func renew(_ owner: OwnerID, until date: Date) throws(Failure) -> Bool

    /// Removes a registration, if it exists.
    mutating func deregister(_ owner: OwnerID) throws(Failure)

    /// Returns the flights that a process holds, ascending. Needs an index.
    mutating func flights(leasedTo owner: OwnerID) throws(Failure) -> [FlightID]

    // MARK: Accounts

    /// Returns the state of an account. Returns `nil` if the store has no state of the account.
    mutating func budget(of account: AccountID) throws(Failure) -> AccountBudget?

    /// Replaces the state of an account.
    mutating func write(_ budget: AccountBudget, of account: AccountID) throws(Failure)

    /// Records the account that a provider's calls use. This account replaces an earlier account of the provider.
    mutating func note(_ account: AccountID, of provider: ProviderID) throws(Failure)

    // MARK: Requests

    /// Returns the row of a request. Returns `nil` if no request has this UUID.
    mutating func request(_ id: UUID) throws(Failure) -> RequestRow?

    /// Returns the request at a position of a job. Needs an index.
    mutating func request(at position: Submission.JobPosition) throws(Failure) -> UUID?

    /// Inserts a request. Also stores the data of its submission that the row does not have, such as the metadata and
    /// the trace.
    mutating func insert(_ request: RequestRow, of submission: Submission) throws(Failure)

    /// Replaces a request's row. Data that is not in the row, such as the metadata and the trace, stays.
    mutating func write(_ request: RequestRow) throws(Failure)

    /// Deletes a request with all its text, such as its metadata and error.
    mutating func delete(_ request: RequestRow) throws(Failure)

    /// Returns the live requests whose deadline is at or before a date. Returns at most `limit` requests, ordered by
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

    /// Returns the row of a flight. Returns `nil` if no flight has this id.
    mutating func flight(_ id: FlightID) throws(Failure) -> FlightRow?

    /// Replaces a flight's row. Its prompt and parameters stay. Deletes the flight's resume handle if
    /// ``FlightLifecycle/hasHandle`` is false.
    mutating func write(_ flight: FlightRow, of id: FlightID) throws(Failure)

    /// Replaces the resume handle of a flight. `nil` deletes the handle.
    mutating func write(handle: Data?, of id: FlightID) throws(Failure)

    /// Erases a flight's content: its prompt, parameters, resume handle, response, output and the text of its errors.
    /// Removes its answer from the cache.
    ///
    /// The row stays, because the ledger refers to it. Erasing must not need disk space, because callers must be able
    /// to delete requests from a full store.
    mutating func erase(_ id: FlightID) throws(Failure)

    /// Returns the flights for some work, ascending. Includes only flights that are live or have their answer in the
    /// cache. Needs an index.
    mutating func flights(for work: Fingerprint) throws(Failure) -> [FlightID]

    // MARK: Members

    /// Returns the members of a flight, in the order of their UUIDs.
    mutating func members(of flight: FlightID) throws(Failure) -> [FlightMember]

    /// Returns whether a flight has members besides the request `id`.
    mutating func hasMembers(of flight: FlightID, besides id: UUID) throws(Failure) -> Bool

    /// Returns the first UUID and the highest priority of the live members of a flight. Returns `nil` if no member is
    /// live. Needs an index, because leaving a flight with ten thousand members must be quick.
    mutating func liveMembers(of flight: FlightID) throws(Failure) -> (first: UUID, priority: Priority)?

    /// Returns whether a flight has a member that keeps the response. A member keeps the response if the member is
    /// completed and its response was not evicted.
    mutating func isResponseKept(by flight: FlightID) throws(Failure) -> Bool

    /// Returns whether a flight has a member that protects the response from pruning (``RequestRow/protectsResponse``).
    mutating func isProtected(_ flight: FlightID) throws(Failure) -> Bool

    /// Updates the store's index of ``isProtected(_:)``, because the result may have changed for a flight. A store
    /// without such an index does nothing.
    mutating func protectionChanged(of flight: FlightID) throws(Failure)

    // MARK: Output

    /// Returns the size of a flight's output in the newest generation that has output. Returns `nil` if there is no
    /// output.
    mutating func output(of flight: FlightID) throws(Failure) -> OutputRow?

    /// Adds chunks to a flight's output. Chunks of a new generation replace the earlier output.
    mutating func append(_ group: ChunkGroup) throws(Failure)

    /// Marks the output of a generation as the flight's response.
    ///
    /// Keeps the boundaries of this generation's chunks and deletes the chunks of other generations. The store need not
    /// keep the bytes of the chunks, because the response has the same bytes.
    mutating func outputCompleted(of flight: FlightID, generation: Int) throws(Failure)

    // MARK: Responses

    /// Returns the row of a flight's response. Returns `nil` if the flight has no response.
    mutating func response(of flight: FlightID) throws(Failure) -> ResponseRow?

    /// Stores the response of a flight. The response replaces an answer that was kept although it could not be used.
    mutating func write(_ response: AIResponseData, of flight: FlightID) throws(Failure)

    /// Evicts the content of a flight's response, and the flight's output. The row of the response stays.
    mutating func evictResponse(of flight: FlightID) throws(Failure)

    /// Returns whether the store has the content of a reference.
    mutating func hasContent(_ reference: ContentReference) throws(Failure) -> Bool

    /// Returns the flights of unprotected responses that were received at or before a position. Returns at most `limit`
    /// flights, with the oldest response first. The result may include protected responses, because the machine checks
    /// each response.
    mutating func unprotectedResponses(through position: PrunePlan.Position, limit: Int) throws(Failure) -> [FlightID]

    // MARK: The cache

    /// Returns the number of answers in the cache and their total size in bytes.
    mutating func cacheSize() throws(Failure) -> (count: Int, bytes: Int64)

    /// Returns the flight of the least recently used answer in the cache. If several answers were used at the same
    /// date, returns the first flight. Needs an index.
    mutating func leastRecentlyUsedAnswer() throws(Failure) -> FlightID?

    /// Returns the flights of a selection of answers in the cache.
    mutating func answers(_ selection: CacheSelection) throws(Failure) -> [FlightID]

    // MARK: The ledger

    /// Returns the ledger's record of an attempt of a flight. Returns `nil` if there is no record.
    mutating func attempt(_ number: Int, of flight: FlightID) throws(Failure) -> AttemptRecord?

    /// Replaces the ledger's record of an attempt, or adds it.
    mutating func write(_ attempt: AttemptRecord, of flight: FlightID) throws(Failure)

    /// Adds tags to which the attempts of a flight are charged.
    mutating func charge(_ tags: [String], for flight: FlightID) throws(Failure)

    /// Returns the spending of a budget in a period. Returns `nil` if no spending is recorded.
    mutating func account(of budget: BudgetPeriod) throws(Failure) -> BudgetAccount?

    /// Replaces the spending of a budget in a period.
    mutating func write(_ account: BudgetAccount, of budget: BudgetPeriod) throws(Failure)

    /// Returns the reservations of an attempt.
    mutating func reservations(of attempt: Int, of flight: FlightID) throws(Failure) -> [Reservation]

    /// Replaces the reservations of an attempt.
    mutating func write(_ reservations: [Reservation], of attempt: Int, of flight: FlightID) throws(Failure)
}

/// The rows of a store for which ``StoreMachine`` claims flights. A store that claims flights with its own statements
/// does not need this conformance.
package protocol ClaimableRows: StoreRows {
    /// Returns the waiting flights of a provider and priority within a scope, ascending. Returns at most `limit`
    /// flights after the flight `after`. A shared flight is within the scope of the job of each of its live members.
    /// Needs an index.
    mutating func waiting(
        for provider: ProviderID, _ priority: Priority, in scope: ClaimScope, after: FlightID?, limit: Int
    ) throws(Failure) -> [FlightID]

    /// Returns the flights of a provider whose backoff ends at or before a date. Returns at most `limit` flights, with
    /// the earliest end first. Needs an index.
    mutating func backingOff(for provider: ProviderID, until date: Date, limit: Int) throws(Failure) -> [FlightID]

    /// Returns the earliest end of a backoff of a provider's flights. Returns `nil` if no flight backs off. Needs an
    /// index.
    mutating func earliestBackoff(for provider: ProviderID) throws(Failure) -> Date?

    /// Returns a leased flight in the form in which its new holder receives it, with its prompt or a reference to the
    /// prompt.
    mutating func claimed(_ flight: FlightRow, _ id: FlightID, deadline: Date?) throws(Failure) -> ClaimedFlight
}

/// The part of a request that ``StoreMachine`` uses. The store also keeps the request's metadata, trace and cache
/// policy.
package struct RequestRow: Sendable, Codable {
    package var id: UUID
    package var flight: FlightID
    package var lifecycle: RequestLifecycle
    /// The request's own priority. The priority of a flight is the highest priority of its live members.
    package var priority: Priority
    package var job: Submission.JobPosition?
    package var deadline: Date?
    package var tags: [String]
    package var finishedAt: Date?
    package var error: AIServiceError?
    /// The age, in seconds, of the answer from the cache. `nil` if the request was not answered from the cache.
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
    /// The UUID of the request that leads the flight. The flight is sent under this UUID.
    package var head: UUID
    /// Whether another request has ever joined the flight.
    package var isShared = false
    package var job: JobKey?
    package var priority: Priority
    package var provider: ProviderID
    package var model: String?
    /// The provider and the model to which the flight was submitted.
    package var origin: FallbackTarget
    /// The work that the flight does. `nil` after its prompt was erased. No request can then join the flight.
    package var work: Fingerprint?
    package var unknownOutcome: UnknownOutcomePolicy
    /// The flight's streaming policy. `nil` if the flight does not stream.
    package var streaming: StreamingPolicy?
    package var startedAt: Date?
    /// The date of the first attempt that counts as a try. `nil` if no attempt counts.
    package var triedSince: Date?
    /// The date of the last use of the flight's answer in the cache. `nil` if the answer is not in the cache.
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
    /// The size of the response's content in bytes, in the database and in content files. 0 after the content was
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
    /// The maximum cost of the attempt in micro-dollars. `nil` if the cost is unknown.
    package var bound: Int64?
    package var share: BudgetAccount.Share

    package init(budget: BudgetPeriod, bound: Int64?, share: BudgetAccount.Share) {
        self.budget = budget
        self.bound = bound
        self.share = share
    }
}
