/// One attempt, as a provider sees it.
public struct ProviderCall: Sendable {
    /// What to do. Its `id` is a member of the flight that is executed.
    public let request: AIRequest
    /// Which attempt of the flight this is, from 1.
    public let attempt: Int
    /// When the engine will give the attempt up, in time from its start. A provider may pass it on to its server.
    public let timeout: Duration
    private let progress: @Sendable (Double) -> Void
    private let limits: @Sendable (ReportedLimits) -> Void

    /// Creates a call.
    ///
    /// - Parameters:
    ///   - request: What to do.
    ///   - attempt: Which attempt this is, from 1.
    ///   - timeout: When the attempt will be given up.
    ///   - progress: Told of progress between 0 and 1.
    ///   - limits: Told what the provider says of its limits.
    public init(
        request: AIRequest, attempt: Int = 1, timeout: Duration = .seconds(30),
        progress: @escaping @Sendable (Double) -> Void = { _ in },
        limits: @escaping @Sendable (ReportedLimits) -> Void = { _ in }
    ) {
        self.request = request
        self.attempt = attempt
        self.timeout = timeout
        self.progress = progress
        self.limits = limits
    }

    /// Tells the engine what the provider said of its limits, in an answer or a refusal alike; the account's lane is
    /// corrected when the call ends. Numbers that make no sense are ignored. The last report counts.
    public func report(limits reported: ReportedLimits) {
        limits(reported)
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
