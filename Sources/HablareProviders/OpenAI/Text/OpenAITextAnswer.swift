import Foundation
import Hablare
import HablareJSON

/// A language model's answer without its text. The parts are collected while the answer arrives.
struct OpenAITextAnswer: Sendable {
    /// The service's id of the answer, which the service's support can look up.
    var id: String?
    /// The model that answered.
    var model: String?
    /// The reason why the answer ended; `nil` before it ends.
    var finishReason: String?
    /// Whether the text is the model's refusal.
    var isRefusal = false
    var tools = ToolCallAssembly()
    /// The model's thinking, in the service's own form. In the responses API, this is the whole output, because that
    /// API needs the whole output back with the thinking in its place.
    var thinking: [ParameterValue] = []
    /// The text in which the model comments on its work. It is not part of the answer.
    var commentary: String?
    var tokens = OpenAITokens()
    /// The limit for the content that is kept in memory.
    var budget = AnswerBudget()

    /// The usage that the service reports and bills; `nil` if the service reports none or zero.
    var counted: Usage? { tokens.usage == Usage() ? nil : tokens.usage }
    /// Whether the service reported a usage.
    var hasUsed: Bool { counted != nil }

    /// Returns everything except the text. If the answer was cut off, an incomplete last tool call is left out.
    ///
    /// - Throws: A fault for invalid tool calls.
    func ending(requestID: String?) throws(TextFault) -> TextEnding {
        guard let calls = tools.calls(areCut: finishReason == "length") else {
            throw .malformed("a tool call without name or JSON")
        }
        var metadata = tokens.metadata
        metadata[AnswerMetadata.requestID] = requestID ?? id
        metadata[AnswerMetadata.model] = model
        metadata[AnswerMetadata.commentary] = commentary
        metadata[AnswerMetadata.finishReason] = isRefusal ? "refusal" : finishReason
        do throws(AIServiceError) {
            metadata[AnswerMetadata.toolCalls] = try ToolCall.metadata(calls)
            if !thinking.isEmpty {
                metadata[AnswerMetadata.thinking] = String(
                    decoding: try ParameterValue.array(thinking).jsonData(), as: UTF8.self)
            }
        } catch {
            throw .malformed("a number that is not finite")
        }
        return TextEnding(metadata: metadata, hasToolCalls: !calls.isEmpty)
    }
}
