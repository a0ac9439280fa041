import Foundation
import Hablare
import HablareJSON

/// What a model wrote in one turn, as far as it has to be said again when the conversation goes on: its thoughts as they
/// were, and between them how much text and which calls of tools, which the conversation itself has.
///
/// A model that calls tools wants its thoughts back unchanged and in their places, with the signature that shows that they
/// are its own (https://platform.claude.com/docs/en/build-with-claude/extended-thinking).
struct AnthropicTurn: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        /// A block of thoughts, in the service's form.
        case thoughts(ParameterValue)
        /// So many bytes of text.
        case text(bytes: Int)
        /// A call of a tool.
        case tool(id: String)
    }

    let pieces: [Piece]

    init(_ pieces: [Piece]) { self.pieces = pieces }

    /// Whether there is anything that the conversation does not have.
    var hasThoughts: Bool { pieces.contains { if case .thoughts = $0 { true } else { false } } }

    // MARK: As text

    /// For ``/Hablare/AnswerMetadata/thinking``; `nil` where nothing was thought.
    func metadata() throws(AIServiceError) -> String? {
        guard hasThoughts else { return nil }
        let list = pieces.map { piece -> ParameterValue in
            switch piece {
            case .thoughts(let block): block
            case .text(let bytes): ["type": "text", "bytes": .int(Int64(bytes))]
            case .tool(let id): ["type": "tool_use", "id": .string(id)]
            }
        }
        return String(decoding: try ParameterValue.array(list).jsonData(), as: UTF8.self)
    }

    /// Reads what ``metadata()`` wrote; `nil` for something else.
    init?(metadata text: String) {
        guard case .array(let list)? = ParameterValue(json: Data(text.utf8)) else { return nil }
        var pieces: [Piece] = []
        for entry in list {
            switch entry[member: "type"]?.string {
            case "thinking", "redacted_thinking": pieces.append(.thoughts(entry))
            case "text":
                guard let bytes = entry[member: "bytes"]?.count.flatMap({ Int(exactly: $0) }) else { return nil }
                pieces.append(.text(bytes: bytes))
            case "tool_use":
                guard let id = entry[member: "id"]?.string else { return nil }
                pieces.append(.tool(id: id))
            default: return nil
            }
        }
        self.pieces = pieces
    }

    // MARK: Sent back

    /// The content of a message of the assistant's with the thoughts in their places; `nil` where it is not this turn.
    func content(of parts: [Prompt.Part]) -> [ParameterValue]? {
        var whole = ""
        var calls: [String: ParameterValue] = [:]
        var order: [String] = []
        for part in parts {
            switch part {
            case .text(let text): whole += text
            case .toolCall(let id, let name, let arguments):
                calls[id] = AnthropicConversation.toolUse(id: id, name: name, arguments: arguments)
                order.append(id)
            case .image, .toolResult: return nil
            }
        }
        var text = whole[...].utf8
        let wanted = pieces.compactMap { if case .tool(let id) = $0 { id } else { nil } }
        guard wanted == order else { return nil }
        var content: [ParameterValue] = []
        for piece in pieces {
            switch piece {
            case .thoughts(let block): content.append(block)
            case .tool(let id): if let call = calls[id] { content.append(call) }
            case .text(let bytes):
                // A block of text that ends behind the text or within a character is none of this text's.
                guard bytes <= text.count, let said = String(text.prefix(bytes)) else { return nil }
                text = text.dropFirst(bytes)
                if !said.isEmpty { content.append(["type": "text", "text": .string(said)]) }
            }
        }
        return text.isEmpty ? content : nil
    }
}
