public import Foundation

/// The end of an attempt in the form in which it is written to the store, with everything that the same commit records.
public struct AttemptEnd: Sendable {
    /// The outcome of an attempt.
    public enum Outcome: Sendable {
        /// The provider answered. Large content is already in a content file.
        case completed(AIResponseData)
        /// The attempt failed, and the flight fails with it.
        case failed(AIServiceError)
        /// The attempt failed. Another attempt follows, not before a date.
        ///
        /// If the date is after the deadlines of all requests of the flight, the flight moves to the provider of the
        /// diversion. If there is no diversion, or if all deadlines have already passed, the flight fails.
        indirect case postponed(AIServiceError, until: Date, else: Diversion? = nil)
        /// The attempt failed, and the flight moves to another provider. The account belongs to the other provider.
        indirect case diverted(AIServiceError, to: FallbackTarget, account: AccountID)
        /// The outcome of the attempt is unknown. Another attempt follows only after an explicit retry.
        case held(AIServiceError)
        /// The attempt was stopped, or was not sent, because the time ran out. Requests whose deadline has passed fail.
        /// If the flight has other requests, the flight waits again.
        case expired
        /// The attempt was stopped because this process shuts down. The flight waits again.
        case interrupted
    }

    /// The provider to which a flight moves after another provider failed.
    public struct Diversion: Sendable, Hashable {
        /// The provider and its model.
        public var target: FallbackTarget
        /// The account whose limits apply to the calls of this provider.
        public var account: AccountID

        /// Creates a diversion.
        public init(to target: FallbackTarget, account: AccountID) {
            self.target = target
            self.account = account
        }
    }

    /// The outcome of an attempt if the store's resume handle differs from the expectation of the process. The store
    /// may have a handle although the process expects none. Or the store may have no handle although the process
    /// expects a handle.
    ///
    /// The reason: when the process records the end, its last write of a handle may be in progress or have an unknown
    /// outcome. Only the store knows whether the next attempt has a handle.
    public struct OutcomeIfHandleChanged: Sendable {
        /// Whether the store has a resume handle, contrary to the expectation of the process.
        public var hasHandle: Bool
        /// The outcome if the handle differs. Never an answer.
        public var outcome: Outcome

        /// Creates the outcome for a store that has a resume handle (`true`) or no resume handle (`false`), contrary to
        /// the expectation of the process.
        public init(hasHandle: Bool, _ outcome: Outcome) {
            self.hasHandle = hasHandle
            self.outcome = outcome
        }
    }

    /// The parts are in one heap object (`Box`), because an end is passed on many times on its way to the store.
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
        var outcomeIfHandleChanged: Box<OutcomeIfHandleChanged>?
        var startedAt: Date
        var endedAt: Date
        var remainingChunks: Box<ChunkGroup>?
        var kept: AIResponseData?
    }

    private var parts: Box<Parts>

    /// The flight.
    public var flight: FlightID {
        get { parts.value.flight }
        set { parts.value.flight = newValue }
    }
    /// The request that led the flight when the attempt was sent.
    public var request: UUID {
        get { parts.value.request }
        set { parts.value.request = newValue }
    }
    /// The provider.
    public var provider: ProviderID {
        get { parts.value.provider }
        set { parts.value.provider = newValue }
    }
    /// The flight's lifecycle during the attempt: executing.
    public var lifecycle: FlightLifecycle {
        get { parts.value.lifecycle }
        set { parts.value.lifecycle = newValue }
    }
    /// The outcome of the attempt.
    public var outcome: Outcome {
        get { parts.value.outcome }
        set { parts.value.outcome = newValue }
    }
    /// Whether the request streams. When a streaming request is completed, the store deletes the chunks of earlier
    /// generations. The chunks of this generation stay readable. Their bytes are read from the response.
    public var isStreaming: Bool {
        get { parts.value.isStreaming }
        set { parts.value.isStreaming = newValue }
    }
    /// Whether the attempt's answer enters the cache.
    public var entersCache: Bool {
        get { parts.value.entersCache }
        set { parts.value.entersCache = newValue }
    }
    /// The fingerprint of the work that the attempt did. `nil` if it is unknown.
    public var work: Fingerprint? {
        get { parts.value.work }
        set { parts.value.work = newValue }
    }
    /// Whether the provider may have billed the attempt.
    public var billing: BillingState {
        get { parts.value.billing }
        set { parts.value.billing = newValue }
    }
    /// The usage of an attempt without a usable answer. For a completed attempt, the store records the
    /// ``AIResponseData/usage`` of the answer instead.
    public var usage: Usage {
        get { parts.value.usage }
        set { parts.value.usage = newValue }
    }
    /// Whether a budget reserved the attempt's maximum cost when it was sent.
    public var isReserved: Bool {
        get { parts.value.isReserved }
        set { parts.value.isReserved = newValue }
    }
    /// Whether the store deletes the flight's resume handle when it records the end. It does so if the attempt had a
    /// handle but did not resume the work. Never `true` for an answer. Default `false`.
    public var forgetsHandle: Bool {
        get { parts.value.forgetsHandle }
        set { parts.value.forgetsHandle = newValue }
    }
    /// The outcome if the store's resume handle differs from what the process expects. Default `nil`: the outcome of
    /// every write of a handle is known.
    ///
    /// The store uses this outcome only if the attempt's lease is valid. The ``Settlement`` then has this outcome.
    public var outcomeIfHandleChanged: OutcomeIfHandleChanged? {
        get { parts.value.outcomeIfHandleChanged?.value }
        set { parts.value.outcomeIfHandleChanged = newValue.map { Box($0) } }
    }
    /// The date at which the attempt was sent.
    public var startedAt: Date {
        get { parts.value.startedAt }
        set { parts.value.startedAt = newValue }
    }
    /// The date at which the attempt ended.
    public var endedAt: Date {
        get { parts.value.endedAt }
        set { parts.value.endedAt = newValue }
    }

    /// The chunks that the store has not recorded yet when the attempt ends. They have the attempt's flight, token and
    /// generation.
    ///
    /// The store adds these chunks before it records the end, in the same way as ``StoreWrite/append(_:)``. If no newer
    /// attempt was sent, a late answer may complete the flight although ``StoreWrite/append(_:)`` would refuse its
    /// chunks. In this case the store adds the chunks, too, so that a completed stream has all its chunks.
    public var remainingChunks: ChunkGroup? {
        get { parts.value.remainingChunks?.value }
        set { parts.value.remainingChunks = newValue.map { Box($0) } }
    }

    /// The answer that arrived but cannot be used, if the attempt failed for this reason. Large content is already in a
    /// content file.
    ///
    /// The store keeps this answer in place of the flight's response, until the flight is completed or deleted, or
    /// until another unusable answer arrives. See ``StoreReading/keptAnswer(of:)``. Default `nil`.
    public var kept: AIResponseData? {
        get { parts.value.kept }
        set { parts.value.kept = newValue }
    }

    /// The answer that is stored with the end: the answer of a completed attempt, or an answer that is kept although it
    /// cannot be used.
    package var answer: AIResponseData? {
        get { if case .completed(let data) = outcome { data } else { kept } }
        set {
            if let newValue, outcome.isAnswer { outcome = .completed(newValue) } else { kept = newValue }
        }
    }

    var bringsContent: Bool { answer != nil || remainingChunks != nil }

    /// Creates an end.
    public init(
        flight: FlightID, request: UUID, provider: ProviderID, lifecycle: FlightLifecycle, outcome: Outcome,
        isStreaming: Bool = false, entersCache: Bool = false, work: Fingerprint? = nil, billing: BillingState,
        usage: Usage = Usage(),
        isReserved: Bool = false, remainingChunks: ChunkGroup? = nil,
        startedAt: Date, endedAt: Date
    ) {
        parts = Box(
            Parts(
                flight: flight, request: request, provider: provider, lifecycle: lifecycle, outcome: outcome,
                isStreaming: isStreaming, entersCache: entersCache, work: work, billing: billing, usage: usage,
                isReserved: isReserved, startedAt: startedAt, endedAt: endedAt,
                remainingChunks: remainingChunks.map { Box($0) }))
    }
}

extension AttemptEnd.Outcome {
    var isAnswer: Bool { if case .completed = self { true } else { false } }
}
