import Foundation
import Hablare

/// A prompt as a list of turns, which both text APIs of OpenAI can represent.
struct OpenAIConversation: Sendable, Hashable {
    /// A piece of a user's turn.
    enum Piece: Sendable, Hashable {
        case text(String)
        case image(PromptPicture)
        case document(PromptFile)
        case audio(PromptFile)
        case link(String, Prompt.LinkedContent)

        /// Returns a copy of the piece that has its bytes. The bytes are read off the caller's actor.
        fileprivate func loaded() async throws(AIServiceError) -> Piece {
            switch self {
            case .text, .link: self
            case .image(let picture): .image(try await picture.read())
            case .document(let file): .document(try await file.read())
            case .audio(let file): .audio(try await file.read())
            }
        }
    }

    /// The audio formats that the chat API accepts (openai 3.57.0, `ChatCompletionContentPartInputAudioParam`).
    private static let audioFormats = ["wav", "mp3"]

    /// A turn of the conversation.
    enum Turn: Sendable, Hashable {
        case system(String)
        case user([Piece])
        case assistant(text: String, calls: [ToolCall])
        case toolResult(id: String, content: String)
    }

    var turns: [Turn]

    /// Reads a prompt, without the bytes of its pictures and files. ``loaded()`` reads those bytes.
    ///
    /// - Parameters:
    ///   - prompt: The prompt.
    ///   - kinds: The kinds of prompt parts that the API accepts.
    ///   - provider: The provider, which errors name.
    /// - Throws: ``/Hablare/AIServiceError``: `invalidRequest` in these cases:
    ///   - The conversation has no messages.
    ///   - A role cannot have the part, or the API does not accept the part.
    ///   - A picture is not PNG, JPEG, WebP or GIF.
    ///   - A document is not PDF.
    ///   - Audio is not WAV or MP3.
    init(_ prompt: Prompt, taking kinds: PromptKinds, of provider: ProviderID) throws(AIServiceError) {
        try kinds.check(prompt, of: provider)
        switch prompt {
        case .text(let text):
            turns = [.user([.text(text)])]
        case .messages(let messages):
            turns = []
            for message in messages { try append(message) }
            guard !turns.isEmpty else {
                throw AIServiceError(.invalidRequest, "The conversation has no message. Add at least one.")
            }
        }
    }

    /// Returns a copy of the conversation that has the bytes of its pictures and files. The bytes are read off the
    /// caller's actor.
    ///
    /// - Throws: ``/Hablare/AIServiceError``: `contentMissing`, or an error of the category `storage`.
    func loaded() async throws(AIServiceError) -> OpenAIConversation {
        var loaded = self
        for (index, turn) in turns.enumerated() {
            guard case .user(var pieces) = turn else { continue }
            for (place, piece) in pieces.enumerated() { pieces[place] = try await piece.loaded() }
            loaded.turns[index] = .user(pieces)
        }
        return loaded
    }

    private mutating func append(_ message: Prompt.Message) throws(AIServiceError) {
        switch message.role {
        case .system: turns.append(.system(try Self.text(of: message)))
        case .assistant: try appendAssistant(message)
        case .user, .tool: try appendUser(message)
        }
    }

    /// Appends a message of a user or a tool. Each tool result becomes a separate turn.
    private mutating func appendUser(_ message: Prompt.Message) throws(AIServiceError) {
        var pieces: [Piece] = []
        for part in message.parts {
            switch part {
            case .text(let text) where message.role == .user: pieces.append(.text(text))
            case .image(let body, let format) where message.role == .user:
                pieces.append(.image(try PromptPicture(body, format)))
            case .document(let body, let format, let name) where message.role == .user:
                pieces.append(.document(try PromptFile(body, format, name: name)))
            case .audio(let body, let format) where message.role == .user:
                pieces.append(.audio(try PromptFile(body, format, among: Self.audioFormats)))
            case .link(let address, let content) where message.role == .user:
                pieces.append(.link(address, content))
            case .toolResult(let id, let content):
                if !pieces.isEmpty { turns.append(.user(pieces)) }
                pieces = []
                turns.append(.toolResult(id: id, content: content))
            default: throw Self.misplaced(message.role)
            }
        }
        if !pieces.isEmpty { turns.append(.user(pieces)) }
    }

    private mutating func appendAssistant(_ message: Prompt.Message) throws(AIServiceError) {
        var texts: [String] = []
        var calls: [ToolCall] = []
        for part in message.parts {
            switch part {
            case .text(let text): texts.append(text)
            case .toolCall(let id, let name, let arguments):
                calls.append(ToolCall(id: id, name: name, arguments: arguments))
            case .image, .document, .audio, .link, .toolResult: throw Self.misplaced(message.role)
            }
        }
        guard !texts.isEmpty || !calls.isEmpty else { return }
        turns.append(.assistant(text: texts.joined(separator: "\n\n"), calls: calls))
    }

    private static func text(of message: Prompt.Message) throws(AIServiceError) -> String {
        var texts: [String] = []
        for part in message.parts {
            guard case .text(let text) = part else { throw misplaced(message.role) }
            texts.append(text)
        }
        return texts.joined(separator: "\n\n")
    }

    private static func misplaced(_ role: Prompt.Role) -> AIServiceError {
        AIServiceError(
            .invalidRequest,
            "A message with the role \(role.rawValue) has a part that is not allowed there. Move pictures and files to user messages, tool calls to assistant messages, and tool results to tool messages."
        )
    }
}

extension PromptPicture {
    /// The picture as a data URL (RFC 2397).
    var address: String { "data:\(mediaType);base64,\(base64)" }
}
