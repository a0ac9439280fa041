public import Foundation
public import Hablare

/// Asks a model for text: an answer to one text, or the next turn of a ``Conversation``.
public struct TextRequestor: Requestor, Hashable {
    /// A text, and what the model says beside it.
    public struct Output: Sendable, Hashable {
        /// The text; it may be empty where the model only wants tools called.
        public var value: String
        /// The tools that the model wants called, in its order. Their arguments are its words: check them.
        public var toolCalls: [ToolCall]
        /// The whole response: usage, metadata, who answered.
        public var response: AIResponseData

        /// Why the text ends; `nil` where the provider does not say.
        public var finishReason: FinishReason? { response.finishReason }
    }

    /// Its name.
    public let id: RequestorID
    /// How the model writes.
    public let configuration: TextConfiguration
    private let parameters: [String: ParameterValue]

    /// Creates a requestor.
    ///
    /// - Parameters:
    ///   - id: `provider.text.model`.
    ///   - configuration: How the model writes. Default: as the provider has it.
    /// - Throws: ``/Hablare/AIServiceError``: `invalidConfiguration` where the id is none for text; `invalidRequest` where a setting
    ///   is out of its range.
    public init(_ id: String, _ configuration: TextConfiguration = TextConfiguration()) throws(AIServiceError) {
        self.id = try RequestorID(id, of: .text)
        self.configuration = configuration
        parameters = try configuration.parameters()
    }

    /// A request for an answer to a text or a conversation (``Conversation/prompt``).
    public func request(_ prompt: Prompt, id: UUID) throws(AIServiceError) -> AIRequest {
        AIRequest(id: id, prompt: prompt, model: self.id.model, parameters: parameters)
    }

    /// Reads a text.
    @concurrent public func output(of response: AIResponseData) async throws -> Output {
        guard case .text(let body) = try response.content else {
            throw AIServiceError.wrongKind(try response.content.type, wanted: "text")
        }
        return Output(
            value: String(decoding: try await body.data(), as: UTF8.self), toolCalls: try response.toolCalls,
            response: response)
    }

    /// Submits a request whose answer streams, and reads it as it is made.
    ///
    /// - Parameters:
    ///   - request: One of its requests. Without a ``/Hablare/AIRequest/streaming`` policy it gets the default one.
    ///   - manager: The engine.
    /// - Throws: as ``/Hablare/AIRequestManager/submit(_:to:)``. What reading throws, the stream says.
    @concurrent public func stream(_ request: AIRequest, manager: AIRequestManager) async throws -> TextStream {
        var request = request
        if request.streaming == nil { request.streaming = StreamingPolicy() }
        let id = try await manager.submit(request, to: provider(in: manager))
        return TextStream(try await manager.stream(for: id), of: self)
    }

    /// Asks, under a new UUID, and reads the answer as it is made.
    ///
    /// - Throws: as ``stream(_:manager:)-(AIRequest,_)``.
    @concurrent public func stream(_ prompt: Prompt, manager: AIRequestManager) async throws -> TextStream {
        try await stream(request(prompt), manager: manager)
    }
}
