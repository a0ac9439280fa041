public import Foundation

/// The end of an attempt as it goes to the store, with everything that is recorded in the same commit.
public struct AttemptEnd: Sendable {
    /// What came of an attempt.
    public enum Outcome: Sendable {
        /// An answer, its content already in a content file if it is large.
        case completed(AIResponseData)
        /// A failure.
        case failed(AIServiceError)
        /// A failure after which another attempt follows, not before a date. Where that is too late for every request
        /// of the flight, and there is another provider to ask, and somebody has time left, that one is asked instead.
        indirect case postponed(AIServiceError, until: Date, else: Diversion? = nil)
        /// A failure after which another provider is asked; whose limits that one uses up.
        indirect case diverted(AIServiceError, to: FallbackHop, account: AccountID)
        /// Nobody knows how it ended, and no other attempt follows without somebody's word.
        case held(AIServiceError)
        /// It was not sent, or was stopped, because time ran out: the members whose deadline has come fail, and the
        /// flight waits again for the others, if there are any.
        case expired
        /// It was stopped because this process shuts down; the flight waits again.
        case interrupted
    }

    /// Another provider that is to be asked.
    public struct Diversion: Sendable, Hashable {
        /// The provider and its model.
        public var hop: FallbackHop
        /// Whose limits it uses up.
        public var account: AccountID

        /// Creates a diversion.
        public init(to hop: FallbackHop, account: AccountID) {
            self.hop = hop
            self.account = account
        }
    }

    /// What comes of an attempt where the store, when it takes the end, has something else to go on with than the process
    /// believed: what it remembered last, or forgot, may still have been on its way then.
    public struct Otherwise: Sendable {
        /// Whether there is a handle then.
        public var hasHandle: Bool
        /// What comes of it then. No answer.
        public var outcome: Outcome

        /// Creates what comes of an attempt where there is a handle, or where there is none.
        public init(hasHandle: Bool, _ outcome: Outcome) {
            self.hasHandle = hasHandle
            self.outcome = outcome
        }
    }

    /// In an object of their own: an end is passed on many times on its way to the store.
    private struct Parts: Sendable {
        var flight: FlightID
        var request: UUID
        var provider: ProviderID
        var lifecycle: FlightLifecycle
        var outcome: Outcome
        var isStreaming: Bool
        var entersCache: Bool
        var work: Fingerprint?
        var billing: BillingState
        var usage: Usage
        var isReserved: Bool
        var forgetsHandle = false
        var otherwise: Boxed<Otherwise>?
        var startedAt: Date
        var endedAt: Date
        var rest: Boxed<ChunkGroup>?
    }

    private var parts: Boxed<Parts>

    /// The flight.
    public var flight: FlightID {
        get { parts.value.flight }
        set { parts.value.flight = newValue }
    }
    /// The member that led it when it was sent.
    public var request: UUID {
        get { parts.value.request }
        set { parts.value.request = newValue }
    }
    /// The provider.
    public var provider: ProviderID {
        get { parts.value.provider }
        set { parts.value.provider = newValue }
    }
    /// The flight as the attempt had it, executing.
    public var lifecycle: FlightLifecycle {
        get { parts.value.lifecycle }
        set { parts.value.lifecycle = newValue }
    }
    /// What came of it.
    public var outcome: Outcome {
        get { parts.value.outcome }
        set { parts.value.outcome = newValue }
    }
    /// Whether the request streams: the chunks of its earlier generations go when it is completed, and those of this
    /// one stay readable, their bytes being the response's.
    public var isStreaming: Bool {
        get { parts.value.isStreaming }
        set { parts.value.isStreaming = newValue }
    }
    /// Whether its answer enters the cache.
    public var entersCache: Bool {
        get { parts.value.entersCache }
        set { parts.value.entersCache = newValue }
    }
    /// What it answers, where that is known.
    public var work: Fingerprint? {
        get { parts.value.work }
        set { parts.value.work = newValue }
    }
    /// Whether the provider may have been paid.
    public var billing: BillingState {
        get { parts.value.billing }
        set { parts.value.billing = newValue }
    }
    /// What it used, answer or not. Of an answer that is recorded, ``AIResponseData/usage``.
    public var usage: Usage {
        get { parts.value.usage }
        set { parts.value.usage = newValue }
    }
    /// Whether something was reserved for it in a budget when it was sent.
    public var isReserved: Bool {
        get { parts.value.isReserved }
        set { parts.value.isReserved = newValue }
    }
    /// Whether what was remembered for the next attempt is forgotten with it, because this one did not go on with it as
    /// it should have. Default false. Never of an answer.
    public var forgetsHandle: Bool {
        get { parts.value.forgetsHandle }
        set { parts.value.forgetsHandle = newValue }
    }
    /// What comes of it where the store knows better whether there is something to go on with. Default `nil`: nothing is on
    /// its way there. Taken only of an attempt whose lease stands; the
    /// outcome of the ``Settlement`` says then that it was.
    public var otherwise: Otherwise? {
        get { parts.value.otherwise?.value }
        set { parts.value.otherwise = newValue.map { Boxed($0) } }
    }
    /// When it was sent.
    public var startedAt: Date {
        get { parts.value.startedAt }
        set { parts.value.startedAt = newValue }
    }
    /// When it ended.
    public var endedAt: Date {
        get { parts.value.endedAt }
        set { parts.value.endedAt = newValue }
    }

    /// The chunks that the store did not take while the attempt was made. They are added before the end is decided, as
    /// by ``StoreWrite/append(_:)``; where that refuses them and the end completes the flight all the same, because it
    /// is late and nobody was asked meanwhile, they are added too, so that a completed stream has all its chunks. Of the
    /// attempt's flight, token and generation.
    public var rest: ChunkGroup? {
        get { parts.value.rest?.value }
        set { parts.value.rest = newValue.map { Boxed($0) } }
    }

    var bringsContent: Bool { outcome.isAnswer || rest != nil }

    /// Creates an end.
    public init(
        flight: FlightID, request: UUID, provider: ProviderID, lifecycle: FlightLifecycle, outcome: Outcome,
        isStreaming: Bool = false, entersCache: Bool = false, work: Fingerprint? = nil, billing: BillingState,
        usage: Usage = Usage(),
        isReserved: Bool = false, rest: ChunkGroup? = nil,
        startedAt: Date, endedAt: Date
    ) {
        parts = Boxed(
            Parts(
                flight: flight, request: request, provider: provider, lifecycle: lifecycle, outcome: outcome,
                isStreaming: isStreaming, entersCache: entersCache, work: work, billing: billing, usage: usage,
                isReserved: isReserved, startedAt: startedAt, endedAt: endedAt,
                rest: rest.map { Boxed($0) }))
    }
}

extension AttemptEnd.Outcome {
    var isAnswer: Bool { if case .completed = self { true } else { false } }
}
