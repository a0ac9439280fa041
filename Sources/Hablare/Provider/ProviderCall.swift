public import Foundation

/// One attempt, as a provider sees it.
public struct ProviderCall: Sendable {
    /// What to do. Its `id` is a member of the flight that is executed.
    public let request: AIRequest
    /// Which attempt of the flight this is, from 1.
    public let attempt: Int
    /// When the engine will give the attempt up, in time from its start; where the request streams, from the last
    /// chunk. A provider may pass it on to its server.
    public let timeout: Duration
    let listener: any CallListener

    /// Creates a call.
    ///
    /// - Parameters:
    ///   - request: What to do.
    ///   - attempt: Which attempt this is, from 1.
    ///   - timeout: When the attempt will be given up.
    ///   - progress: Told of progress between 0 and 1.
    ///   - limits: Told what the provider says of its limits.
    ///   - chunks: Given what the provider yields.
    ///   - remembered: What an earlier attempt remembered. Default: nothing.
    ///   - handles: Given what the provider remembers; `nil` when it forgets.
    ///   - resumption: Told that the provider goes on with what was remembered.
    ///   - wish: Says whether anybody still waits for the work. Default: somebody does.
    public init(
        request: AIRequest, attempt: Int = 1, timeout: Duration = .seconds(30),
        remembered: RememberedWork? = nil,
        progress: @escaping @Sendable (Double) -> Void = { _ in },
        limits: @escaping @Sendable (ReportedLimits) -> Void = { _ in },
        chunks: @escaping @Sendable (Data) async throws -> Void = { _ in },
        handles: @escaping @Sendable (Data?) async throws -> Void = { _ in },
        resumption: @escaping @Sendable () async throws -> Void = {},
        wish: @escaping @Sendable () async throws -> Bool = { true }
    ) {
        self.init(
            request: request, attempt: attempt, timeout: timeout,
            listener: CallClosures(
                remembered: remembered, progress: progress, limits: limits, chunks: chunks, handles: handles,
                resumption: resumption, wish: wish))
    }

    init(request: AIRequest, attempt: Int, timeout: Duration, listener: any CallListener) {
        self.request = request
        self.attempt = attempt
        self.timeout = timeout
        self.listener = listener
    }

    /// Whether somebody may read the answer while it is made. ``yield(_:)-(Data)`` can be called in any case.
    public var isStreaming: Bool { request.streaming != nil }

    /// Hands over the next piece of the answer, at most 16 MiB; then answer with
    /// ``ProviderAnswer/init(streamed:metadata:usage:)``, because the content is what was yielded.
    ///
    /// Waits while the engine has more than it can put away, so nobody ever holds a long answer in memory. Of a text a
    /// piece may end anywhere, also within a character: readers get whole ones. An empty piece is nothing.
    ///
    /// - Throws: `CancellationError` when the attempt is stopped; ``AIServiceError``: `responseTooLarge` for a larger
    ///   piece, `invalidResponse` for a text that is no UTF-8 or a piece after the end of the call, or of category
    ///   storage. The attempt has failed then, whatever the provider answers.
    public func yield(_ bytes: Data) async throws {
        try await listener.yielded(bytes)
    }

    /// Hands over the next piece of a text. See ``yield(_:)-(Data)``.
    ///
    /// - Throws: as for bytes.
    public func yield(_ text: String) async throws {
        try await yield(Data(text.utf8))
    }

    /// Tells the engine what the provider said of its limits, in an answer or a refusal alike; the account's lane is
    /// corrected when the call ends. Numbers that make no sense are ignored. The last report counts.
    public func report(limits reported: ReportedLimits) {
        listener.learned(reported)
    }

    /// Tells whoever watches how far the work is. Cheap; values outside 0…1 are clamped, NaN is ignored.
    public func report(progress fraction: Double) {
        guard !fraction.isNaN else { return }
        listener.progressed(to: min(1, max(0, fraction)))
    }
}

/// What a provider answers: content, and what it says beside it.
public struct ProviderAnswer: Sendable {
    /// In an object of their own, so that whoever waits for an answer keeps one word free for it.
    private struct Parts: Sendable {
        var content: ResponseContent
        var metadata: [String: String]
        var usage: Usage
        let isStreamed: Bool
    }

    private var parts: Boxed<Parts>

    /// The content.
    public var content: ResponseContent {
        get { parts.value.content }
        set { parts.value.content = newValue }
    }
    /// What the provider says beside the content: its own request id, the voice it used …
    public var metadata: [String: String] {
        get { parts.value.metadata }
        set { parts.value.metadata = newValue }
    }
    /// What was used.
    public var usage: Usage {
        get { parts.value.usage }
        set { parts.value.usage = newValue }
    }
    /// Whether the content's bytes were yielded, and its body is empty.
    package var isStreamed: Bool { parts.value.isStreamed }

    /// Creates an answer whose bytes were yielded, see ``ProviderCall/yield(_:)-(Data)``. Where none were, it is empty,
    /// and an answer all the same: where your service owes more than nothing, answer with a failure.
    public init(streamed content: StreamedContent, metadata: [String: String] = [:], usage: Usage = Usage()) {
        parts = Boxed(
            Parts(content: content.content(Body(Data())), metadata: metadata, usage: usage, isStreamed: true))
    }

    /// Creates an answer.
    public init(_ content: ResponseContent, metadata: [String: String] = [:], usage: Usage = Usage()) {
        parts = Boxed(Parts(content: content, metadata: metadata, usage: usage, isStreamed: false))
    }
}
