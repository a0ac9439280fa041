import Foundation
import Hablare
import HablareJSON

/// The pieces of an assistant's turn that the client must send again when the conversation continues.
///
/// Thinking blocks are kept unchanged. Of a text, only the number of bytes is kept, and of a tool call only the id,
/// because the conversation itself contains texts and tool calls.
///
/// A model that calls tools needs its thinking blocks back. They must be unchanged, signed, and in their place
/// (https://platform.claude.com/docs/en/build-with-claude/extended-thinking).
struct AnthropicTurn: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        /// A thinking block, in the service's form.
        case thoughts(ParameterValue)
        /// A text with this number of bytes.
        case text(bytes: Int)
        /// A tool call.
        case tool(id: String)
    }

    let pieces: [Piece]

    init(_ pieces: [Piece]) { self.pieces = pieces }

    /// Whether the turn has thinking. The conversation itself does not contain thinking.
    var hasThoughts: Bool { pieces.contains { if case .thoughts = $0 { true } else { false } } }

    // MARK: Encoding

    /// Returns the value for ``/Hablare/AnswerMetadata/thinking``; `nil` if the turn has no thinking.
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

    /// Reads a text that ``metadata()`` returned. Returns `nil` for any other text.
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

    // MARK: Sending it back

    /// Returns the content of an assistant's message with the thinking blocks in place. Returns `nil` if the message
    /// does not belong to this turn.
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
            case .image, .document, .audio, .link, .toolResult: return nil
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
                // A text block that ends after the text, or within a character, does not belong to this message.
                guard bytes <= text.count, let said = String(text.prefix(bytes)) else { return nil }
                text = text.dropFirst(bytes)
                if !said.isEmpty { content.append(["type": "text", "text": .string(said)]) }
            }
        }
        return text.isEmpty ? content : nil
    }
}
