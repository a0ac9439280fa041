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
    var usage = Usage()
    var cachedTokens: Int64?
    var cacheWriteTokens: Int64?
    var reasoningTokens: Int64?

    /// Whether anything was used, so that it is to be paid for.
    var hasUsed: Bool { usage.outputTokens > 0 }

    /// The answer's metadata.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidResponse`` for tool calls that are none.
    func metadata(of answer: ServiceAnswer) throws(AIServiceError) -> [String: String] {
        guard let calls = tools.calls() else {
            throw answer.unreadable(
                finishReason == "length" ? "a tool call that was cut at max_tokens" : "a tool call without name or JSON"
            )
        }
        var metadata: [String: String] = [:]
        metadata[AnswerMetadata.requestID] = answer.requestID ?? id
        metadata[AnswerMetadata.model] = model
        metadata[AnswerMetadata.finishReason] = isRefusal ? "refusal" : finishReason
        metadata[AnswerMetadata.toolCalls] = try ToolCall.metadata(calls)
        if !thinking.isEmpty {
            metadata[AnswerMetadata.thinking] = String(
                decoding: try ParameterValue.array(thinking).jsonData(), as: UTF8.self)
        }
        metadata[AnswerMetadata.cachedInputTokens] = cachedTokens.map(String.init)
        metadata[AnswerMetadata.cacheWriteTokens] = cacheWriteTokens.map(String.init)
        metadata[AnswerMetadata.reasoningTokens] = reasoningTokens.map(String.init)
        return metadata
    }
}

/// What one event of an answer brings.
enum OpenAITextStep: Sendable, Hashable {
    /// Nothing to show.
    case nothing
    /// The next piece of the text.
    case text(String)
    /// It was the last one; with what is still missing of the text.
    case end(rest: String)
}

/// Why an event cannot be read.
enum OpenAIAnswerFault: Error, Sendable, Hashable {
    /// It is not of the API; in a few words, never with any of its own.
    case malformed(String)
    /// The service says that it failed.
    case failed(ParameterValue)
    /// Somebody cancelled it at the service.
    case cancelled
}

/// Reads the events of one of OpenAI's APIs for text. Pure.
protocol OpenAITextReader: Sendable {
    /// What came so far.
    var answer: OpenAITextAnswer { get }
    /// Whether a part of the answer came.
    var hasBegun: Bool { get }
    /// Whether nothing of the answer can be missing, though its end was not said.
    var isComplete: Bool { get }
    /// Takes an event of a stream.
    mutating func read(_ event: ServerSentEvent) throws(OpenAIAnswerFault) -> OpenAITextStep
    /// Takes an answer that comes in one piece; returns its text.
    mutating func read(whole value: ParameterValue) throws(OpenAIAnswerFault) -> String
}
