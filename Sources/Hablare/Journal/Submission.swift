public import Foundation

/// A request as it goes to the store.
public struct Submission: Sendable {
    /// A place in a job.
    public struct JobPlace: Sendable, Hashable {
        /// The job.
        public var key: JobKey
        /// The place, from 0.
        public var position: Int

        /// Creates a place.
        public init(key: JobKey, position: Int) {
            self.key = key
            self.position = position
        }
    }

    /// The request.
    public var request: AIRequest
    /// The provider it is for.
    public var provider: ProviderID
    /// Whose limits its calls use up. Default: an account of the provider's own.
    public var account: AccountID
    /// What makes two requests the same work.
    public var fingerprint: Fingerprint
    /// The job it belongs to.
    public var job: JobPlace?
    /// The request it replaces.
    public var supersedes: UUID?
    /// Where the prompt is kept when it is too large for the database.
    public var promptContent: ContentReference?
    /// When an answer in the cache must have been received to be the request's; `nil` where none is wanted.
    public var cacheWindow: ClosedRange<Date>?
    /// The trace it is submitted in, for its attempts to join; `nil` where nobody traces.
    public var trace: TraceContext?
    /// The flight as it is to be written: waiting, leased to the submitter, or executing its first attempt.
    public var flight: FlightLifecycle
    /// When it was submitted.
    public var createdAt: Date

    /// Creates a submission.
    public init(
        request: AIRequest, provider: ProviderID, account: AccountID? = nil, fingerprint: Fingerprint,
        job: JobPlace? = nil,
        supersedes: UUID? = nil, promptContent: ContentReference? = nil, cacheWindow: ClosedRange<Date>? = nil,
        trace: TraceContext? = nil, flight: FlightLifecycle = FlightLifecycle(), createdAt: Date
    ) {
        self.request = request
        self.provider = provider
        self.account = account ?? AccountID(rawValue: provider.rawValue)
        self.fingerprint = fingerprint
        self.job = job
        self.supersedes = supersedes
        self.promptContent = promptContent
        self.cacheWindow = cacheWindow
        self.trace = trace
        self.flight = flight
        self.createdAt = createdAt
    }
}

/// Where a submitted request is.
public struct SubmissionReceipt: Sendable, Hashable {
    /// The request that is on disk: the submitted one, or the one that was in its place of the job before.
    public var id: UUID
    /// Its flight.
    public var flight: FlightID
    /// Whether it was on disk before: then the submission's flight state was not written.
    public var wasPresent: Bool
    /// Whether it joined a flight that does the same work already: then, too, its flight state was not written.
    public var hasJoined: Bool
    /// Whether it found its answer in the cache, and is completed: then, too, its flight state was not written.
    public var isAnswered: Bool
    /// Whether an answer dropped out of the cache because its content file is gone.
    public var hasLostAnswer: Bool

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
