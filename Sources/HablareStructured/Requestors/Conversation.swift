public import Hablare

/// A conversation with a model as it grows, to be asked as a ``prompt``.
public struct Conversation: Sendable, Hashable {
    /// What was said, oldest first.
    public private(set) var messages: [Prompt.Message]

    /// Begins one, with standing instructions where there are any.
    public init(instructions: String? = nil) {
        messages = instructions.map { [Prompt.Message(role: .system, text: $0)] } ?? []
    }

    /// What to ask.
    public var prompt: Prompt { .messages(messages) }

    /// The person says something, and may show pictures.
    public mutating func say(_ text: String, showing images: [(Body, ImageFormat)] = []) {
        messages.append(
            Prompt.Message(role: .user, parts: [.text(text)] + images.map { .image($0.0, $0.1) }))
    }

    /// The model has answered: what it said, and the tools that it wants called.
    public mutating func append(_ output: TextRequestor.Output) {
        var parts: [Prompt.Part] = output.value.isEmpty ? [] : [.text(output.value)]
        parts += output.toolCalls.map { .toolCall(id: $0.id, name: $0.name, arguments: $0.arguments) }
        guard !parts.isEmpty else { return }
        messages.append(Prompt.Message(role: .assistant, parts: parts))
    }

    /// A tool that the model wanted called has answered.
    public mutating func append(_ result: String, of call: ToolCall) {
        messages.append(Prompt.Message(role: .tool, parts: [.toolResult(id: call.id, content: result)]))
    }
}
