import Foundation
import Hablare
import HablareJSON

/// The form of a text that an answer's metadata has under ``/Hablare/AnswerMetadata/thinking``.
///
/// A service understands only its own form. If a fallback continues a conversation at another service, the conversation
/// still has texts in the form of the first service. The provider of the second service leaves these texts out.
enum KeptThinking: Sendable, Hashable {
    /// Blocks of Anthropic's messages API.
    case blocks
    /// Items of OpenAI's Responses API.
    case items
    /// The reasoning of a server with OpenAI's chat API. Only some of these servers want it back.
    case reasoning

    /// Recognizes the form; `nil` for any other text.
    init?(_ text: String) {
        guard case .array(let entries)? = ParameterValue(json: Data(text.utf8)), !entries.isEmpty else { return nil }
        let types = entries.map { $0[member: "type"]?.string }
        if types.allSatisfy({ $0.map(Self.blockTypes.contains) ?? false }) {
            self = .blocks
        } else if types.contains(where: { $0.map(Self.itemTypes.contains) ?? false }) {
            self = .items
        } else if entries.allSatisfy({ $0[member: "reasoning_content"]?.string != nil }) {
            self = .reasoning
        } else {
            return nil
        }
    }

    private static let blockTypes: Set = ["thinking", "redacted_thinking", "text", "tool_use"]
    private static let itemTypes: Set = ["reasoning", "message", "function_call"]
}
