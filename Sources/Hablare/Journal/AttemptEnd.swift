public import Foundation

/// The end of an attempt as it goes to the store, with everything that is recorded in the same commit.
public struct AttemptEnd: Sendable {
    /// What came of an attempt.
    public enum Outcome: Sendable {
        /// An answer, its content already in a content file if it is large.
        case completed(AIResponseData)
        /// A failure.
        case failed(AIServiceError)
        /// A failure after which another attempt follows, not before a date.
        case postponed(AIServiceError, until: Date)
        /// A failure after which another provider is asked; whose limits that one uses up.
        case diverted(AIServiceError, to: FallbackHop, account: AccountID)
        /// Nobody knows how it ended, and no other attempt follows without somebody's word.
        case held(AIServiceError)
        /// It was not sent, or was stopped, because time ran out: the members whose deadline has come fail, and the
        /// flight waits again for the others, if there are any.
        case expired
        /// It was stopped because this process shuts down; the flight waits again.
        case interrupted
    }

    /// The flight.
    public var flight: FlightID
    /// The member that led it when it was sent.
    public var request: UUID
    /// The provider.
    public var provider: ProviderID
    /// The flight as the attempt had it, executing.
    public var lifecycle: FlightLifecycle
    /// What came of it.
    public var outcome: Outcome
    /// Whether the request streams: the chunks of its earlier generations go when it is completed, and those of this
    /// one stay readable, their bytes being the response's.
    public var isStreaming: Bool
    /// Whether its answer enters the cache.
    public var entersCache: Bool
    /// What it answers, where that is known.
    public var work: Fingerprint?
    /// Whether the provider may have been paid.
    public var billing: BillingState
    /// What it used, answer or not. Of an answer that is recorded, ``AIResponseData/usage``.
    public var usage: Usage
    /// Whether something was reserved for it in a budget when it was sent.
    public var isReserved: Bool
    /// When it was sent.
    public var startedAt: Date
    /// When it ended.
    public var endedAt: Date

    /// Creates an end.
    public init(
        flight: FlightID, request: UUID, provider: ProviderID, lifecycle: FlightLifecycle, outcome: Outcome,
        isStreaming: Bool = false, entersCache: Bool = false, work: Fingerprint? = nil, billing: BillingState,
        usage: Usage = Usage(),
        isReserved: Bool = false,
        startedAt: Date, endedAt: Date
    ) {
        self.flight = flight
        self.request = request
        self.provider = provider
        self.lifecycle = lifecycle
        self.outcome = outcome
        self.isStreaming = isStreaming
        self.entersCache = entersCache
        self.work = work
        self.billing = billing
        self.usage = usage
        self.isReserved = isReserved
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}

extension AttemptEnd.Outcome {
    /// Whether it ends the requests of its flight, whatever their deadlines.
    var isFinal: Bool {
        switch self {
        case .completed, .failed: true
        case .postponed, .diverted, .held, .expired, .interrupted: false
        }
    }

    /// Whether it depends on a member's deadline what comes of it.
    package var isByMember: Bool {
        switch self {
        case .postponed, .expired: true
        case .completed, .failed, .diverted, .held, .interrupted: false
        }
    }
}
