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
    /// The same request under another UUID.
    package func named(_ id: UUID) -> AIRequest {
        var request = self
        request.id = id
        return request
    }
}
