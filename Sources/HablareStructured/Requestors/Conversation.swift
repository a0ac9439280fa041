import Foundation
public import Hablare
import HablareJSON

/// A growing conversation with a model. Its ``prompt`` is the input of the next request.
///
/// The conversation also keeps the model's ``thinking``. To ask for the next turn, pass the conversation itself, as in
/// ``TextRequestor/ask(_:manager:)-(Conversation,_)``. The thinking is then sent back to the service. Models that think
/// and call tools need their thinking back.
public struct Conversation: Sendable, Hashable {
    /// The messages, oldest first.
    public private(set) var messages: [Prompt.Message]
    /// The model's thinking in its earlier turns, oldest first, as texts of ``/Hablare/AnswerMetadata/thinking``. They
    /// are sent back unchanged. The list is empty if the model did not think, or if its service does not accept the
    /// thinking.
    public private(set) var thinking: [String] = []

    /// Creates a conversation. If `instructions` is not `nil`, it is the first message.
    public init(instructions: String? = nil) {
        messages = instructions.map { [Prompt.Message(role: .system, text: $0)] } ?? []
    }

    /// Creates a conversation that continues a prompt. If the prompt is a text, the text becomes a message of the user.
    ///
    /// - Parameters:
    ///   - prompt: The prompt.
    ///   - thinking: The model's ``thinking`` in the turns of the prompt. Default: none.
    public init(_ prompt: Prompt, thinking: [String] = []) {
        messages = prompt.messages
        self.thinking = thinking
    }

    /// Creates a conversation that continues a prompt. The thinking is read from the parameters of the prompt's
    /// request.
    package init(_ prompt: Prompt, parameters: [String: ParameterValue]) throws(AIServiceError) {
        let thinking: [String]
        switch parameters[Self.thinkingParameter] {
        case nil, .null: thinking = []
        case .string(let text): thinking = [text]
        case .array(let texts) where texts.allSatisfy({ $0.string != nil }): thinking = texts.compactMap(\.string)
        case .some(let value): thinking = [try value.jsonText()]
        }
        self.init(prompt, thinking: thinking)
    }

    /// The name of the request parameter that contains the thinking.
    private static let thinkingParameter = "thinking_blocks"

    /// The parameters for the next request. They contain the thinking, if there is any.
    package var parameters: [String: ParameterValue] {
        thinking.isEmpty ? [:] : [Self.thinkingParameter: .array(thinking.map { .string($0) })]
    }

    /// The prompt for the next request.
    public var prompt: Prompt { .messages(messages) }

    /// Appends a message of the user. The message may have images.
    public mutating func say(_ text: String, showing images: [(Body, ImageFormat)] = []) {
        messages.append(
            Prompt.Message(role: .user, parts: [.text(text)] + images.map { .image($0.0, $0.1) }))
    }

    /// Appends the model's answer to the conversation: its text, its tool calls and its thinking.
    public mutating func append(_ output: TextRequestor.Output) {
        var parts: [Prompt.Part] = output.value.isEmpty ? [] : [.text(output.value)]
        parts += output.toolCalls.map { .toolCall(id: $0.id, name: $0.name, arguments: $0.arguments) }
        guard !parts.isEmpty else { return }
        messages.append(Prompt.Message(role: .assistant, parts: parts))
        // Only a list is in a form that a service may want back.
        if let thought = output.response.metadata[AnswerMetadata.thinking],
            case .array? = ParameterValue(json: Data(thought.utf8))
        {
            thinking.append(thought)
        }
    }

    /// Appends the result of a tool call to the conversation. The model requested the call.
    public mutating func append(_ result: String, of call: ToolCall) {
        messages.append(Prompt.Message(role: .tool, parts: [.toolResult(id: call.id, content: result)]))
    }
}
