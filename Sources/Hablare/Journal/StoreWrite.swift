public import Foundation

/// The one thing that can be written to a store. Each write has one ``WriteReceipt``.
public enum StoreWrite: Sendable {
    /// A process begins to work on the store. Receipt: ``WriteReceipt/owner(_:)``.
    case registerOwner(OwnerRegistration)
    /// A process still lives.
    case renewOwner(OwnerID, until: Date)
    /// A process is gone: its leases are broken, lost attempts recorded, its registration removed.
    /// Receipt: ``WriteReceipt/broken(flights:)``.
    case retireOwner(OwnerID, at: Date)
    /// A request comes in, with its flight. Receipt: ``WriteReceipt/submitted(_:)`` or ``WriteReceipt/rejected(_:)``.
    case submit(Submission)
    /// The holder moves a flight: starts an attempt, or gives back an unsent lease.
    case advance(FlightID, FlightTransition, at: Date)
    /// An attempt ended.
    case settle(AttemptEnd)
    /// Somebody cancels a request. Receipt: ``WriteReceipt/cancelled(flight:)`` or a refusal.
    case cancel(UUID, at: Date)
    /// Somebody wants a failed or cancelled request tried again.
    case retry(UUID, at: Date)
    /// The response's bytes are given up; that there was one stays.
    case evict(UUID)
    /// The request, its prompt and its content are erased; its attempts stay in the ledger.
    /// Receipt: ``WriteReceipt/cancelled(flight:)`` when it was live, else ``WriteReceipt/done``.
    case delete(UUID, at: Date)
}

/// What came of a ``StoreWrite``, once it is durable.
public enum WriteReceipt: Sendable, Hashable {
    /// Written.
    case done
    /// The process is registered under this id.
    case owner(OwnerID)
    /// So many flights wait again.
    case broken(flights: Int)
    /// The request is on disk.
    case submitted(SubmissionReceipt)
    /// The request was live and is not any more; its flight, which ended with it.
    case cancelled(flight: FlightID)
    /// The row was refused; the others of the commit were not.
    case rejected(AIServiceError)
    /// The flight is not what the writer believed. For the end of an attempt: it is in the ledger, discarded.
    case refused(FlightLifecycle.Refusal)
    /// The request is in this state, which does not allow the write.
    case invalidState(RequestLifecycle.State)
    /// No request has that UUID.
    case unknownRequest
    /// A content file that the write refers to was collected meanwhile: store the content and write again.
    case contentMissing(ContentReference)
}

/// A process that begins to work on a store.
public struct OwnerRegistration: Sendable, Hashable {
    /// The machine's name, for people and for ``OwnerLiveness``.
    public var host: String
    /// The process id there.
    public var processID: Int32
    /// The process's lock, as ``OwnerLiveness`` knows it.
    public var lockName: String
    /// When its leases run out unless renewed.
    public var expiresAt: Date

    /// Creates a registration.
    public init(host: String, processID: Int32, lockName: String, expiresAt: Date) {
        self.host = host
        self.processID = processID
        self.lockName = lockName
        self.expiresAt = expiresAt
    }
}

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
    /// What makes two requests the same work.
    public var fingerprint: Fingerprint
    /// The job it belongs to.
    public var job: JobPlace?
    /// The request it replaces.
    public var supersedes: UUID?
    /// Where the prompt is kept when it is too large for the database.
    public var promptContent: ContentReference?
    /// The flight as it is to be written: waiting, leased to the submitter, or executing its first attempt.
    public var flight: FlightLifecycle
    /// When it was submitted.
    public var createdAt: Date

    /// Creates a submission.
    public init(
        request: AIRequest, provider: ProviderID, fingerprint: Fingerprint, job: JobPlace? = nil,
        supersedes: UUID? = nil, promptContent: ContentReference? = nil, flight: FlightLifecycle = FlightLifecycle(),
        createdAt: Date
    ) {
        self.request = request
        self.provider = provider
        self.fingerprint = fingerprint
        self.job = job
        self.supersedes = supersedes
        self.promptContent = promptContent
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

    /// Creates a receipt.
    public init(id: UUID, flight: FlightID, wasPresent: Bool) {
        self.id = id
        self.flight = flight
        self.wasPresent = wasPresent
    }
}

/// The end of an attempt as it goes to the store, with everything that is recorded in the same commit.
public struct AttemptEnd: Sendable {
    /// What came of an attempt.
    public enum Outcome: Sendable {
        /// An answer, its content already in a content file if it is large.
        case completed(AIResponseData)
        /// A failure.
        case failed(AIServiceError)
        /// It was stopped because this process shuts down; the flight waits again.
        case interrupted
    }

    /// The flight.
    public var flight: FlightID
    /// Its one member.
    public var request: UUID
    /// The provider.
    public var provider: ProviderID
    /// The flight as the attempt had it, executing.
    public var lifecycle: FlightLifecycle
    /// What came of it.
    public var outcome: Outcome
    /// Whether the provider may have been paid.
    public var billing: BillingState
    /// When it was sent.
    public var startedAt: Date
    /// When it ended.
    public var endedAt: Date

    /// Creates an end.
    public init(
        flight: FlightID, request: UUID, provider: ProviderID, lifecycle: FlightLifecycle, outcome: Outcome,
        billing: BillingState, startedAt: Date, endedAt: Date
    ) {
        self.flight = flight
        self.request = request
        self.provider = provider
        self.lifecycle = lifecycle
        self.outcome = outcome
        self.billing = billing
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}

/// Whether a provider may have billed an attempt.
public enum BillingState: Int, Sendable, Hashable, CaseIterable, Codable {
    /// It was never sent.
    case neverSent = 0
    /// Nobody knows.
    case maybeBilled = 1
    /// It was done.
    case billed = 2
    /// It was done, and its answer came too late to be used.
    case billedDiscarded = 3
}
