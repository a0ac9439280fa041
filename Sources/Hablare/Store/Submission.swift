public import Foundation

/// A request, as it is written to the store.
public struct Submission: Sendable {
    /// A position in a job.
    public struct JobPosition: Sendable, Hashable, Codable {
        /// The job.
        public var key: JobKey
        /// The position in the job, from 0.
        public var position: Int

        /// Creates a position.
        public init(key: JobKey, position: Int) {
            self.key = key
            self.position = position
        }
    }

    /// The parts are in one heap object (`Box`), because a submission is copied many times on its way to the store.
    private struct Parts: Sendable {
        var request: AIRequest
        var provider: ProviderID
        var account: AccountID
        var fingerprint: Fingerprint
        var job: JobPosition?
        var supersedes: UUID?
        var promptContent: ContentReference?
        var cacheWindow: ClosedRange<Date>?
        var trace: TraceContext?
        var flight: FlightLifecycle
        var createdAt: Date
        var cost = 0.0
        var isBudgeted = false
        var placement = EngineCore.Placement.leave
    }

    private var parts: Box<Parts>

    /// The request.
    public var request: AIRequest {
        get { parts.value.request }
        set { parts.value.request = newValue }
    }
    /// The provider that the request is for.
    public var provider: ProviderID {
        get { parts.value.provider }
        set { parts.value.provider = newValue }
    }
    /// The account whose limits apply to the request's calls. Default: the account of the provider.
    public var account: AccountID {
        get { parts.value.account }
        set { parts.value.account = newValue }
    }
    /// The fingerprint of the request's work. Requests with equal fingerprints ask for the same work.
    public var fingerprint: Fingerprint {
        get { parts.value.fingerprint }
        set { parts.value.fingerprint = newValue }
    }
    /// The request's position in a job. `nil` if the request belongs to no job.
    public var job: JobPosition? {
        get { parts.value.job }
        set { parts.value.job = newValue }
    }
    /// The request that this request replaces. `nil` if it replaces no request.
    public var supersedes: UUID? {
        get { parts.value.supersedes }
        set { parts.value.supersedes = newValue }
    }
    /// A reference to the content file of the request's prompt, if the prompt is too large for the database.
    public var promptContent: ContentReference? {
        get { parts.value.promptContent }
        set { parts.value.promptContent = newValue }
    }
    /// The dates between which a cached answer must have been received. `nil` if the request accepts no cached answer.
    public var cacheWindow: ClosedRange<Date>? {
        get { parts.value.cacheWindow }
        set { parts.value.cacheWindow = newValue }
    }
    /// The context of the submission's trace. The request's attempts join this trace. `nil` if the submission is not
    /// traced.
    public var trace: TraceContext? {
        get { parts.value.trace }
        set { parts.value.trace = newValue }
    }
    /// The state in which the request's flight is written: waiting, leased to this process, or executing its first
    /// attempt.
    public var flight: FlightLifecycle {
        get { parts.value.flight }
        set { parts.value.flight = newValue }
    }
    /// The date of the submission.
    public var createdAt: Date {
        get { parts.value.createdAt }
        set { parts.value.createdAt = newValue }
    }

    /// The estimated cost of the request's call, in units of the account's rate limit. This value is not stored.
    package var cost: Double {
        get { parts.value.cost }
        set { parts.value.cost = newValue }
    }
    /// Whether a budget may apply to the request's call. If so, the start of the call must reserve an amount. This
    /// value is not stored.
    package var isBudgeted: Bool {
        get { parts.value.isBudgeted }
        set { parts.value.isBudgeted = newValue }
    }
    /// The slot that the engine reserves for the request while the submission is written. This value is not stored.
    package var placement: EngineCore.Placement {
        get { parts.value.placement }
        set { parts.value.placement = newValue }
    }

    /// Creates a submission.
    public init(
        request: AIRequest, provider: ProviderID, account: AccountID? = nil, fingerprint: Fingerprint,
        job: JobPosition? = nil,
        supersedes: UUID? = nil, promptContent: ContentReference? = nil, cacheWindow: ClosedRange<Date>? = nil,
        trace: TraceContext? = nil, flight: FlightLifecycle = FlightLifecycle(), createdAt: Date
    ) {
        parts = Box(
            Parts(
                request: request, provider: provider, account: account ?? AccountID(rawValue: provider.rawValue),
                fingerprint: fingerprint, job: job, supersedes: supersedes, promptContent: promptContent,
                cacheWindow: cacheWindow, trace: trace, flight: flight, createdAt: createdAt))
    }
}

/// The receipt of a submitted request.
public struct SubmissionReceipt: Sendable, Hashable {
    /// The id of the request in the store. It is the id of the submitted request, or of the request that already had
    /// the same position in the job.
    public var id: UUID
    /// The request's flight.
    public var flight: FlightID
    /// Whether the store already contained the request. If so, no flight was written for this submission.
    public var wasPresent: Bool
    /// Whether the request joined the flight of an earlier request for the same work. If so, no flight was written for
    /// this submission.
    public var hasJoined: Bool
    /// Whether the cache answered the request. If so, the request is completed, and no flight was written for this
    /// submission.
    public var isAnswered: Bool
    /// Whether an answer was removed from the cache because its content file is missing.
    public var hasLostAnswer: Bool

    package var isNewFlight: Bool { !wasPresent && !hasJoined && !isAnswered }

    /// Creates a receipt.
    public init(
        id: UUID, flight: FlightID, wasPresent: Bool, hasJoined: Bool = false, isAnswered: Bool = false,
        hasLostAnswer: Bool = false
    ) {
        self.id = id
        self.flight = flight
        self.wasPresent = wasPresent
        self.hasJoined = hasJoined
        self.isAnswered = isAnswered
        self.hasLostAnswer = hasLostAnswer
    }
}
