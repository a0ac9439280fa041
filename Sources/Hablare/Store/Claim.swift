public import Foundation

/// What a process is there for. It claims nothing else, so that generating one line never resumes, and bills,
/// yesterday's book.
public enum ClaimScope: Sendable, Hashable {
    /// Whatever waits for the providers that are registered in this process.
    case everything
    /// One job.
    case job(JobKey)
    /// One request, whether it leads its flight or joined the one of somebody else, and the repairs that a
    /// `StructuredRequestor` makes of its answer.
    case request(UUID)
    /// Nothing: the process calls no provider. What is submitted in it is carried out by other processes on the store. Its
    /// engine looks after the store all the same: it ends requests that are out of time, takes over from processes that are
    /// gone so that their work waits for others, and gives up what is past its keeping time.
    ///
    /// To submit, wait, watch and read, a process needs no engine at all: see ``AIRequestManager``.
    case nothing
}

extension ClaimScope {
    /// What a request and its repairs are called, the request first.
    package static func requests(of id: UUID) -> [UUID] {
        [id] + (1...AIRequest.mostRepairs).map { AIRequest.repairID(of: id, number: $0) }
    }

    /// Whether a request that is submitted, for a job or for none, is what a process is there for.
    package func covers(_ id: UUID, of job: JobKey?) -> Bool {
        switch self {
        case .everything: true
        case .job(let key): key == job
        case .request(let wanted): Self.requests(of: wanted).contains(id)
        case .nothing: false
        }
    }
}

/// A wish for work.
public struct ClaimQuery: Sendable, Hashable {
    /// Who asks.
    public var owner: OwnerID
    /// For which provider.
    public var provider: ProviderID
    /// Within this scope.
    public var scope: ClaimScope
    /// At most so many; none of 0 or less.
    public var limit: Int
    /// Flights that back off until then, or earlier, wait again.
    public var now: Date
    /// How many the asker has taken of this provider before. The classes have their places in rounds of thirteen, so
    /// that one who asks for a single flight each time takes from all of them, too. Default 0.
    public var turn: Int

    /// Creates a query.
    public init(owner: OwnerID, provider: ProviderID, scope: ClaimScope, limit: Int, now: Date, turn: Int = 0) {
        self.owner = owner
        self.provider = provider
        self.scope = scope
        self.limit = limit
        self.now = now
        self.turn = turn
    }
}

/// The answer to a ``ClaimQuery``.
public struct Claim: Sendable {
    /// What was taken, in order of urgency, then of arrival.
    public var flights: [ClaimedFlight]
    /// When the first of the provider's flights that back off, in any scope, may be taken; `nil` when none does. The
    /// date of the query when there are more whose back-off is over than one claim lets wait again: claim once more.
    public var nextDue: Date?

    /// Creates an answer.
    public init(flights: [ClaimedFlight], nextDue: Date? = nil) {
        self.flights = flights
        self.nextDue = nextDue
    }
}

extension ClaimQuery {
    /// How many flights one claim lets wait again at most, the earliest back-off first: thousands may be due at once
    /// after a long pause of everybody, and a claim must not keep the journal for long.
    package static let maximumWoken = 4096

    /// The classes of the places of a round, spread evenly: 8:4:1.
    private static let round: [Priority] = [
        .high, .normal, .high, .high, .normal, .high, .low, .high, .normal, .high, .high, .normal, .high,
    ]

    /// How many flights of each class to take while every class has enough: those of the places from ``turn`` on. What a
    /// class does not have goes to the most urgent ones.
    public var shares: [(priority: Priority, count: Int)] {
        let limit = max(0, limit)
        let (rounds, rest) = limit.quotientAndRemainder(dividingBy: Self.round.count)
        let first = (turn % Self.round.count + Self.round.count) % Self.round.count
        var counts = Priority.allCases.map { $0.weight * rounds }
        for place in first..<first + rest { counts[Self.round[place % Self.round.count].rawValue] += 1 }
        return Priority.allCases.map { ($0, counts[$0.rawValue]) }
    }
}

/// A flight that was taken.
public struct ClaimedFlight: Sendable {
    /// Its id.
    public var id: FlightID
    /// Its life after the lease.
    public var lifecycle: FlightLifecycle
    /// Its member.
    public var request: AIRequest
    /// Where the text of the request's prompt is, which is empty so long; `nil` where the request has it. A claim reads
    /// no file, because the journal's thread makes it: the prompt is read afterwards.
    public var promptContent: ContentReference?
    /// Whom it was submitted to; another one than is asked where that one failed. `nil`: the one that is asked.
    public var origin: ProviderID?
    /// When the first attempt that counts was sent; `nil` before. Retries are bounded in time from there.
    public var triedSince: Date?
    /// The trace that its member was submitted in; `nil` where nobody traced.
    public var trace: TraceContext?
    /// When its member was submitted.
    public var submittedAt: Date?
    /// What its next attempt goes on with; `nil` where it begins anew.
    public var remembered: RememberedWork?
    /// Why it cannot be sent, when its prompt cannot be read: the attempt fails with this.
    public var failure: AIServiceError?

    /// Creates a claimed flight.
    public init(
        id: FlightID, lifecycle: FlightLifecycle, request: AIRequest, promptContent: ContentReference? = nil,
        origin: ProviderID? = nil, triedSince: Date? = nil, trace: TraceContext? = nil, submittedAt: Date? = nil,
        remembered: RememberedWork? = nil, failure: AIServiceError? = nil
    ) {
        self.id = id
        self.lifecycle = lifecycle
        self.request = request
        self.promptContent = promptContent
        self.origin = origin
        self.triedSince = triedSince
        self.trace = trace
        self.submittedAt = submittedAt
        self.remembered = remembered
        self.failure = failure
    }
}
