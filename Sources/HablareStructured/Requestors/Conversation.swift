public import Hablare

/// A growing conversation with a model. Its ``prompt`` is the input of the next request.
public struct Conversation: Sendable, Hashable {
    /// The messages, oldest first.
    public private(set) var messages: [Prompt.Message]

    /// Creates a conversation. `instructions`, if not `nil`, are its first message.
    public init(instructions: String? = nil) {
        messages = instructions.map { [Prompt.Message(role: .system, text: $0)] } ?? []
    }

    /// Creates a conversation that continues a prompt. A prompt that is a text becomes a message of the user.
    public init(_ prompt: Prompt) {
        messages = prompt.messages
    }

    /// The prompt for the next request.
    public var prompt: Prompt { .messages(messages) }

    /// Appends a message of the user. The message may have images.
    public mutating func say(_ text: String, showing images: [(Body, ImageFormat)] = []) {
        messages.append(
            Prompt.Message(role: .user, parts: [.text(text)] + images.map { .image($0.0, $0.1) }))
    }

    /// Appends the model's answer: its text and its tool calls.
    public mutating func append(_ output: TextRequestor.Output) {
        var parts: [Prompt.Part] = output.value.isEmpty ? [] : [.text(output.value)]
        parts += output.toolCalls.map { .toolCall(id: $0.id, name: $0.name, arguments: $0.arguments) }
        guard !parts.isEmpty else { return }
        messages.append(Prompt.Message(role: .assistant, parts: parts))
    }

    /// Appends the result of a tool call that the model requested.
    public mutating func append(_ result: String, of call: ToolCall) {
        messages.append(Prompt.Message(role: .tool, parts: [.toolResult(id: call.id, content: result)]))
    }
}
