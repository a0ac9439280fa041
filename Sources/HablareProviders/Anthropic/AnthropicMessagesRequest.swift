import Foundation
import Hablare
import HablareJSON

/// The body of a `messages` call.
struct AnthropicMessagesRequest: Sendable {
    let model: String
    let options: AnthropicOptions
    var conversation: AnthropicConversation

    /// Reads a request, without the bytes of its pictures.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for unknown or invalid parameters, and for a value
    ///   that the request sets twice. Also if the API cannot represent the content, or if the body is too large for the
    ///   service.
    init(
        _ request: AIRequest, form: AnswerForm, rules: AnthropicModelRules, of id: ProviderID
    ) throws(AIServiceError) {
        options = try AnthropicOptions(request.parameters, of: id, rules: rules)
        guard form == .text || options.hasSchema else {
            throw AIServiceError(
                .invalidRequest, "Provider \(id) needs a schema for its answers. Pass one in the parameter schema.")
        }
        model = rules.id
        try AnthropicConversation.kinds.check(request.prompt, of: id)
        conversation = try AnthropicConversation(
            request.prompt, instructions: options.instructions, turns: options.turns)
        if conversation.endsWithAssistant { try rules.checkPrefill() }
        let byteCount = try body().jsonData().count + conversation.base64Count
        guard byteCount <= AnthropicService.maximumRequestBytes else {
            throw AIServiceError(
                .invalidRequest,
                "The request has \(byteCount) bytes; Anthropic accepts at most \(AnthropicService.maximumRequestBytes). Shorten the prompt, make the pictures smaller, or pass only parts of the documents."
            )
        }
    }

    /// Returns the body, including the bytes of the pictures that have been read.
    ///
    /// - Parameter paused: The part of the answer before a pause. The service continues this part.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a value that the request sets twice.
    func body(continuing paused: AnthropicPause? = nil) throws(AIServiceError) -> ParameterValue {
        var body = options.members
        body["model"] = .string(model)
        body["max_tokens"] = .int(options.maximumTokens)
        body["messages"] = .array(conversation.messages + (paused.map { [$0.message] } ?? []))
        if let system = conversation.system { body["system"] = .string(system) }
        body["stream"] = true
        try options.extra.add(to: &body)
        if let container = paused?.container { body["container"] = Self.container(body["container"], id: container) }
        return .object(body)
    }

    /// Returns the member `container`, which names the container that the paused answer used.
    private static func container(_ asked: ParameterValue?, id: String) -> ParameterValue {
        guard case .object(var members)? = asked else { return .string(id) }
        members["id"] = .string(id)
        return .object(members)
    }
}
