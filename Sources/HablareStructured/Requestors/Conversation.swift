import Foundation
public import Hablare
import HablareJSON

/// A growing conversation with a model. Its ``prompt`` is the input of the next request.
///
/// The conversation also keeps the model's ``thinking``. Ask for the next turn with the conversation itself, as in
/// ``TextRequestor/ask(_:manager:)-(Conversation,_)``, so that the thinking is sent back. Models that think and call
/// tools require this.
public struct Conversation: Sendable, Hashable {
    /// The messages, oldest first.
    public private(set) var messages: [Prompt.Message]
    /// The model's thinking in its turns, oldest first, as texts of ``/Hablare/AnswerMetadata/thinking``. They are sent
    /// back unchanged. Empty if the model did not think, or if its service does not want the thinking back.
    public private(set) var thinking: [String] = []

    /// Creates a conversation. `instructions`, if not `nil`, are its first message.
    public init(instructions: String? = nil) {
        messages = instructions.map { [Prompt.Message(role: .system, text: $0)] } ?? []
    }

    /// Creates a conversation that continues a prompt. A prompt that is a text becomes a message of the user.
    ///
    /// - Parameters:
    ///   - prompt: The prompt.
    ///   - thinking: The ``thinking`` in the prompt's turns. Default: none.
    public init(_ prompt: Prompt, thinking: [String] = []) {
        messages = prompt.messages
        self.thinking = thinking
    }

    /// Creates a conversation that continues a prompt, with the thinking that is in the parameters of its request.
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

    /// The name of the request parameter that has the thinking of the prompt's turns.
    private static let thinkingParameter = "thinking_blocks"

    /// The parameters that the next request needs: the thinking, if there is any.
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

    /// Appends the model's answer: its text, its tool calls and its thinking.
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

    /// Appends the result of a tool call that the model requested.
    public mutating func append(_ result: String, of call: ToolCall) {
        messages.append(Prompt.Message(role: .tool, parts: [.toolResult(id: call.id, content: result)]))
    }
}
