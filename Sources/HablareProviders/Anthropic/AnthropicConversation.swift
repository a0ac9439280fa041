import Hablare

/// A prompt in the form of the messages API: first the system instructions, then the turns of the user and the
/// assistant.
///
/// - All system messages, at any place in the prompt, are joined into `system`, separated by blank lines.
/// - Consecutive messages of one role form one turn. Tool results belong to the user's turn.
/// - Empty texts are left out because the API refuses them.
struct AnthropicConversation: Sendable {
    /// A block of a turn's content.
    private enum Block: Sendable {
        case value(ParameterValue)
        case picture(PromptPicture)
        case document(PromptFile)
    }

    /// The kinds of prompt parts that the API accepts. The API does not accept audio (anthropic 2.14.0,
    /// `ContentBlockParam`).
    static let kinds: PromptKinds = [.pictures, .linkedPictures, .documents, .linkedDocuments]

    /// The system instructions; `nil` if there are none.
    let system: String?
    private var turns: [(role: String, content: [Block])]

    /// The total size of all pictures and documents as base64 text, in bytes.
    var base64Count: Int {
        turns.flatMap(\.content).reduce(0) { sum, block in
            switch block {
            case .value: sum
            case .picture(let picture): sum + picture.base64Count
            case .document(let file): sum + file.base64Count
            }
        }
    }

    /// Whether the last turn is the assistant's. The model then continues that turn.
    var endsWithAssistant: Bool { turns.last?.role == "assistant" }

    /// The turns as the API expects them, including the bytes of the pictures and documents that have been read.
    var messages: [ParameterValue] {
        turns.map { turn in
            let content = turn.content.map { block in
                switch block {
                case .value(let value): value
                case .picture(let picture): picture.block
                case .document(let file): file.block
                }
            }
            return ["role": .string(turn.role), "content": .array(content)]
        }
    }

    /// Reads a prompt, without the bytes of its pictures. ``loaded()`` reads those bytes.
    ///
    /// - Parameters:
    ///   - instructions: The value of the request's `instructions` parameter. It precedes the prompt's own
    ///     instructions.
    ///   - turns: The assistant's turns that have thinking blocks. Each of them must match a turn of the prompt.
    /// - Throws: `invalidRequest` for content that the API cannot represent.
    init(_ prompt: Prompt, instructions: String?, turns: [AnthropicTurn]) throws(AIServiceError) {
        let given: [Prompt.Message]
        switch prompt {
        case .text(let text): given = [Prompt.Message(role: .user, text: text)]
        case .messages(let messages): given = messages
        }
        var system = [instructions].compactMap(\.self)
        var turns = turns
        var said: [(role: String, content: [Block])] = []
        for message in given {
            let role = message.role == .assistant ? "assistant" : "user"
            var content: [Block] = []
            if message.role == .system {
                system.append(try Self.instructions(in: message))
                continue
            } else if message.role == .assistant,
                let position = turns.firstIndex(where: { $0.content(of: message.parts) != nil })
            {
                content = (turns.remove(at: position).content(of: message.parts) ?? []).map { .value($0) }
            } else {
                for part in message.parts {
                    if let block = try Self.block(part, of: message.role) { content.append(block) }
                }
            }
            guard !content.isEmpty else { continue }
            if said.last?.role == role { said[said.count - 1].content += content } else { said.append((role, content)) }
        }
        guard turns.isEmpty else {
            throw Self.refusal(
                """
                The parameter thinking_blocks has a turn that is not in the conversation. Pass the assistant's \
                messages unchanged, with text and tool calls, or leave its thinking blocks out.
                """
            )
        }
        guard !said.isEmpty else { throw Self.refusal("The prompt is empty. Add text to it.") }
        system.removeAll { $0.isEmpty }
        self.system = system.isEmpty ? nil : system.joined(separator: "\n\n")
        self.turns = said
    }

    /// Returns a copy of the conversation that has the bytes of its pictures. The bytes are read off the caller's
    /// actor.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: `contentMissing`, or an error of the category `storage`.
    func loaded() async throws(AIServiceError) -> AnthropicConversation {
        var loaded = self
        for (index, turn) in turns.enumerated() {
            for (place, block) in turn.content.enumerated() {
                switch block {
                case .value: continue
                case .picture(let picture): loaded.turns[index].content[place] = .picture(try await picture.read())
                case .document(let file): loaded.turns[index].content[place] = .document(try await file.read())
                }
            }
        }
        return loaded
    }

    private static func instructions(in message: Prompt.Message) throws(AIServiceError) -> String {
        var texts: [String] = []
        for part in message.parts {
            guard case .text(let text) = part else {
                throw refusal("A system message has a part that is not text. Move it to a user message.")
            }
            if !text.isEmpty { texts.append(text) }
        }
        return texts.joined(separator: "\n\n")
    }

    /// Returns a part as a content block; `nil` for an empty text.
    private static func block(_ part: Prompt.Part, of role: Prompt.Role) throws(AIServiceError) -> Block? {
        switch part {
        case .text(let text):
            return text.isEmpty ? nil : .value(["type": "text", "text": .string(text)])
        case .image(let body, let format):
            guard role == .user || role == .tool else {
                throw refusal("An assistant message has a picture. Move it to a user message.")
            }
            return .picture(try PromptPicture(body, format))
        case .document(let body, let format, let name):
            guard role == .user || role == .tool else {
                throw refusal("An assistant message has a document. Move it to a user message.")
            }
            return .document(try PromptFile(body, format, name: name))
        case .link(let address, let content):
            guard role == .user || role == .tool else {
                throw refusal("An assistant message has the address of a file. Move it to a user message.")
            }
            let type = content == .image ? "image" : "document"
            return .value(["type": .string(type), "source": ["type": "url", "url": .string(address)]])
        case .audio:
            throw refusal("The model does not accept audio. Transcribe the audio, and pass the text.")
        case .toolCall(let id, let name, let arguments):
            guard role == .assistant else {
                throw refusal(
                    """
                    A tool call is in a message that is not the assistant's. Move it to an assistant message.
                    """)
            }
            return .value(toolUse(id: id, name: name, arguments: arguments))
        case .toolResult(let id, let content):
            guard role != .assistant else {
                throw refusal("A tool result is in an assistant message. Move it to a tool message.")
            }
            return .value(["type": "tool_result", "tool_use_id": .string(id), "content": .string(content)])
        }
    }

    /// Returns a tool call as a content block.
    static func toolUse(id: String, name: String, arguments: ParameterValue) -> ParameterValue {
        ["type": "tool_use", "id": .string(id), "name": .string(name), "input": arguments]
    }

    private static func refusal(_ message: String) -> AIServiceError { AIServiceError(.invalidRequest, message) }
}

extension PromptFile {
    /// The document as a block of a turn.
    fileprivate var block: ParameterValue {
        [
            "type": "document", "title": .string(name),
            "source": ["type": "base64", "media_type": .string(mediaType), "data": .string(base64)],
        ]
    }
}

extension PromptPicture {
    /// The picture as a block of a turn.
    fileprivate var block: ParameterValue {
        [
            "type": "image",
            "source": ["type": "base64", "media_type": .string(mediaType), "data": .string(base64)],
        ]
    }
}
