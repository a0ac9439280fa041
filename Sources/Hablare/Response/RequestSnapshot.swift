public import Foundation

/// What is known of a request at one moment, its content left aside.
public struct RequestSnapshot: Sendable, Hashable, Identifiable {
    /// Why a pending request is not with its provider yet. More reasons come with later versions: keep a `default`.
    public enum WaitReason: Sendable, Hashable {
        /// A process has it in its queue; so many of the same provider are before it, counted up to
        /// ``maximumAhead`` (`nil` in pages: not counted).
        case queued(ahead: Int?)
        /// Another request asked for the same before: its call is this one's, too, and has not been sent.
        case following(UUID)
        /// No running process has taken it yet; so many of the same provider are before it, counted likewise.
        case unclaimed(ahead: Int?)
        /// The process that looked has no provider of that id.
        case noProvider
        /// No running process has taken it, and the engine of the process that looked rests in the background.
        case suspended
        /// No running process has taken it, and the process that looked has no network, which its provider needs.
        case offline
        /// Its last attempt failed; the next one is not sent before the date.
        case backingOff(until: Date)
        /// The account's limit is used up, or the provider asked for a pause; nothing is sent to it before the date.
        case rateLimited(until: Date)
        /// The provider failed several times in a row, and is left alone until the date.
        case providerFailing(until: Date)
        /// Nobody knows whether its last attempt was carried out, and billed: it waits for somebody to retry, cancel or
        /// delete it.
        case held

        /// How many requests before one are counted; where that is the number, there may be more. 10,000.
        public static let maximumAhead = 10_000
    }

    /// The process that holds a request at the moment.
    public struct Holder: Sendable, Hashable {
        /// The machine's name.
        public let host: String
        /// The process id there.
        public let processID: Int32

        /// Creates a holder.
        public init(host: String, processID: Int32) {
            self.host = host
            self.processID = processID
        }
    }

    /// The request's UUID.
    public let id: UUID
    /// The job it belongs to.
    public var job: JobKey?
    /// Its place in the job, from 0.
    public var position: Int?
    /// The provider it is for.
    public var providerID: ProviderID
    /// The model it is for.
    public var model: String?
    /// The flight that does its work; requests that share it have the same.
    public var flight: FlightID?
    /// Its class in the queue. Of a flight with several members the most urgent live one's counts.
    public var priority: Priority
    /// Where it is in its life.
    public var phase: RequestPhase
    /// Whether it was answered from the cache, and nothing was sent for it.
    public var isFromCache: Bool
    /// Why it failed; `nil` unless it did.
    public var error: AIServiceError?
    /// Why it waits; `nil` unless pending.
    public var waiting: WaitReason?
    /// Who holds it; `nil` unless queued or executing.
    public var holder: Holder?
    /// How many attempts were sent to the provider, over all retries.
    public var attempts: Int
    /// When its answer is of no use any more.
    public var deadline: Date?
    /// When it was submitted.
    public var createdAt: Date
    /// When it became final; `nil` before.
    public var finishedAt: Date?
    /// The request that this one was made to replace, by `regenerate`.
    public var supersedes: UUID?
    /// Whether somebody pinned its response.
    public var isPinned: Bool
    /// Whether its response is kept because it has not been merged yet.
    public var awaitsMerge: Bool
    /// The caller's labels.
    public var metadata: [String: String]

    /// What the ledger adds its costs up by.
    public var tags: [String]
    /// Whether its response is kept whatever its age and the store's limits: it is pinned, of a job, or awaits its
    /// merge.
    public var isProtected: Bool { isPinned || awaitsMerge || job != nil }

    /// Creates a snapshot; stores do.
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
