public import Foundation

/// One slow thing an app wants done: a prompt for a provider, under a UUID that names it for ever.
///
/// A request is an immutable-in-spirit value: once submitted, the engine keeps the copy it was given. Submitting
/// the same `id` with the same content again is harmless and answers with the request that is there; with other
/// content it is refused as ``AIServiceError/Code/conflict``.
public struct AIRequest: Sendable, Hashable, Codable, Identifiable {
    /// In an object of their own: a request is passed on many times between its submission and its end.
    private struct Parts: Sendable, Hashable, Codable {
        var id: UUID
        var prompt: Prompt
        var model: String?
        var parameters: [String: ParameterValue]
        var sample: Int
        var tenant: String
        var priority: Priority
        var attemptTimeout: Duration?
        var deadline: Date?
        var maximumAttempts: Int?
        var unknownOutcome: UnknownOutcomePolicy
        var streaming: StreamingPolicy?
        var caching: CachePolicy
        var keepUntilMerged: Bool
        var metadata: [String: String]
        var tags: [String]
        var fallback: [FallbackHop]
    }

    private var parts: Boxed<Parts>

    /// Names the request from submission to deletion. Time-ordered (UUID version 7) unless the caller chose one.
    public private(set) var id: UUID {
        get { parts.value.id }
        set { parts.value.id = newValue }
    }
    /// The prompt. `submit` refuses one that is empty or has only white space, with the error code
    /// ``AIServiceError/Code/invalidRequest``: a service would bill it.
    public var prompt: Prompt {
        get { parts.value.prompt }
        set { parts.value.prompt = newValue }
    }
    /// The provider's model, or `nil` for the provider's default.
    public var model: String? {
        get { parts.value.model }
        set { parts.value.model = newValue }
    }
    /// Settings of the call (voice, temperature …). Numbers must be finite and nesting at most 64 deep;
    /// `submit` refuses others with ``AIServiceError/Code/invalidRequest``.
    public var parameters: [String: ParameterValue] {
        get { parts.value.parameters }
        set { parts.value.parameters = newValue }
    }
    /// Tells apart several answers wanted for one and the same prompt, from 0; `submit` refuses a negative number with
    /// ``AIServiceError/Code/invalidRequest``. Default 0.
    public var sample: Int {
        get { parts.value.sample }
        set { parts.value.sample = newValue }
    }
    /// Whose answers may be shared: requests of different tenants never share a call or a cached response.
    /// Default: the empty string, one tenant.
    public var tenant: String {
        get { parts.value.tenant }
        set { parts.value.tenant = newValue }
    }
    /// Which class of the provider's queue the request waits in. Default ``Priority/normal``.
    public var priority: Priority {
        get { parts.value.priority }
        set { parts.value.priority = newValue }
    }
    /// How long one attempt may take before it is ended as ``AIServiceError/Code/timeout``; of a streaming one, how
    /// long it may be silent.
    /// `nil` takes the provider's default, and that failing the engine's (30 s).
    public var attemptTimeout: Duration? {
        get { parts.value.attemptTimeout }
        set { parts.value.attemptTimeout = newValue }
    }
    /// When an answer is of no use any more. From then on the request is sent to no provider, and fails with
    /// ``AIServiceError/Code/deadlineExceeded``; an attempt under way is stopped. Kept to the microsecond.
    /// Default `nil`: never.
    public var deadline: Date? {
        get { parts.value.deadline }
        set { parts.value.deadline = newValue }
    }
    /// How many attempts may be sent, at least 1, before a failure is final. Explicit retries count anew; attempts
    /// that the death of their process interrupted do not count. `nil`, the default, takes the engine's
    /// ``RetryPolicy/maximumAttempts``.
    public var maximumAttempts: Int? {
        get { parts.value.maximumAttempts }
        set { parts.value.maximumAttempts = newValue }
    }
    /// What to do when nobody knows whether an attempt was carried out, and billed: its process died, the connection was
    /// lost, or it took too long. Default ``UnknownOutcomePolicy/runAgain``.
    public var unknownOutcome: UnknownOutcomePolicy {
        get { parts.value.unknownOutcome }
        set { parts.value.unknownOutcome = newValue }
    }
    /// How the answer streams to its readers while it is made. Default `nil`: it does not; readers get it whole.
    public var streaming: StreamingPolicy? {
        get { parts.value.streaming }
        set { parts.value.streaming = newValue }
    }
    /// Whether an answer that is there already is good enough, and whether this one's is kept for others. Default
    /// ``CachePolicy/use``: of two equal requests within an hour, only the first is paid for.
    public var caching: CachePolicy {
        get { parts.value.caching }
        set { parts.value.caching = newValue }
    }
    /// Whether the response is kept, whatever its age and the store's limits, until
    /// ``AIRequestManager/merged(_:)`` says that it was merged into the app's own data. Default `false`.
    public var keepUntilMerged: Bool {
        get { parts.value.keepUntilMerged }
        set { parts.value.keepUntilMerged = newValue }
    }
    /// The caller's own labels. Stored, returned, never sent to a provider, not part of the fingerprint.
    public var metadata: [String: String] {
        get { parts.value.metadata }
        set { parts.value.metadata = newValue }
    }

    /// What the ledger adds costs up by, beside provider, model, job and day: a customer, a feature, a book. At most
    /// ``maximumTags``, each of 1 to ``maximumTagLength`` bytes; `submit` refuses others with
    /// ``AIServiceError/Code/invalidRequest``, and keeps one of two that are equal. Never sent to a provider, not part
    /// of the fingerprint. They stay in the ledger when the request is deleted, so never anything secret.
    public var tags: [String] {
        get { parts.value.tags }
        set { parts.value.tags = newValue }
    }

    /// The providers to ask, one after another, when the provider before has failed for good: its retries are used up, it
    /// has no money or key, its answer is invalid, or it asks for a pause that ends after the deadline. Never used after an
    /// invalid request, a cancellation, or past the deadline. A request whose ``unknownOutcome`` is
    /// ``UnknownOutcomePolicy/hold`` is held after an unknown outcome instead: another provider might be paid for the same
    /// work. All must be registered and answer with the same kind of content; each is tried as often as the request may
    /// be. An explicit retry continues with the provider that was asked last. Default: none.
    public var fallback: [FallbackHop] {
        get { parts.value.fallback }
        set { parts.value.fallback = newValue }
    }

    /// Decodes a request.
    public init(from decoder: any Decoder) throws {
        parts = Boxed(try Parts(from: decoder))
    }

    /// Encodes the request, its properties by their names.
    public func encode(to encoder: any Encoder) throws {
        try parts.value.encode(to: encoder)
    }

    /// How many tags a request may have: 32.
    public static let maximumTags = 32
    /// How many bytes of UTF-8 a tag may have: 128.
    public static let maximumTagLength = 128

    /// Creates a request.
    public init(
        id: UUID = .timeOrdered(),
        prompt: Prompt,
        model: String? = nil,
        parameters: [String: ParameterValue] = [:],
        sample: Int = 0,
        tenant: String = "",
        priority: Priority = .normal,
        attemptTimeout: Duration? = nil,
        deadline: Date? = nil,
        maximumAttempts: Int? = nil,
        unknownOutcome: UnknownOutcomePolicy = .runAgain,
        streaming: StreamingPolicy? = nil,
        caching: CachePolicy = .use,
        keepUntilMerged: Bool = false,
        metadata: [String: String] = [:],
        tags: [String] = [],
        fallback: [FallbackHop] = []
    ) {
        parts = Boxed(
            Parts(
                id: id, prompt: prompt, model: model, parameters: parameters, sample: sample, tenant: tenant,
                priority: priority, attemptTimeout: attemptTimeout, deadline: deadline,
                maximumAttempts: maximumAttempts, unknownOutcome: unknownOutcome, streaming: streaming,
                caching: caching, keepUntilMerged: keepUntilMerged, metadata: metadata, tags: tags, fallback: fallback))
    }
}

extension AIRequest {
    package func named(_ id: UUID) -> AIRequest {
        var request = self
        request.id = id
        return request
    }
}

extension AIRequest {
    func withCheckedTags() throws(AIServiceError) -> AIRequest {
        guard !tags.isEmpty else { return self }
        guard tags.allSatisfy({ (1...Self.maximumTagLength).contains($0.utf8.count) }) else {
            throw AIServiceError(
                .invalidRequest, "A tag has between 1 and \(Self.maximumTagLength) bytes. Shorten it, or leave it out.")
        }
        var request = self
        var seen: Set<String> = []
        request.tags = tags.filter { seen.insert($0).inserted }
        guard request.tags.count <= Self.maximumTags else {
            throw AIServiceError(
                .invalidRequest,
                "The request has \(request.tags.count) tags; it may have \(Self.maximumTags). Keep what costs are to be added up by in tags, and the rest in `metadata`."
            )
        }
        return request
    }
}

/// What to do with a request when nobody knows whether its attempt was carried out, and billed.
///
/// No provider offers exactly-once billing: after a crash, a lost connection or an attempt that took too long the choice
/// is between perhaps paying twice and asking a person. The ledger says ``BillingState/maybeBilled`` of the attempt either way.
public enum UnknownOutcomePolicy: Int, Sendable, Hashable, Codable, CaseIterable {
    /// Try again: it is worth more than what a second call costs.
    case runAgain = 0
    /// Hold the request until somebody retries, cancels or deletes it. Not where the provider remembered the work
    /// (``ProviderCall/remember(_:)``): then the next attempt goes on with it, and nothing can be paid twice. It is
    /// held once the provider has found that it cannot go on, and says so with ``AIServiceError/workLost``, and where
    /// the attempts to go on are used up or another provider of the request's chain would begin anew: somebody's retry
    /// goes on with the work then.
    case hold = 1
}

/// How the chunks of a request's answer reach its readers, see ``AIRequestManager/stream(for:from:)``.
///
/// Not part of the fingerprint: how an answer is handed over does not change what is asked.
public struct StreamingPolicy: Sendable, Hashable, Codable {
    /// When readers see a chunk.
    public enum Durability: Int, Sendable, Hashable, Codable, CaseIterable {
        /// Once it is on disk: what a reader saw is still there after a crash.
        case durable = 0
        /// At once. It goes to the disk up to a second later, so a crash may take back what a reader of the dead
        /// process saw. Where a process lives and cannot write for so long that another one takes its work over, its
        /// readers are told ``StreamElement/restarted(generation:)``, allowed or not: nobody knew that it had begun.
        case volatile = 1
    }

    /// When readers see a chunk. Default ``Durability/durable``.
    public var durability: Durability
    /// Whether another attempt may follow one that has begun to stream. Its readers are told
    /// ``StreamElement/restarted(generation:)`` and get the new answer from its start. Default `false`: the request
    /// fails instead, and what was streamed stays readable. Neither happens where the next attempt goes on with the work
    /// of the last one (``ProviderCall/resume()``).
    public var allowsRestart: Bool

    /// Creates a policy.
    public init(durability: Durability = .durable, allowsRestart: Bool = false) {
        self.durability = durability
        self.allowsRestart = allowsRestart
    }
}

/// The class of a provider's queue in which a request waits.
///
/// The classes share a lane by deficit round robin 8:4:1, so a flood of urgent requests slows the others down but
/// never starves them. Within a class requests run in the order they arrived.
public enum Priority: Int, Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// Somebody is looking at the screen and waits.
    case high = 0
    /// The default.
    case normal = 1
    /// Work ahead of need: prefetching, overnight jobs.
    case low = 2

    /// How many requests of the class are chosen in one round: 8, 4 or 1.
    package var weight: Int {
        switch self {
        case .high: 8
        case .normal: 4
        case .low: 1
        }
    }

    /// Orders by urgency: `.high < .normal < .low`, so that an ascending sort puts the most urgent first.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}
