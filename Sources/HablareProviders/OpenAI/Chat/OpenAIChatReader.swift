import Foundation
import Hablare
import HablareJSON

/// A reader of `chat/completions` answers: chunks of a stream, or a completion.
///
/// Compatible servers may leave members out or add members, and the reader accepts this. It throws a fault only if a
/// part of the answer would be lost.
struct OpenAIChatReader: WholeTextReader {
    typealias Service = OpenAIService
    static let mostText = 16 << 20

    private(set) var answer = OpenAITextAnswer()
    /// Whether the model has written anything, including thinking or the arguments of a tool call.
    private var hasWritten = false
    private var hasChoice = false
    /// The model's reasoning, which some servers send in addition to the answer.
    private var reasoning = ""

    var hasBegun: Bool { hasWritten || answer.hasUsed }
    var isComplete: Bool { answer.finishReason != nil }
    var usage: Usage { answer.tokens.usage }
    var counted: Usage? { answer.counted }

    func ending(requestID: String?) throws(TextFault) -> TextEnding {
        var answer = answer
        if !reasoning.isEmpty {
            let calls = answer.tools.calls(areCut: answer.finishReason == "length") ?? []
            answer.thinking = [KeptReasoning(text: reasoning, calls: calls.map(\.id)).value]
        }
        return try answer.ending(requestID: requestID)
    }

    mutating func read(_ event: ServerSentEvent) throws(TextFault) -> TextStep {
        if event.data.starts(with: Data("[DONE]".utf8)) {
            guard hasChoice else { throw .malformed("a stream without an answer") }
            return .end(remainder: "")
        }
        guard let value = ParameterValue(lenientJSON: event.data), case .object = value else {
            throw .malformed("an event that is not a JSON object")
        }
        if event.type == "error", value[member: "error"] == nil { throw .failed(value) }
        let text = try read(value, "delta")
        return text.isEmpty ? .nothing : .text(text)
    }

    mutating func read(whole value: ParameterValue) throws(TextFault) -> String {
        let text = try read(value, "message")
        guard hasChoice else { throw .malformed("no choice") }
        return text
    }

    /// Reads a chunk or a completion. `member` is the name of the member that contains the part of the answer.
    private mutating func read(_ value: ParameterValue, _ member: String) throws(TextFault) -> String {
        if let usage = value[member: "usage"], usage != .null { answer.tokens.learn(usage) }
        if let error = value[member: "error"], error != .null { throw .failed(error) }
        answer.id = answer.id ?? value[member: "id"]?.string
        answer.model = answer.model ?? value[member: "model"]?.string
        guard let choices = value[member: "choices"], choices != .null else { return "" }
        guard case .array(let list) = choices else { throw .malformed("choices that are not a list") }
        // The request never asks for several choices; if there are several, the first is the answer.
        guard let choice = list.first(where: { ($0[member: "index"]?.count ?? 0) == 0 }) else { return "" }
        guard case .object = choice else { throw .malformed("a choice that is not an object") }
        hasChoice = true
        let text = try read(part: choice[member: member] ?? .null)
        try read(finish: choice[member: "finish_reason"] ?? .null)
        return text
    }

    private mutating func read(part: ParameterValue) throws(TextFault) -> String {
        guard part != .null else { return "" }
        guard case .object(let members) = part else { throw .malformed("a part that is not an object") }
        // Servers name a model's thinking differently. Any content beside the role counts as written.
        if members.contains(where: { $0.key != "role" && Self.hasContent($0.value) }) { hasWritten = true }
        try read(tools: part[member: "tool_calls"] ?? .null)
        try read(reasoningOf: part)
        var text = try Self.text(part[member: "content"] ?? .null)
        switch part[member: "refusal"] ?? .null {
        case .null: break
        case .string(let refusal):
            if !refusal.isEmpty { answer.isRefusal = true }
            text += refusal
        default: throw .malformed("a refusal that is not a text")
        }
        return text
    }

    /// The members that contain the model's reasoning. `reasoning_content` is used by DeepSeek, xAI, llama.cpp and
    /// older vLLM. `reasoning` is used by OpenRouter, Groq, Ollama and newer vLLM. Some servers send both members with
    /// the same text.
    private static let reasoningMembers = ["reasoning_content", "reasoning"]

    /// Stores the reasoning that a part contains. Mistral sends reasoning as content parts of the type `thinking`.
    private mutating func read(reasoningOf part: ParameterValue) throws(TextFault) {
        var text = Self.reasoningMembers.lazy.compactMap { part[member: $0]?.string }.first { !$0.isEmpty } ?? ""
        for piece in part[member: "content"]?.elements ?? [] where piece[member: "type"]?.string == "thinking" {
            text += piece[member: "thinking"]?.string ?? ""
            for inner in piece[member: "thinking"]?.elements ?? [] { text += inner[member: "text"]?.string ?? "" }
        }
        guard !text.isEmpty else { return }
        try answer.budget.charge(text)
        reasoning += text
    }

    /// Whether a member of a part has content. Chunks have many empty members.
    private static func hasContent(_ value: ParameterValue) -> Bool {
        switch value {
        case .null, "", [], [:]: false
        default: true
        }
    }

    /// Returns the text of a content. Some servers send a list of parts in place of a text.
    private static func text(_ content: ParameterValue) throws(TextFault) -> String {
        switch content {
        case .null: return ""
        case .string(let text): return text
        case .array(let parts): return parts.compactMap { $0[member: "text"]?.string }.joined()
        default: throw .malformed("content that is not a text")
        }
    }

    private mutating func read(tools: ParameterValue) throws(TextFault) {
        guard tools != .null else { return }
        guard case .array(let calls) = tools else { throw .malformed("tool calls that are not a list") }
        for call in calls {
            guard case .object = call else { throw .malformed("a tool call that is not an object") }
            let function = call[member: "function"]
            try answer.tools.take(
                index: call[member: "index"]?.count, id: call[member: "id"]?.string,
                name: function?[member: "name"]?.string, arguments: function?[member: "arguments"],
                within: &answer.budget)
        }
    }

    private mutating func read(finish: ParameterValue) throws(TextFault) {
        switch finish {
        case .null: break
        case .string("error"): throw .failed(["code": "server_error"])
        case .string("function_call"): answer.finishReason = "tool_calls"
        case .string(let reason): answer.finishReason = String(reason.prefix(64))
        default: throw .malformed("an end without a reason")
        }
    }
}
