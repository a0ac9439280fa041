public import Hablare
import HablareJSON

extension AnswerMetadata {
    /// The phase of messages in which the model comments on its work before the final answer. Such messages are not
    /// part of the answer.
    public static let commentary = "commentary"
}

/// The output items of a response: the model's reasoning, messages and calls, in order.
///
/// A message may state its `phase`: `commentary`, or `final_answer`. The answer is the text of all messages except
/// commentary. When the conversation continues, all items are sent back unchanged, because the service needs the
/// reasoning in its place, and the phase of each message. Source: `openai` 3.57.0,
/// `types/responses/response_output_message.py` and `response_reasoning_item.py`.
struct OpenAIOutput: Sendable, Hashable {
    let items: [ParameterValue]

    init(_ items: [ParameterValue]) { self.items = items }

    private var messages: [ParameterValue] { items.filter { $0[member: "type"] == "message" } }

    /// Whether a message is commentary.
    static func isCommentary(_ message: ParameterValue) -> Bool { message[member: "phase"] == "commentary" }

    /// The text of the answer. If the response has only commentary, and no final text and no call, the commentary is
    /// the answer.
    var text: String {
        let final = Self.text(of: messages.filter { !Self.isCommentary($0) })
        return final.isEmpty && callIDs.isEmpty ? Self.text(of: messages) : final
    }

    /// The commentary; `nil` if there is none, or if the commentary is the answer.
    var commentary: String? {
        let remarks = messages.filter(Self.isCommentary).map { Self.text(of: [$0]) }.filter { !$0.isEmpty }
        guard !remarks.isEmpty, text != Self.text(of: messages) || !callIDs.isEmpty else { return nil }
        return remarks.joined(separator: "\n\n")
    }

    /// Whether a message of the answer is the model's refusal.
    var isRefusal: Bool {
        messages.contains { message in
            !Self.isCommentary(message)
                && message[member: "content"]?.elements.contains { $0[member: "refusal"]?.string != nil } == true
        }
    }

    /// Whether a part that should be a text has another type.
    var isMalformed: Bool {
        messages.contains { message in
            message[member: "content"]?.elements.contains { part in
                part[member: "refusal"]?.string == nil && part[member: "type"] == "output_text"
                    && part[member: "text"]?.string == nil
            } == true
        }
    }

    /// The ids of the calls of the request's own tools.
    private var callIDs: [String] {
        items.compactMap { $0[member: "type"] == "function_call" ? $0[member: "call_id"]?.string : nil }
    }

    /// Whether the items must be sent back unchanged. `true` if they contain more than text and calls: reasoning, a
    /// phase, or an item of another kind.
    var mustBeKept: Bool {
        items.contains { item in
            switch item[member: "type"]?.string {
            case "message": item[member: "phase"].map { $0 != .null } ?? false
            case "function_call": false
            default: true
            }
        }
    }

    /// Whether the items are a whole turn. `false` if they are only the turn's reasoning.
    var isTurn: Bool { items.contains { ["message", "function_call"].contains($0[member: "type"]?.string) } }

    /// Returns whether the items belong to this turn of a conversation. `true` if the text is the same, and if the
    /// calls are the same in the same order.
    func isTurn(text given: String, calls: [ToolCall]) -> Bool { text == given && callIDs == calls.map(\.id) }

    /// The output without the reasoning items that have no encrypted content. If there are any, the other items lose
    /// their ids: a service may refuse an item by whose id it knows that its reasoning is missing.
    var withoutUnencryptedThinking: OpenAIOutput {
        let kept = items.filter { item in
            item[member: "type"] != "reasoning" || item[member: "encrypted_content"]?.string?.isEmpty == false
        }
        guard kept.count < items.count else { return self }
        return OpenAIOutput(
            kept.map { item in
                guard case .object(var members) = item, item[member: "type"] != "reasoning" else { return item }
                members["id"] = nil
                return .object(members)
            })
    }

    private static func text(of messages: [ParameterValue]) -> String {
        messages.flatMap { $0[member: "content"]?.elements ?? [] }.reduce(into: "") { text, part in
            if let refusal = part[member: "refusal"]?.string {
                text += refusal
            } else if part[member: "type"] == "output_text" {
                text += part[member: "text"]?.string ?? ""
            }
        }
    }
}
