import Foundation
import Hablare

/// A prompt as the messages API has it: what is said to the model apart, and turns of user and assistant.
///
/// - All messages of the system, wherever they stand, are gathered into `system`, with blank lines between them.
/// - Messages of one speaker that follow each other are one turn; results of tools are the user's.
/// - Empty texts, which the API refuses, are left out.
struct AnthropicConversation: Sendable {
    /// Instructions; `nil` for none.
    let system: String?
    /// The turns.
    let messages: [ParameterValue]
    /// How many pictures there are.
    let imageCount: Int

    /// Reads the pictures of a prompt, off the caller's actor.
    ///
    /// - Parameters:
    ///   - instructions: What the parameter of that name says; it stands before the prompt's own.
    ///   - turns: Turns of the assistant with thoughts. Each has to be one of the prompt's.
    /// - Throws: `invalidRequest` for what the API cannot say; `contentMissing` and errors of storage for a picture that
    ///   cannot be read.
    init(_ prompt: Prompt, instructions: String?, turns: [AnthropicTurn]) async throws(AIServiceError) {
        let given: [Prompt.Message]
        switch prompt {
        case .text(let text): given = [Prompt.Message(role: .user, text: text)]
        case .messages(let messages): given = messages
        }
        var system = [instructions].compactMap(\.self)
        var turns = turns
        var said: [(role: String, content: [ParameterValue])] = []
        var imageCount = 0
        for message in given {
            let role = message.role == .assistant ? "assistant" : "user"
            var content: [ParameterValue] = []
            if message.role == .system {
                system.append(try Self.instructions(in: message))
                continue
            } else if message.role == .assistant,
                let place = turns.firstIndex(where: { $0.content(of: message.parts) != nil })
            {
                content = turns.remove(at: place).content(of: message.parts) ?? []
            } else {
                for part in message.parts {
                    if case .image = part { imageCount += 1 }
                    if let block = try await Self.block(part, of: message.role) { content.append(block) }
                }
            }
            guard !content.isEmpty else { continue }
            if said.last?.role == role { said[said.count - 1].content += content } else { said.append((role, content)) }
        }
        guard turns.isEmpty else {
            throw Self.refusal(
                "The parameter thinking_blocks has a turn that is none of the conversation's. Give the assistant's messages as they were answered, text and tool calls, or leave its thoughts out."
            )
        }
        guard !said.isEmpty else { throw Self.refusal("The prompt is empty. Say something in it.") }
        system.removeAll { $0.isEmpty }
        self.system = system.isEmpty ? nil : system.joined(separator: "\n\n")
        self.imageCount = imageCount
        messages = said.map { ["role": .string($0.role), "content": .array($0.content)] }
    }

    private static func instructions(in message: Prompt.Message) throws(AIServiceError) -> String {
        var texts: [String] = []
        for part in message.parts {
            guard case .text(let text) = part else {
                throw refusal("A message of the system has something else than text. Put it into one of the user's.")
            }
            if !text.isEmpty { texts.append(text) }
        }
        return texts.joined(separator: "\n\n")
    }

    /// A part as a block; `nil` for an empty text.
    private static func block(
        _ part: Prompt.Part, of role: Prompt.Role
    ) async throws(AIServiceError) -> ParameterValue? {
        switch part {
        case .text(let text):
            return text.isEmpty ? nil : ["type": "text", "text": .string(text)]
        case .image(let body, let format):
            guard role == .user || role == .tool else {
                throw refusal("A message of the assistant has a picture. Put it into one of the user's.")
            }
            return try await image(body, format)
        case .toolCall(let id, let name, let arguments):
            guard role == .assistant else {
                throw refusal("A tool call stands in a message that is not the assistant's. Put it into one of those.")
            }
            return toolUse(id: id, name: name, arguments: arguments)
        case .toolResult(let id, let content):
            guard role != .assistant else {
                throw refusal("A tool's result stands in a message of the assistant's. Put it into one of the tool's.")
            }
            return ["type": "tool_result", "tool_use_id": .string(id), "content": .string(content)]
        }
    }

    /// A call of a tool as a block.
    static func toolUse(id: String, name: String, arguments: ParameterValue) -> ParameterValue {
        ["type": "tool_use", "id": .string(id), "name": .string(name), "input": arguments]
    }

    private static func image(_ body: Body, _ format: ImageFormat) async throws(AIServiceError) -> ParameterValue {
        let types = ["jpeg": "jpeg", "jpg": "jpeg", "png": "png", "gif": "gif", "webp": "webp"]
        guard let type = types[format.rawValue.lowercased()] else {
            throw refusal("Anthropic takes pictures in JPEG, PNG, GIF and WebP. Convert the others.")
        }
        guard body.byteCount < AnthropicService.maximumRequestBytes else {
            throw refusal(
                "A picture has \(body.byteCount) bytes; Anthropic takes less than \(AnthropicService.maximumRequestBytes) for a whole request. Scale it down."
            )
        }
        let bytes: Data
        do {
            bytes = try await body.data()
        } catch let error as AIServiceError {
            throw error
        } catch {
            throw AIServiceError(
                .contentMissing, "A picture of the prompt cannot be read. Check the file.",
                cause: "\(Swift.type(of: error))")
        }
        return [
            "type": "image",
            "source": [
                "type": "base64", "media_type": .string("image/\(type)"), "data": .string(bytes.base64EncodedString()),
            ],
        ]
    }

    private static func refusal(_ message: String) -> AIServiceError { AIServiceError(.invalidRequest, message) }
}
