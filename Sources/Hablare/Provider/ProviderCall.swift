/// One attempt, as a provider sees it.
public struct ProviderCall: Sendable {
    /// What to do. Its `id` is a member of the flight that is executed.
    public let request: AIRequest
    /// Which attempt of the flight this is, from 1.
    public let attempt: Int
    /// When the engine will give the attempt up, in time from its start. A provider may pass it on to its server.
    public let timeout: Duration
    private let progress: @Sendable (Double) -> Void

    /// Creates a call.
    ///
    /// - Parameters:
    ///   - request: What to do.
    ///   - attempt: Which attempt this is, from 1.
    ///   - timeout: When the attempt will be given up.
    ///   - progress: Told of progress between 0 and 1.
    public init(
        request: AIRequest, attempt: Int = 1, timeout: Duration = .seconds(30),
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) {
        self.request = request
        self.attempt = attempt
        self.timeout = timeout
        self.progress = progress
    }

    /// Tells whoever watches how far the work is. Cheap; values outside 0…1 are clamped, NaN is ignored.
    public func report(progress fraction: Double) {
        guard !fraction.isNaN else { return }
        progress(min(1, max(0, fraction)))
    }
}

/// What a provider answers: content, and what it says beside it.
public struct ProviderAnswer: Sendable {
    /// The content.
    public var content: ResponseContent
    /// What the provider says beside the content: its own request id, the voice it used …
    public var metadata: [String: String]
    /// What was used.
    public var usage: Usage

    /// Creates an answer.
    public init(_ content: ResponseContent, metadata: [String: String] = [:], usage: Usage = Usage()) {
        self.content = content
        self.metadata = metadata
        self.usage = usage
    }
}
