public import Foundation

/// The end of an attempt, with everything that is written to the store in the same commit.
public struct AttemptEnd: Sendable {
    /// The outcome of an attempt.
    public enum Outcome: Sendable {
        /// The provider answered. Large content is already in a content file.
        case completed(AIResponseData)
        /// The attempt failed, and the flight fails with it.
        case failed(AIServiceError)
        /// The attempt failed. Another attempt follows on the date or later.
        ///
        /// If the date is after the deadlines of all requests of the flight, the flight moves to the provider of the
        /// diversion instead. If there is no diversion, or if all deadlines have already passed, the flight fails.
        indirect case postponed(AIServiceError, until: Date, else: Diversion? = nil)
        /// The attempt failed, and the flight moves to another provider. The account is the account of the other
        /// provider.
        indirect case diverted(AIServiceError, to: FallbackTarget, account: AccountID)
        /// The outcome of the attempt is unknown. Another attempt follows only after an explicit retry.
        case held(AIServiceError)
        /// The deadline passed before the attempt ended or was sent. Requests whose deadline has passed fail. If other
        /// requests of the flight still have time, the flight waits again.
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

    /// The outcome of an attempt that applies only if the process was wrong about the resume handle. For example, the
    /// process expected no handle, but the store has one, or the reverse.
    ///
    /// The process can be wrong because its last write of a handle may still be in progress or have an unknown outcome
    /// when it records the end. Only the store knows then whether the next attempt has a handle.
    public struct OutcomeIfHandleChanged: Sendable {
        /// Whether the store has a resume handle. The process expected the opposite.
        public var hasHandle: Bool
        /// The outcome in this case. It is never an answer.
        public var outcome: Outcome

        /// Creates the outcome for the case that the store has a resume handle (`true`) or has none (`false`), contrary
        /// to the expectation of the process.
        public init(hasHandle: Bool, _ outcome: Outcome) {
            self.hasHandle = hasHandle
            self.outcome = outcome
        }
    }

    /// The parts are in one heap object (`Box`), because an end is copied many times on its way to the store.
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
    /// The first live request of the flight when the attempt was sent.
    public var request: UUID {
        get { parts.value.request }
        set { parts.value.request = newValue }
    }
    /// The provider.
    public var provider: ProviderID {
        get { parts.value.provider }
        set { parts.value.provider = newValue }
    }
    /// The lifecycle of the flight during the attempt. Its state is executing.
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
    /// generations. The chunks of the last generation stay readable. Readers then receive their bytes from the
    /// response.
    public var isStreaming: Bool {
        get { parts.value.isStreaming }
        set { parts.value.isStreaming = newValue }
    }
    /// Whether the attempt's answer is put into the cache.
    public var entersCache: Bool {
        get { parts.value.entersCache }
        set { parts.value.entersCache = newValue }
    }
    /// The fingerprint of the work that the attempt did, or `nil` if it is unknown.
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
    /// Whether the store deletes the flight's resume handle when it records the end. The store does so if the attempt
    /// received a handle but did not resume the work. The value is never `true` for an answer. Default `false`.
    public var forgetsHandle: Bool {
        get { parts.value.forgetsHandle }
        set { parts.value.forgetsHandle = newValue }
    }
    /// The outcome if the process was wrong about the store's resume handle. Default `nil`: the process knows the
    /// outcome of each of its writes of a handle.
    ///
    /// The store uses this outcome only if the lease of the attempt is still valid. The ``Settlement`` then has this
    /// outcome.
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

    /// The chunks that have not been written when the attempt ends. They have the attempt's flight, token and
    /// generation.
    ///
    /// The store adds these chunks before it records the end, like the chunks of ``StoreWrite/append(_:)``. There is
    /// one difference: if a late answer completes the flight, the store adds the chunks although
    /// ``StoreWrite/append(_:)`` would refuse them. A completed stream therefore has all its chunks.
    public var remainingChunks: ChunkGroup? {
        get { parts.value.remainingChunks?.value }
        set { parts.value.remainingChunks = newValue.map { Box($0) } }
    }

    /// The answer that arrived but cannot be used, if the attempt failed for this reason. Large content is already in a
    /// content file.
    ///
    /// The store keeps this answer in the place of the flight's response. It is kept until the flight is completed or
    /// deleted, or until another unusable answer replaces it. See ``StoreReading/keptAnswer(of:)``. Default `nil`.
    public var kept: AIResponseData? {
        get { parts.value.kept }
        set { parts.value.kept = newValue }
    }

    /// The answer that is stored with the end: the answer of a completed attempt, or an unusable answer.
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
