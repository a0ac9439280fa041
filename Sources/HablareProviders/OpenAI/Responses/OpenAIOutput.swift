public import Hablare
import HablareJSON

extension AnswerMetadata {
    /// The model's remarks on its work before the final answer, as text. They are not a part of the answer.
    public static let commentary = "commentary"
}

/// The output items of a response: the model's reasoning, messages and calls, in their order. Pure.
///
/// A message may say its `phase`: `commentary` on the work, or `final_answer`. The answer is the text of the messages
/// that are not commentary. Items are sent back as they came, because the service wants the reasoning in its place and
/// the phase of each message (`openai` 3.57.0, `types/responses/response_output_message.py` and
/// `response_reasoning_item.py`).
struct OpenAIOutput: Sendable, Hashable {
    let items: [ParameterValue]

    init(_ items: [ParameterValue]) { self.items = items }

    private var messages: [ParameterValue] { items.filter { $0[member: "type"] == "message" } }

    /// Whether a message is commentary.
    static func isCommentary(_ message: ParameterValue) -> Bool { message[member: "phase"] == "commentary" }

    /// The text of the answer. Commentary is the answer if the response has nothing else: no final text and no call.
    var text: String {
        let final = Self.text(of: messages.filter { !Self.isCommentary($0) })
        return final.isEmpty && callIDs.isEmpty ? Self.text(of: messages) : final
    }

    /// The commentary; `nil` if there is none, or if it is the answer.
    var commentary: String? {
        let remarks = messages.filter(Self.isCommentary).map { Self.text(of: [$0]) }.filter { !$0.isEmpty }
        guard !remarks.isEmpty, text != Self.text(of: messages) || !callIDs.isEmpty else { return nil }
        return remarks.joined(separator: "\n\n")
    }

    /// Whether the model refuses in a message of the answer.
    var isRefusal: Bool {
        messages.contains { message in
            !Self.isCommentary(message)
                && message[member: "content"]?.elements.contains { $0[member: "refusal"]?.string != nil } == true
        }
    }

    /// Whether a part that should be text is not.
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

    /// Whether the text and the calls alone do not say everything that must be sent back: there is reasoning, a phase,
    /// or an item of another kind.
    var mustBeKept: Bool {
        items.contains { item in
            switch item[member: "type"]?.string {
            case "message": item[member: "phase"].map { $0 != .null } ?? false
            case "function_call": false
            default: true
            }
        }
    }

    /// Whether the items are a whole turn, and not only the reasoning in it.
    var isTurn: Bool { items.contains { ["message", "function_call"].contains($0[member: "type"]?.string) } }

    /// Returns whether the items are this turn of a conversation: the same text, and the same calls in their order.
    func isTurn(text given: String, calls: [ToolCall]) -> Bool { text == given && callIDs == calls.map(\.id) }

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
