public import Foundation

/// The metadata of a request at one moment, without its content.
public struct RequestSnapshot: Sendable, Hashable, Identifiable {
    /// The reason why a pending request has no attempt in flight. Later versions of Hablare may add reasons, so keep a
    /// `default` case in a `switch`.
    public enum WaitReason: Sendable, Hashable {
        /// A process has the request in its queue. `ahead` is the number of requests of the same provider before this
        /// request, up to ``maximumAhead``. It is `nil` in a page of snapshots, where the requests ahead are not
        /// counted.
        case queued(ahead: Int?)
        /// An earlier request for the same work has not been sent yet. This request waits for the answer to that
        /// request.
        case following(UUID)
        /// No running process has taken the request yet. `ahead` is the number of requests of the same provider before
        /// this request, as in ``queued(ahead:)``.
        case unclaimed(ahead: Int?)
        /// The process that took the snapshot has not registered the request's provider.
        case noProvider
        /// No running process has taken the request, and the engine of the process that took the snapshot is suspended
        /// in the background.
        case suspended
        /// No running process has taken the request. The provider needs the network, and the process that took the
        /// snapshot has none.
        case offline
        /// The last attempt failed. The engine sends the next attempt on the date or later.
        case backingOff(until: Date)
        /// The account's limit is used up, or the provider asked for a pause. No call is sent to the account before the
        /// date.
        case rateLimited(until: Date)
        /// The provider failed several times in a row. No call is sent to the provider before the date.
        case providerFailing(until: Date)
        /// The request waits for an explicit retry, a cancellation or a deletion. Usually it is unknown whether the
        /// last attempt was carried out and billed.
        case held

        /// The maximum value of `ahead`: 10,000. If `ahead` has this value, more requests may be ahead.
        public static let maximumAhead = 10_000
    }

    /// The process that holds a request: the request is in its queue, or the process executes it.
    public struct Holder: Sendable, Hashable {
        /// The machine's name.
        public let host: String
        /// The process id on that machine.
        public let processID: Int32

        /// Creates a holder.
        public init(host: String, processID: Int32) {
            self.host = host
            self.processID = processID
        }
    }

    /// The UUID of the request.
    public let id: UUID
    /// The job that the request belongs to, or `nil`.
    public var job: JobKey?
    /// The position in the job, from 0, or `nil`.
    public var position: Int?
    /// The provider that the request is for.
    public var providerID: ProviderID
    /// The model that the request is for, or `nil` for the provider's default.
    public var model: String?
    /// The flight (the shared work of equal requests) that answers the request. Requests that share a call have the
    /// same flight.
    public var flight: FlightID?
    /// The priority in the queue. If several live requests share the flight, this is the highest of their priorities.
    public var priority: Priority
    /// The current phase of the request.
    public var phase: RequestPhase
    /// Whether the request was answered from the cache, without a call.
    public var isFromCache: Bool
    /// The error of a failed request. `nil` in other phases.
    public var error: AIServiceError?
    /// The reason why a pending request waits. `nil` in other phases.
    public var waiting: WaitReason?
    /// The process that holds the request. `nil` if the request is not queued in a process and not executing.
    public var holder: Holder?
    /// The number of attempts that were sent to the provider, including attempts before explicit retries.
    public var attempts: Int
    /// The date after which an answer is no longer useful, or `nil`.
    public var deadline: Date?
    /// The date of submission.
    public var createdAt: Date
    /// The date at which the request became final. `nil` if it is not final.
    public var finishedAt: Date?
    /// The request that this request replaces, if `regenerate` created this request. Otherwise `nil`.
    public var supersedes: UUID?
    /// Whether the response is pinned.
    public var isPinned: Bool
    /// Whether the response is kept because the app has not yet called ``AIRequestManager/merged(_:)`` for it.
    public var awaitsMerge: Bool
    /// The request's ``AIRequest/metadata``.
    public var metadata: [String: String]

    /// The request's ``AIRequest/tags``, by which the ledger sums costs.
    public var tags: [String]
    /// Whether the response is kept regardless of its age and the store's limits. This is the case if it is pinned,
    /// belongs to a job, or awaits its merge.
    public var isProtected: Bool { isPinned || awaitsMerge || job != nil }

    /// Creates a snapshot. Only stores need this initializer.
    public init(
        id: UUID, flight: FlightID? = nil, job: JobKey? = nil, position: Int? = nil, providerID: ProviderID,
        model: String? = nil,
        priority: Priority = .normal, phase: RequestPhase, error: AIServiceError? = nil, waiting: WaitReason? = nil,
        holder: Holder? = nil, attempts: Int, deadline: Date? = nil, createdAt: Date, finishedAt: Date? = nil,
        supersedes: UUID? = nil, isPinned: Bool = false, awaitsMerge: Bool = false,
        isFromCache: Bool = false, metadata: [String: String] = [:], tags: [String] = []
    ) {
        self.id = id
        self.flight = flight
        self.job = job
        self.position = position
        self.providerID = providerID
        self.model = model
        self.priority = priority
        self.phase = phase
        self.error = error
        self.waiting = waiting
        self.holder = holder
        self.attempts = attempts
        self.deadline = deadline
        self.createdAt = createdAt
        self.finishedAt = finishedAt
        self.supersedes = supersedes
        self.isPinned = isPinned
        self.awaitsMerge = awaitsMerge
        self.isFromCache = isFromCache
        self.metadata = metadata
        self.tags = tags
    }
}
