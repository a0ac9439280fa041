import Foundation
import Hablare

/// A message that is complete, as an answer has it. Pure.
struct AnthropicMessage: Sendable {
    /// What stands beside the content.
    let metadata: [String: String]
    /// What was used.
    let usage: Usage
    /// Why it ends, by the names of ``/Hablare/AnswerMetadata/finishReason``.
    let finishReason: String
    /// Whether the model wants tools called.
    let hasToolCalls: Bool

    /// Reads what the stream had.
    ///
    /// - Throws: A fault for a tool call whose arguments are no JSON, unless the message was cut within them: then the
    ///   call, which nobody can make, is left out.
    init(_ reader: AnthropicMessageReader, requestID: String?) throws(AnthropicMessageReader.Fault) {
        finishReason = Self.finishReason(reader.stopReason ?? "")
        var calls: [ToolCall] = []
        var pieces: [AnthropicTurn.Piece] = []
        for block in reader.blocks {
            switch block {
            case .text(let bytes): pieces.append(.text(bytes: bytes))
            case .thinking(let text, let signature):
                pieces.append(
                    .thoughts(["type": "thinking", "thinking": .string(text), "signature": .string(signature)]))
            case .redacted(let data):
                pieces.append(.thoughts(["type": "redacted_thinking", "data": .string(data)]))
            case .tool(let id, let name, let json):
                guard let arguments = Self.arguments(json) else {
                    if finishReason == "length" { continue }
                    throw .malformed("a tool call with arguments that are none")
                }
                calls.append(ToolCall(id: id, name: name, arguments: arguments))
                pieces.append(.tool(id: id))
            case .other: break
            }
        }
        var metadata = reader.tokens.metadata
        metadata[AnswerMetadata.finishReason] = finishReason
        metadata[AnswerMetadata.model] = reader.model
        metadata[AnswerMetadata.requestID] = requestID
        metadata["stop_sequence"] = reader.stopSequence
        do throws(AIServiceError) {
            metadata[AnswerMetadata.toolCalls] = try ToolCall.metadata(calls)
            metadata[AnswerMetadata.thinking] = try AnthropicTurn(pieces).metadata()
        } catch {
            throw .malformed("a number that is not finite")
        }
        self.metadata = metadata
        usage = reader.tokens.usage
        hasToolCalls = !calls.isEmpty
    }

    private static func arguments(_ json: String) -> ParameterValue? {
        if json.isEmpty { return [:] }
        guard let value = ParameterValue(json: Data(json.utf8)), case .object = value else { return nil }
        return value
    }

    private static func finishReason(_ reason: String) -> String {
        switch reason {
        case "end_turn", "stop_sequence": "stop"
        case "max_tokens", "model_context_window_exceeded": "length"
        case "tool_use": "tool_calls"
        default: ServiceRefusal.word(reason)
        }
    }
}
