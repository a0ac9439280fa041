public import Foundation

/// A unit of slow work: a prompt for a provider. Its UUID identifies the work permanently.
///
/// Changing a request after you have submitted it has no effect, because the engine keeps its own copy. If you submit a
/// request with the same `id` and the same content again, the submission finds the existing request. If you submit the
/// same `id` with different content, `submit` throws ``AIServiceError/Code/conflict``.
///
/// ```swift
/// let request = AIRequest(
///     prompt: "Summarize the meeting.", model: "small", parameters: ["temperature": 0.2], priority: .high,
///     attemptTimeout: .seconds(20), deadline: Date().addingTimeInterval(60), maximumAttempts: 2,
///     unknownOutcome: .hold, caching: .use(within: 86_400), tags: ["meetings"],
///     fallback: [FallbackTarget("second", model: "tiny")])
/// ```
public struct AIRequest: Sendable, Hashable, Codable, Identifiable {
    /// The parts are in one heap object, because a request is copied many times between its submission and its end.
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
        var fallback: [FallbackTarget]
    }

    private var parts: Box<Parts>

    /// The id of the request from submission to deletion. By default, a time-ordered UUID (version 7).
    public private(set) var id: UUID {
        get { parts.value.id }
        set { parts.value.id = newValue }
    }
    /// The prompt. If it is empty or has only white space, `submit` refuses the request with
    /// ``AIServiceError/Code/invalidRequest``, because a service would bill the call. For example, `"Name a colour."`,
    /// which is a literal of ``Prompt``.
    public var prompt: Prompt {
        get { parts.value.prompt }
        set { parts.value.prompt = newValue }
    }
    /// The model to request, or `nil` for the provider's default model. For example, `"gpt-6-luna"`.
    public var model: String? {
        get { parts.value.model }
        set { parts.value.model = newValue }
    }
    /// The settings of the call, such as the voice or the temperature. Numbers must be finite, and values may nest at
    /// most 64 levels deep. Otherwise `submit` refuses the request with ``AIServiceError/Code/invalidRequest``. For
    /// example, `["voice": "nova", "speed": 1.1]`. Default: none.
    public var parameters: [String: ParameterValue] {
        get { parts.value.parameters }
        set { parts.value.parameters = newValue }
    }
    /// A number from 0 that distinguishes several answers to the same prompt. `submit` refuses a negative number with
    /// ``AIServiceError/Code/invalidRequest``. Default 0. For example, 1 for a second picture of the same prompt.
    public var sample: Int {
        get { parts.value.sample }
        set { parts.value.sample = newValue }
    }
    /// The tenant that the request belongs to. Requests of different tenants never share a call or a cached response.
    /// Default: the empty string, a single tenant. For example, the id of a customer on a server.
    public var tenant: String {
        get { parts.value.tenant }
        set { parts.value.tenant = newValue }
    }
    /// The priority of the request in the provider's queue. Default ``Priority/normal``. For example, `.low` for work
    /// that is prefetched.
    public var priority: Priority {
        get { parts.value.priority }
        set { parts.value.priority = newValue }
    }
    /// The timeout of one attempt, after which the attempt ends with ``AIServiceError/Code/timeout``. If the request
    /// streams, this is the maximum time between two chunks of the answer, and not the timeout of the whole attempt.
    /// More than 0. With `nil`, the default, the provider's timeout applies. If the provider has none,
    /// ``EngineConfiguration/attemptTimeout`` applies (30 s by default). For example, `.seconds(20)` if a user waits.
    public var attemptTimeout: Duration? {
        get { parts.value.attemptTimeout }
        set { parts.value.attemptTimeout = newValue }
    }
    /// The date after which an answer is no longer useful. After this date the engine calls no provider, stops an
    /// attempt in flight, and the request fails with ``AIServiceError/Code/deadlineExceeded``. The store rounds the
    /// date to the microsecond. Default `nil`: no deadline. For example, `Date().addingTimeInterval(60)` for a
    /// suggestion that is useless a minute later.
    public var deadline: Date? {
        get { parts.value.deadline }
        set { parts.value.deadline = newValue }
    }
    /// The maximum number of attempts, at least 1. When the last of them fails, the request fails. An explicit retry
    /// (``AIRequestManager/retry(_:)``) starts the count again. An attempt whose process died does not count. With
    /// `nil`, the default, the engine's ``RetryPolicy/maximumAttempts`` applies. For example, 1 to report a failure to
    /// the user at once.
    public var maximumAttempts: Int? {
        get { parts.value.maximumAttempts }
        set { parts.value.maximumAttempts = newValue }
    }
    /// The action if it is unknown whether an attempt was carried out and billed. This is the case if the attempt's
    /// process died, the connection was lost, or the attempt took too long. Default ``UnknownOutcomePolicy/runAgain``.
    /// For example, `.hold` for an expensive video.
    public var unknownOutcome: UnknownOutcomePolicy {
        get { parts.value.unknownOutcome }
        set { parts.value.unknownOutcome = newValue }
    }
    /// The options for streaming: readers receive the answer in chunks while the provider produces it. With `nil`, the
    /// default, the answer does not stream, and readers receive the whole answer at its end. For example,
    /// `StreamingPolicy(allowsRestart: true)` for a chat.
    public var streaming: StreamingPolicy? {
        get { parts.value.streaming }
        set { parts.value.streaming = newValue }
    }
    /// Whether an existing answer is acceptable, and whether this request's answer is kept for other requests. With
    /// ``CachePolicy/use``, the default, you pay only for the first of two equal requests that you submit within an
    /// hour. For example, `.refresh` for a button that requests a new answer.
    public var caching: CachePolicy {
        get { parts.value.caching }
        set { parts.value.caching = newValue }
    }
    /// Whether the store keeps the response until you call ``AIRequestManager/merged(_:)``, regardless of the
    /// response's age and the store's limits. Default `false`. For example, `true` if your app copies the response into
    /// its own database later.
    public var keepUntilMerged: Bool {
        get { parts.value.keepUntilMerged }
        set { parts.value.keepUntilMerged = newValue }
    }
    /// The caller's own key-value pairs. The store keeps and returns them. They are never sent to a provider, and are
    /// not part of the fingerprint. For example, `["book": "42"]`. Default: none.
    public var metadata: [String: String] {
        get { parts.value.metadata }
        set { parts.value.metadata = newValue }
    }

    /// The tags by which the ledger, the record of all attempts and their costs, sums costs. A tag may name a customer,
    /// a feature or a book. The ledger also sums costs by provider, model, job and day. At most ``maximumTags`` tags,
    /// each of 1 to ``maximumTagLength`` bytes. `submit` refuses other tags with
    /// ``AIServiceError/Code/invalidRequest``, and removes duplicate tags. Tags are never sent to a provider, and are
    /// not part of the fingerprint. They stay in the ledger after the request is deleted, so put no secret into them.
    /// For example, `["customer-7", "summaries"]`. Default: none.
    public var tags: [String] {
        get { parts.value.tags }
        set { parts.value.tags = newValue }
    }

    /// The fallback providers, in order. At most 8. The engine calls the next provider when the current provider has
    /// failed permanently:
    ///
    /// - Its retries are used up.
    /// - It has no credit or no valid key.
    /// - Its answer is invalid.
    /// - It asks for a pause that ends after the deadline.
    ///
    /// The engine calls no fallback provider after an invalid request, after a cancellation or after the deadline.
    ///
    /// The engine also calls no fallback provider if an attempt's outcome is unknown and ``unknownOutcome`` is
    /// ``UnknownOutcomePolicy/hold``. The request is then held, because you might pay two providers for the same work.
    /// All providers must be registered, and must answer with the same kind of content. The maximum number of attempts
    /// applies to each provider separately. After an explicit retry, the engine continues with the provider that it
    /// called last. Default: none. For example, `[FallbackTarget("second", model: "small")]`.
    public var fallback: [FallbackTarget] {
        get { parts.value.fallback }
        set { parts.value.fallback = newValue }
    }

    /// Decodes a request.
    public init(from decoder: any Decoder) throws {
        parts = Box(try Parts(from: decoder))
    }

    /// Encodes the request, with its properties under their names.
    public func encode(to encoder: any Encoder) throws {
        try parts.value.encode(to: encoder)
    }

    /// The maximum number of tags of a request: 32.
    public static let maximumTags = 32
    /// The maximum length of a tag in bytes of UTF-8: 128.
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
        fallback: [FallbackTarget] = []
    ) {
        parts = Box(
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
                .invalidRequest,
                """
                A tag must have between 1 and \(Self.maximumTagLength) bytes. Shorten it, or leave it out.
                """)
        }
        var request = self
        var seen: Set<String> = []
        request.tags = tags.filter { seen.insert($0).inserted }
        guard request.tags.count <= Self.maximumTags else {
            throw AIServiceError(
                .invalidRequest,
                """
                The request has \(request.tags.count) tags; it may have \(Self.maximumTags). Use tags for the sums of \
                costs, and `metadata` for other data.
                """
            )
        }
        return request
    }
}

/// The action if it is unknown whether a request's attempt was carried out and billed.
///
/// No provider guarantees that a request is carried out and billed exactly once. After a crash, a lost connection or a
/// timeout, the engine has two options. It can send the call again, and you may pay twice. Or it can wait for a
/// person's decision. In both cases the ledger records the attempt as ``BillingState/maybeBilled``.
public enum UnknownOutcomePolicy: Int, Sendable, Hashable, Codable, CaseIterable {
    /// The engine sends another attempt. Choose this if the answer is worth the cost of a second call.
    case runAgain = 0
    /// The engine holds the request: the request waits for an explicit retry, a cancellation or a deletion.
    ///
    /// If the provider has stored a resume handle (``ProviderCall/remember(_:)``), the engine does not hold the
    /// request. The handle identifies the work at the service. The next attempt then continues the work, and you do not
    /// pay twice. In these cases the request is held nevertheless:
    ///
    /// - The provider cannot continue the work, and reports ``AIServiceError/workLost``.
    /// - The attempts to continue the work are used up.
    /// - The next provider of the request's fallback chain would start the work again.
    ///
    /// In the last two cases, an explicit retry continues the work.
    case hold = 1
}

/// The way in which the chunks of a request's answer reach its readers. See ``AIRequestManager/stream(for:from:)``.
///
/// The policy is not part of the fingerprint, because the delivery of an answer does not change the work.
///
/// ```swift
/// let chat = StreamingPolicy(durability: .volatile, allowsRestart: true)
/// ```
public struct StreamingPolicy: Sendable, Hashable, Codable {
    /// The time at which readers receive a chunk of the answer.
    public enum Durability: Int, Sendable, Hashable, Codable, CaseIterable {
        /// Readers receive a chunk after it is on disk. No crash removes a chunk that a reader has received.
        case durable = 0
        /// Readers receive a chunk at once. The chunk is written to disk at most a second later. If the process crashes
        /// before the write, output that a reader has received is lost. The same loss is possible without a crash, if a
        /// process cannot write for so long that another process takes over its work. The readers of the first process
        /// then receive ``StreamElement/restarted(generation:)``, even if ``allowsRestart`` is `false`, because the
        /// store has no record of the beginning of the answer.
        case volatile = 1
    }

    /// The time at which readers receive a chunk of the answer. Default ``Durability/durable``. For example,
    /// `.volatile` for a chat, where users notice the delay of a disk write.
    public var durability: Durability
    /// Whether the engine may send another attempt after an attempt has begun to stream and failed. If `true`, readers
    /// receive ``StreamElement/restarted(generation:)`` and then the new answer from its start. If `false`, the
    /// default, the request fails, and the streamed output stays readable. This option has no effect if the next
    /// attempt continues the work of the last attempt (``ProviderCall/resume()``). The answer then continues, and does
    /// not begin again. For example, `true` if the view can replace the text that it shows.
    public var allowsRestart: Bool

    /// Creates a policy.
    public init(durability: Durability = .durable, allowsRestart: Bool = false) {
        self.durability = durability
        self.allowsRestart = allowsRestart
    }
}

/// The priority of a request in its provider's queue.
///
/// If requests of all three priorities wait, the engine sends 8 of high, 4 of normal and 1 of low priority in turn
/// (deficit round robin). Requests with a high priority therefore delay other requests, but never stop them. Requests
/// of the same priority run in the order in which they arrived.
public enum Priority: Int, Sendable, Hashable, Comparable, CaseIterable, Codable {
    /// A user is waiting for the answer.
    case high = 0
    /// The default priority.
    case normal = 1
    /// Work whose answer is needed later, such as prefetching and overnight jobs.
    case low = 2

    /// The number of requests of this priority that are chosen in one round: 8, 4 or 1.
    package var weight: Int {
        switch self {
        case .high: 8
        case .normal: 4
        case .low: 1
        }
    }

    /// Returns whether one priority is more urgent than another: `.high < .normal < .low`. An ascending sort puts the
    /// most urgent priority first.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}
