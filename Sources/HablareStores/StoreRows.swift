package import Foundation
package import Hablare

/// The rows of a store within one transaction: what ``StoreMachine`` reads and writes.
///
/// A store keeps rows and answers questions about them, and knows no rule of the engine: which lease is valid, who leads a
/// shared flight, what a retry does and what leaves the cache is decided by the machine. A setter replaces the whole row of
/// its id. What a question needs an index for is said with it; "ascending" is by id, in the order of arrival.
///
/// All of it runs inside the one transaction of a commit. A method that throws ends the transaction: none of its writes is
/// kept.
package protocol StoreRows {
    /// What its methods throw: `Never` of rows in memory.
    associatedtype Failure: Error

    // MARK: Owners

    /// Registers a process under an id that was never given before.
    mutating func register(_ owner: OwnerRegistration) throws(Failure) -> OwnerID

    /// Moves the end of a registration. Returns whether there is one.
    mutating func renew(_ owner: OwnerID, until date: Date) throws(Failure) -> Bool

    /// Removes a registration, if it is there.
    mutating func deregister(_ owner: OwnerID) throws(Failure)

    /// The flights that a process holds, ascending. Needs an index.
    mutating func flights(heldBy owner: OwnerID) throws(Failure) -> [FlightID]

    // MARK: Accounts

    /// What is known of an account; `nil` for nothing.
    mutating func budget(of account: AccountID) throws(Failure) -> AccountBudget?

    mutating func write(_ budget: AccountBudget, of account: AccountID) throws(Failure)

    mutating func note(_ account: AccountID, of provider: ProviderID) throws(Failure)

    // MARK: Requests

    mutating func request(_ id: UUID) throws(Failure) -> RequestRow?

    /// The request at a place of a job. Needs an index.
    mutating func request(at place: Submission.JobPlace) throws(Failure) -> UUID?

    /// Inserts a request, with what its submission says besides.
    mutating func insert(_ request: RequestRow, of submission: Submission) throws(Failure)

    /// Replaces a request's row; what only its submission says stays.
    mutating func write(_ request: RequestRow) throws(Failure)

    /// Deletes a request, its words included.
    mutating func delete(_ request: RequestRow) throws(Failure)

    /// Live requests whose deadline is at a date or before: the earliest deadline first, of one deadline in the order of
    /// their flights; at most so many. Needs an index.
    mutating func requests(dueAt date: Date, limit: Int) throws(Failure) -> [UUID]

    /// The earliest deadline of any live request. Needs an index.
    mutating func earliestDeadline() throws(Failure) -> Date?

    // MARK: Flights

    /// Inserts a flight with the prompt and parameters of a submission, and returns its id, which is greater than any before.
    mutating func insert(_ flight: FlightRow, of submission: Submission) throws(Failure) -> FlightID

    /// Inserts a flight with the prompt and parameters of another one, and returns its id.
    mutating func insert(_ flight: FlightRow, copying original: FlightID) throws(Failure) -> FlightID

    mutating func flight(_ id: FlightID) throws(Failure) -> FlightRow?

    /// Replaces a flight's row; prompt and parameters stay. Where ``FlightLifecycle/hasHandle`` is false, the handle goes.
    mutating func write(_ flight: FlightRow, of id: FlightID) throws(Failure)

    mutating func write(handle: Data?, of id: FlightID) throws(Failure)

    /// Erases a flight's prompt, parameters, handle, response and output, with the words of its errors, and takes its answer
    /// out of the cache. Its row stays, which its ledger refers to. Needs no room: a full store must delete.
    mutating func erase(_ id: FlightID) throws(Failure)

    /// The flights that do some work and are live, or whose answers are in the cache, ascending. Needs an index.
    mutating func flights(for work: Fingerprint) throws(Failure) -> [FlightID]

    // MARK: Members

    /// The members of a flight, in the order of their UUIDs.
    mutating func members(of flight: FlightID) throws(Failure) -> [FlightMember]

    mutating func hasMembers(of flight: FlightID, besides id: UUID) throws(Failure) -> Bool

    /// The live member of a flight with the first UUID, and the most urgent class of a live member. Answered by an index, so
    /// that a flight of ten thousand members is left by one of them in no time; `nil` where none is live.
    mutating func liveMembers(of flight: FlightID) throws(Failure) -> (first: UUID, priority: Priority)?

    /// Whether a member of a flight keeps its response: it is completed, and its response was not evicted.
    mutating func isResponseKept(by flight: FlightID) throws(Failure) -> Bool

    /// Whether a member of a flight protects its response from pruning: see ``RequestRow/protectsResponse``.
    mutating func isProtected(_ flight: FlightID) throws(Failure) -> Bool

    /// Something that ``isProtected(_:)`` depends on may have changed: a store that keeps it in an index brings it up to
    /// date.
    mutating func protectionChanged(of flight: FlightID) throws(Failure)

    // MARK: Output

    /// How much of a flight's output there is, of the newest generation that there is any of.
    mutating func output(of flight: FlightID) throws(Failure) -> OutputRow?

    /// Adds chunks to a flight's output. Those of a new generation replace what was there.
    mutating func append(_ group: ChunkGroup) throws(Failure)

    /// The response of a flight is its output: keeps how that is cut into chunks, of this generation only, and may let the
    /// response keep the bytes.
    mutating func outputCompleted(of flight: FlightID, generation: Int) throws(Failure)

    // MARK: Responses

    mutating func response(of flight: FlightID) throws(Failure) -> ResponseRow?

    /// Keeps the response of a flight. There is none yet.
    mutating func write(_ response: AIResponseData, of flight: FlightID) throws(Failure)

    /// Evicts a response's content, with the output that it was cut from. That there was a response stays.
    mutating func evictResponse(of flight: FlightID) throws(Failure)

    mutating func hasContent(_ reference: ContentReference) throws(Failure) -> Bool

    /// The responses that no member protects, received at a place or before: the oldest first; at most so many. An index may
    /// answer with protected ones too.
    mutating func unprotectedResponses(through place: PrunePlan.Place, limit: Int) throws(Failure) -> [FlightID]

    // MARK: The cache

    /// How many answers are in the cache, and how many bytes they have.
    mutating func cacheSize() throws(Failure) -> (count: Int, bytes: Int64)

    /// The answer in the cache that has not been used for longest; of several, that of the first flight. Needs an index.
    mutating func leastRecentlyUsedAnswer() throws(Failure) -> FlightID?

    /// The answers in the cache of a selection.
    mutating func answers(_ selection: CacheSelection) throws(Failure) -> [FlightID]

    // MARK: The ledger

    mutating func attempt(_ number: Int, of flight: FlightID) throws(Failure) -> AttemptRecord?

    mutating func write(_ attempt: AttemptRecord, of flight: FlightID) throws(Failure)

    /// Charges a flight's attempts to tags, besides those that they are charged to.
    mutating func charge(_ tags: [String], for flight: FlightID) throws(Failure)

    mutating func account(of budget: BudgetPeriod) throws(Failure) -> BudgetAccount?

    mutating func write(_ account: BudgetAccount, of budget: BudgetPeriod) throws(Failure)

    mutating func reservations(of attempt: Int, of flight: FlightID) throws(Failure) -> [Reservation]

    mutating func write(_ reservations: [Reservation], of attempt: Int, of flight: FlightID) throws(Failure)
}

/// The rows of a store whose claims the machine makes, too. A store that has a statement of its own for that needs none of
/// this.
package protocol ClaimableRows: StoreRows {
    /// The flights of a provider and class that wait, within a scope, after one of them, ascending; at most so many. A shared
    /// flight is within the scope of every job that a live member belongs to. Needs an index.
    mutating func waiting(
        for provider: ProviderID, _ priority: Priority, in scope: ClaimScope, after: FlightID?, limit: Int
    ) throws(Failure) -> [FlightID]

    /// The flights of a provider that back off until a date at most, the earliest first; at most so many. Needs an index.
    mutating func backingOff(for provider: ProviderID, until date: Date, limit: Int) throws(Failure) -> [FlightID]

    /// When the earliest back-off of a provider's flights ends. Needs an index.
    mutating func earliestBackoff(for provider: ProviderID) throws(Failure) -> Date?

    /// A flight as the process is given it that takes it: with its prompt, or where that is.
    mutating func claimed(_ flight: FlightRow, _ id: FlightID, deadline: Date?) throws(Failure) -> ClaimedFlight
}

/// A request as ``StoreMachine`` knows it. Its metadata, trace and cache policy are the store's to keep.
package struct RequestRow: Sendable, Codable {
    package var id: UUID
    package var flight: FlightID
    package var lifecycle: RequestLifecycle
    /// Its own class; that of its flight is the most urgent one of the live members.
    package var priority: Priority
    package var job: Submission.JobPlace?
    package var deadline: Date?
    package var tags: [String]
    package var finishedAt: Date?
    package var error: AIServiceError?
    /// How old the answer was that it found in the cache, in seconds; `nil` where none was found.
    package var cacheAge: TimeInterval?
    /// Whether its response was evicted; other members of its flight may keep it.
    package var isEvicted = false
    package var isPinned = false
    package var awaitsMerge: Bool

    /// Whether its response is kept whatever its age and the store's limits.
    package var protectsResponse: Bool { !isEvicted && (isPinned || awaitsMerge || job != nil) }

    package init(
        id: UUID, flight: FlightID, lifecycle: RequestLifecycle, priority: Priority, job: Submission.JobPlace? = nil,
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

/// A flight as ``StoreMachine`` knows it. Prompt, parameters and handle are the store's to keep.
package struct FlightRow: Sendable, Codable {
    package var lifecycle: FlightLifecycle
    /// The member that leads: as that one it is sent.
    package var head: UUID
    /// Whether requests beside its first one ever joined it.
    package var isShared = false
    package var job: JobKey?
    package var priority: Priority
    package var provider: ProviderID
    package var model: String?
    /// The provider and model that it was submitted for.
    package var origin: FallbackHop
    /// The work that it does; `nil` once its prompt was erased: no request can join it any more.
    package var work: Fingerprint?
    package var unknownOutcome: UnknownOutcomePolicy
    /// How it streams; `nil` where it does not.
    package var streaming: StreamingPolicy?
    package var startedAt: Date?
    /// When the first attempt that counts was sent; forgotten with the last one that does.
    package var triedSince: Date?
    /// When its answer in the cache was used last; `nil` where that is not in the cache.
    package var usedAt: Date?
    package var answerBytes: Int64 = 0

    package init(
        lifecycle: FlightLifecycle, head: UUID, isShared: Bool, job: JobKey?, priority: Priority, provider: ProviderID,
        model: String?, origin: FallbackHop, work: Fingerprint?, unknownOutcome: UnknownOutcomePolicy,
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
        origin = FallbackHop(submission.provider, model: request.model)
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

/// How much there is of a flight's output.
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
    /// How many bytes its content has, in the database and in content files; 0 once it was evicted.
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

/// What an attempt counts for in a budget.
package struct Reservation: Sendable, Hashable, Codable {
    package var budget: BudgetPeriod
    /// The most that the attempt can cost, in micro-dollars; `nil`: unknown.
    package var bound: Int64?
    package var share: BudgetAccount.Share

    package init(budget: BudgetPeriod, bound: Int64?, share: BudgetAccount.Share) {
        self.budget = budget
        self.bound = bound
        self.share = share
    }
}
