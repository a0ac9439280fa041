public import Foundation
public import Hablare

/// A requestor for text: an answer to a text, or the next turn of a ``Conversation``.
public struct TextRequestor: Requestor, Hashable {
    /// A text, the model's tool calls, and the response.
    public struct Output: Sendable, Hashable {
        /// The text. It may be empty if the model only requests tool calls.
        public var value: String
        /// The tool calls that the model requests, in the model's order. Check the arguments of each call, because the
        /// model wrote them.
        public var toolCalls: [ToolCall]
        /// The whole response, with usage, metadata and provider.
        public var response: AIResponseData

        /// The reason why the text ended, or `nil` if the provider does not report it.
        public var finishReason: FinishReason? { response.finishReason }
    }

    /// The requestor's name.
    public let id: RequestorID
    /// The settings for text.
    public let configuration: TextConfiguration
    private let parameters: [String: ParameterValue]

    /// Creates a requestor.
    ///
    /// - Parameters:
    ///   - id: A name of the form `provider.text.model`.
    ///   - configuration: The settings for text. Default: those of the provider.
    /// - Throws: ``/Hablare/AIServiceError`` with code `invalidConfiguration` if the id is not valid for text. Code
    ///   `invalidRequest` if a setting is out of its range.
    public init(_ id: String, _ configuration: TextConfiguration = TextConfiguration()) throws(AIServiceError) {
        self.id = try RequestorID(id, of: .text)
        self.configuration = configuration
        parameters = try configuration.parameters()
    }

    /// Creates a request for an answer to a text or a conversation (``Conversation/prompt``).
    public func request(_ prompt: Prompt, id: UUID) throws(AIServiceError) -> AIRequest {
        AIRequest(id: id, prompt: prompt, model: self.id.model, parameters: parameters)
    }

    /// Creates a request for the next turn of a conversation. It contains the model's thinking in earlier turns.
    public func request(
        _ conversation: Conversation, id: UUID = .timeOrdered()
    ) throws(AIServiceError) -> AIRequest {
        var request = try request(conversation.prompt, id: id)
        request.parameters.merge(conversation.parameters) { $1 }
        return request
    }

    /// Asks for the next turn of a conversation, in a request with a new UUID.
    ///
    /// - Throws: The errors of ``Requestor/ask(_:manager:)-(AIRequest,_)``.
    @concurrent public func ask(_ conversation: Conversation, manager: AIRequestManager) async throws -> Output {
        try await ask(request(conversation), manager: manager)
    }

    /// The request parameter that contains the tools. Empty if there are no tools.
    var toolParameters: [String: ParameterValue] { parameters.filter { $0.key == ToolDefinition.parameterName } }

    /// Reads a text from a response.
    @concurrent public func output(of response: AIResponseData) async throws -> Output {
        guard case .text(let body) = try response.content else {
            throw AIServiceError.wrongKind(try response.content.type, wanted: "text")
        }
        return Output(
            value: String(decoding: try await body.data(), as: UTF8.self), toolCalls: try response.toolCalls,
            response: response)
    }

    /// Submits a streaming request, and returns its text while the model writes it.
    ///
    /// - Parameters:
    ///   - request: One of the requestor's requests. If it has no ``/Hablare/AIRequest/streaming`` policy, the default
    ///     policy is used.
    ///   - manager: The engine.
    /// - Throws: The errors of ``/Hablare/AIRequestManager/submit(_:to:)``. The returned stream throws errors that
    ///   occur while it is read.
    @concurrent public func stream(_ request: AIRequest, manager: AIRequestManager) async throws -> TextStream {
        var request = request
        if request.streaming == nil { request.streaming = StreamingPolicy() }
        let id = try await manager.submit(request, to: provider(in: manager))
        return TextStream(try await manager.stream(for: id), of: self)
    }

    /// Submits a streaming request with a new UUID, and returns its text while the model writes it.
    ///
    /// - Throws: The errors of ``stream(_:manager:)-(AIRequest,_)``.
    @concurrent public func stream(_ prompt: Prompt, manager: AIRequestManager) async throws -> TextStream {
        try await stream(request(prompt), manager: manager)
    }

    /// Asks for the next turn of a conversation, in a request with a new UUID, and returns the text while the model
    /// writes it.
    ///
    /// - Throws: The errors of ``stream(_:manager:)-(AIRequest,_)``.
    @concurrent public func stream(
        _ conversation: Conversation, manager: AIRequestManager
    ) async throws -> TextStream {
        try await stream(request(conversation), manager: manager)
    }
}
