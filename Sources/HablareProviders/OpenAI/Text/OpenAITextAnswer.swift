import Foundation
import Hablare

/// What a language model answered beside its text, gathered while it comes.
struct OpenAITextAnswer: Sendable {
    /// The service's own name of the answer, for its support.
    var id: String?
    /// The model that answered.
    var model: String?
    /// Why it ends; `nil` until it does.
    var finishReason: String?
    /// Whether the text is the words in which the model refuses.
    var isRefusal = false
    var tools = ToolCallAssembly()
    /// What the model thought, in the service's own form.
    var thinking: [ParameterValue] = []
    var tokens = OpenAITokens()
    /// How much of it is kept.
    var budget = AnswerBudget()

    /// Whether anything was used, so that it is to be paid for.
    var hasUsed: Bool { tokens.usage.outputTokens > 0 }

    /// What stands beside the text.
    ///
    /// - Throws: A fault for tool calls that are none.
    func ending(requestID: String?) throws(TextFault) -> TextEnding {
        guard let calls = tools.calls() else {
            throw .malformed(
                finishReason == "length" ? "a tool call that was cut at max_tokens" : "a tool call without name or JSON"
            )
        }
        var metadata = tokens.metadata
        metadata[AnswerMetadata.requestID] = requestID ?? id
        metadata[AnswerMetadata.model] = model
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
