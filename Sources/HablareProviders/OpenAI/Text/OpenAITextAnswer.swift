import Foundation
import Hablare
import HablareJSON

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

    /// What the service says was used, so that it is to be paid for; `nil` where it says nothing, or that it was nothing.
    var counted: Usage? { tokens.usage == Usage() ? nil : tokens.usage }
    /// Whether anything was used.
    var hasUsed: Bool { counted != nil }

    /// What stands beside the text. The last tool call of an answer that was cut may be cut itself: nobody can make it,
    /// so it is left out.
    ///
    /// - Throws: A fault for tool calls that are none.
    func ending(requestID: String?) throws(TextFault) -> TextEnding {
        guard let calls = tools.calls(areCut: finishReason == "length") else {
            throw .malformed("a tool call without name or JSON")
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
