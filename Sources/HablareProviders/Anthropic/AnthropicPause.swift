import Foundation
import Hablare
import HablareJSON

/// The part of an answer before a pause, in the form that the service needs to continue the answer.
struct AnthropicPause: Sendable, Hashable {
    /// The content blocks, exactly as the service sent them.
    let content: [ParameterValue]
    /// The id of the container in which the service's tools ran; `nil` if no container was used.
    let container: String?

    /// The assistant's message to append to the conversation.
    var message: ParameterValue { ["role": "assistant", "content": .array(content)] }
}

/// The content of a message, assembled from its stream without loss.
///
/// The service continues a paused turn only if the client sends the turn's content back unchanged. This includes the
/// blocks of the service's own tools (https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons).
struct AnthropicContent: Sendable {
    private struct Block: Sendable {
        var members: [String: ParameterValue]
        var texts: [String: String] = [:]
        var json = ""
        var citations: [ParameterValue] = []
    }

    private var blocks: [Block] = []
    private var places: [Int64: Int] = [:]
    /// Whether the content is complete. `false` if a piece was not understood, so that the content cannot be sent back
    /// unchanged.
    private var isWhole = true

    /// Begins a block.
    mutating func start(
        _ index: Int64, _ block: ParameterValue, within budget: inout AnswerBudget
    ) throws(TextFault) {
        guard case .object(let members) = block else { return isWhole = false }
        try budget.charge(block)
        places[index] = blocks.count
        blocks.append(Block(members: members))
    }

    /// Adds a piece to a block.
    mutating func add(
        _ delta: ParameterValue, to index: Int64, within budget: inout AnswerBudget
    ) throws(TextFault) {
        guard let place = places[index] else { return isWhole = false }
        try budget.charge(delta)
        func piece(_ name: String) -> String { delta[member: name]?.string ?? "" }
        switch delta[member: "type"]?.string {
        case "text_delta": blocks[place].texts["text", default: ""] += piece("text")
        case "thinking_delta": blocks[place].texts["thinking", default: ""] += piece("thinking")
        case "signature_delta": blocks[place].texts["signature", default: ""] += piece("signature")
        case "input_json_delta": blocks[place].json += piece("partial_json")
        case "citations_delta":
            guard let citation = delta[member: "citation"] else { return isWhole = false }
            blocks[place].citations.append(citation)
        default: isWhole = false
        }
    }

    /// Begins the next message of the same turn. The message's blocks follow the existing blocks.
    mutating func nextMessage() { places = [:] }

    /// Returns the content blocks; `nil` if they cannot be sent back unchanged. Empty texts are left out, because the
    /// API refuses them.
    func values() -> [ParameterValue]? {
        guard isWhole, !blocks.isEmpty else { return nil }
        var values: [ParameterValue] = []
        for block in blocks {
            var members = block.members
            for (name, text) in block.texts {
                members[name] = .string((members[name]?.string ?? "") + text)
            }
            if !block.json.isEmpty {
                guard let input = ParameterValue(lenientJSON: Data(block.json.utf8)) else { return nil }
                members["input"] = input
            }
            if !block.citations.isEmpty {
                members["citations"] = .array((members["citations"]?.elements ?? []) + block.citations)
            }
            if members["type"] == "text", members["text"]?.string?.isEmpty != false { continue }
            values.append(.object(members))
        }
        return values.isEmpty ? nil : values
    }
}
