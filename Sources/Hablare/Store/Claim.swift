public import Foundation

/// The requests that a process claims, which means that it takes them from the store and executes them. The process
/// executes no other requests. For example, a process that generates one line uses the scope ``request(_:)``. It then
/// does not execute a book that was interrupted yesterday, and you do not pay for the book.
public enum ClaimScope: Sendable, Hashable {
    /// All requests for the providers that are registered in this process.
    case everything
    /// The requests of one job.
    case job(JobKey)
    /// One request. If it shares a call with other requests, the process makes this call. The scope also includes the
    /// requests with which a `StructuredRequestor` repairs the answer.
    case request(UUID)
    /// No requests: the process calls no provider. Other processes on the store execute the requests that it submits.
    ///
    /// The engine still maintains the store. It lets requests fail whose deadline has passed, and evicts responses that
    /// retention does not keep. It breaks the leases of dead processes, so that other processes can take their
    /// requests.
    ///
    /// To only submit, wait, watch and read, a process needs no engine. See ``AIRequestManager``.
    case nothing
}

extension ClaimScope {
    /// Returns the UUIDs of a request and its repairs, the request first.
    package static func requests(of id: UUID) -> [UUID] {
        [id] + (1...AIRequest.mostRepairs).map { AIRequest.repairID(of: id, number: $0) }
    }

    /// Returns whether the scope includes a submitted request. `job` is the request's job, or `nil` if it has none.
    package func covers(_ id: UUID, of job: JobKey?) -> Bool {
        switch self {
        case .everything: true
        case .job(let key): key == job
        case .request(let wanted): Self.requests(of: wanted).contains(id)
        case .nothing: false
        }
    }
}

/// A query for waiting flights of a provider. A flight is the shared work of equal requests.
public struct ClaimQuery: Sendable, Hashable {
    /// The process that claims.
    public var owner: OwnerID
    /// The provider whose flights are claimed.
    public var provider: ProviderID
    /// The scope to which the flights must belong.
    public var scope: ClaimScope
    /// The maximum number of flights. With a limit of 0 or less, no flight is claimed.
    public var limit: Int
    /// The current date. Flights whose backoff has ended on this date can be claimed.
    public var now: Date
    /// The number of flights of this provider that the process claimed before. Default 0.
    ///
    /// Priorities take turns in rounds of thirteen positions: eight for high, four for normal and one for low priority.
    /// A claim continues the round at the position where the last claim ended. A process that claims only one flight at
    /// a time therefore also takes flights of all priorities.
    public var roundOffset: Int

    /// Creates a query.
    public init(owner: OwnerID, provider: ProviderID, scope: ClaimScope, limit: Int, now: Date, roundOffset: Int = 0) {
        self.owner = owner
        self.provider = provider
        self.scope = scope
        self.limit = limit
        self.now = now
        self.roundOffset = roundOffset
    }
}

/// The result of a ``ClaimQuery``.
public struct Claim: Sendable {
    /// The claimed flights, ordered by urgency and then by arrival.
    public var flights: [ClaimedFlight]
    /// The earliest date at which the backoff of a flight of the provider ends, in any scope. `nil` if no flight backs
    /// off. If more backoffs have ended than one claim handles, this is the date of the query, and the caller should
    /// claim again.
    public var nextDue: Date?

    /// Creates a result.
    public init(flights: [ClaimedFlight], nextDue: Date? = nil) {
        self.flights = flights
        self.nextDue = nextDue
    }
}

extension ClaimQuery {
    /// The maximum number of flights whose backoff one claim ends. The flights whose backoff ended first come first.
    /// The number is limited because thousands of backoffs may have ended after a long pause, and a claim must not
    /// block the journal for long.
    package static let maximumWoken = 4096

    /// The priorities of the positions in a round: 8 high, 4 normal and 1 low, evenly mixed.
    private static let round: [Priority] = [
        .high, .normal, .high, .high, .normal, .high, .low, .high, .normal, .high, .high, .normal, .high,
    ]

    /// The number of flights of each priority to claim. The numbers result from the positions of the round, beginning
    /// at ``roundOffset``. If a priority has too few flights, the highest priorities with more flights use its
    /// positions.
    public var shares: [(priority: Priority, count: Int)] {
        let limit = max(0, limit)
        let (rounds, remainder) = limit.quotientAndRemainder(dividingBy: Self.round.count)
        let first = (roundOffset % Self.round.count + Self.round.count) % Self.round.count
        var counts = Priority.allCases.map { $0.weight * rounds }
        for slot in first..<first + remainder { counts[Self.round[slot % Self.round.count].rawValue] += 1 }
        return Priority.allCases.map { ($0, counts[$0.rawValue]) }
    }
}

/// A flight that a claim leased.
public struct ClaimedFlight: Sendable {
    /// The flight's id.
    public var id: FlightID
    /// The flight's state, with the new lease.
    public var lifecycle: FlightLifecycle
    /// The first live request of the flight, which the provider receives.
    public var request: AIRequest
    /// A reference to the content file of the request's prompt, or `nil` if ``request`` contains its prompt. As long as
    /// the file has not been read, the request's prompt is empty. A claim reads no file, because it runs on the
    /// journal's thread.
    public var promptContent: ContentReference?
    /// The provider to which the request was submitted, if the flight has moved to a fallback provider. Otherwise
    /// `nil`.
    public var origin: ProviderID?
    /// The date of the first attempt that counts towards the maximum number of attempts. `nil` if there is no such
    /// attempt yet. ``RetryPolicy/maximumElapsed`` is counted from this date.
    public var triedSince: Date?
    /// The context of the trace in which ``request`` was submitted. `nil` if the submission was not traced.
    public var trace: TraceContext?
    /// The date at which ``request`` was submitted.
    public var submittedAt: Date?
    /// The earlier work that the next attempt resumes, or `nil` if the next attempt starts new work.
    public var resumePoint: ResumePoint?
    /// The error with which the attempt fails because the prompt cannot be read, or `nil` if the prompt can be read.
    public var failure: AIServiceError?

    /// Creates a claimed flight.
    public init(
        id: FlightID, lifecycle: FlightLifecycle, request: AIRequest, promptContent: ContentReference? = nil,
        origin: ProviderID? = nil, triedSince: Date? = nil, trace: TraceContext? = nil, submittedAt: Date? = nil,
        resumePoint: ResumePoint? = nil, failure: AIServiceError? = nil
    ) {
        self.id = id
        self.lifecycle = lifecycle
        self.request = request
        self.promptContent = promptContent
        self.origin = origin
        self.triedSince = triedSince
        self.trace = trace
        self.submittedAt = submittedAt
        self.resumePoint = resumePoint
        self.failure = failure
    }
}
