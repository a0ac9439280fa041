public import Foundation

/// One attempt to execute a request, as a provider receives it.
public struct ProviderCall: Sendable {
    /// The request to execute. Several requests may share this call. In this case, the `id` is the id of one of these
    /// requests.
    public let request: AIRequest
    /// The number of this attempt, from 1. The attempts of all requests that share the call are counted together.
    public let attempt: Int
    /// The time after which the engine stops the attempt. It is counted from the start of the attempt. If the request
    /// streams, it is counted from the last chunk. A provider may pass the timeout to its service.
    public let timeout: Duration
    let listener: any CallListener

    /// Creates a call.
    ///
    /// - Parameters:
    ///   - request: The request to execute.
    ///   - attempt: The number of this attempt, from 1.
    ///   - timeout: The time after which the attempt is stopped.
    ///   - resumePoint: The resume handle of an earlier attempt. Default: none.
    ///   - progress: A function that receives the progress, between 0 and 1.
    ///   - limits: A function that receives the limits that the provider reports.
    ///   - chunks: A function that receives the bytes that the provider yields.
    ///   - handles: A function that receives the resume handle that the provider stores, or `nil` if the provider
    ///     removes the handle.
    ///   - resumption: A function that is called when the provider resumes the work of its handle.
    ///   - isWanted: A function that returns whether an attempt still needs the work. Default: returns `true`.
    public init(
        request: AIRequest, attempt: Int = 1, timeout: Duration = .seconds(30),
        resumePoint: ResumePoint? = nil,
        progress: @escaping @Sendable (Double) -> Void = { _ in },
        limits: @escaping @Sendable (ReportedLimits) -> Void = { _ in },
        chunks: @escaping @Sendable (Data) async throws -> Void = { _ in },
        handles: @escaping @Sendable (Data?) async throws -> Void = { _ in },
        resumption: @escaping @Sendable () async throws -> Void = {},
        isWanted: @escaping @Sendable () async throws -> Bool = { true }
    ) {
        self.init(
            request: request, attempt: attempt, timeout: timeout,
            listener: CallClosures(
                resumePoint: resumePoint, progress: progress, limits: limits, chunks: chunks, handles: handles,
                resumption: resumption, isWanted: isWanted))
    }

    init(request: AIRequest, attempt: Int, timeout: Duration, listener: any CallListener) {
        self.request = request
        self.attempt = attempt
        self.timeout = timeout
        self.listener = listener
    }

    /// Whether readers may read the answer while it is produced. You may also call ``yield(_:)-(Data)`` if this is
    /// `false`.
    public var isStreaming: Bool { request.streaming != nil }

    /// Delivers the next piece of the answer, at most 16 MiB. After the last piece, return a
    /// ``ProviderAnswer/init(streamed:metadata:usage:)``. The yielded bytes are then the content of the answer.
    ///
    /// The method waits while the engine holds more bytes than it can store at once, so a long answer is never
    /// completely in memory. A piece of a text may end within a character. Readers receive only whole characters. An
    /// empty piece has no effect.
    ///
    /// - Throws: `CancellationError` if the attempt is stopped. ``AIServiceError``: `responseTooLarge` if the piece is
    ///   too large; `invalidResponse` if a text is not UTF-8 or the call has ended; or an error of category storage.
    ///   After an error, the attempt fails, and the answer that the provider returns is ignored.
    public func yield(_ bytes: Data) async throws {
        try await listener.yielded(bytes)
    }

    /// Delivers the next piece of an answer as text. See ``yield(_:)-(Data)``.
    ///
    /// - Throws: The errors of ``yield(_:)-(Data)``.
    public func yield(_ text: String) async throws {
        try await yield(Data(text.utf8))
    }

    /// Reports the limits that the service stated in an answer or a refusal. The engine adjusts the limits of the
    /// account when the call ends. Invalid numbers are ignored. If a call reports limits several times, the last report
    /// counts.
    public func report(limits reported: ReportedLimits) {
        listener.learned(reported)
    }

    /// Reports the progress of the work to callers that watch the request. You may call this method often, because it
    /// is cheap. Values outside 0…1 are clamped, and NaN is ignored.
    public func report(progress fraction: Double) {
        guard !fraction.isNaN else { return }
        listener.progressed(to: min(1, max(0, fraction)))
    }
}

/// A provider's answer, with its metadata and usage.
public struct ProviderAnswer: Sendable {
    /// The parts are in one heap object, so that a task that waits for an answer stores only one pointer.
    private struct Parts: Sendable {
        var content: ResponseContent
        var metadata: [String: String]
        var usage: Usage
        let isStreamed: Bool
    }

    private var parts: Box<Parts>

    /// The content.
    public var content: ResponseContent {
        get { parts.value.content }
        set { parts.value.content = newValue }
    }
    /// Details of the answer, such as the service's id of the call, or the voice.
    public var metadata: [String: String] {
        get { parts.value.metadata }
        set { parts.value.metadata = newValue }
    }
    /// The usage that the service reports.
    public var usage: Usage {
        get { parts.value.usage }
        set { parts.value.usage = newValue }
    }
    /// Whether the bytes of the content were yielded. If so, the content itself is empty.
    package var isStreamed: Bool { parts.value.isStreamed }

    /// Creates an answer whose bytes the provider has yielded. See ``ProviderCall/yield(_:)-(Data)``. If no bytes were
    /// yielded, the answer is an empty answer, which counts as a success. If your service should never give an empty
    /// answer, return a failure instead.
    public init(streamed content: StreamedContent, metadata: [String: String] = [:], usage: Usage = Usage()) {
        parts = Box(
            Parts(content: content.content(Body(Data())), metadata: metadata, usage: usage, isStreamed: true))
    }

    /// Creates an answer whose content the provider returns as a whole.
    public init(_ content: ResponseContent, metadata: [String: String] = [:], usage: Usage = Usage()) {
        parts = Box(Parts(content: content, metadata: metadata, usage: usage, isStreamed: false))
    }
}
