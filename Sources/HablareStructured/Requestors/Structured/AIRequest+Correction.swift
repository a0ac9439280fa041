import Foundation
import Hablare

extension AIRequest {
    /// Returns a request that shows a model its answer and the violations in the answer. All other properties are those
    /// of this request, with one exception. The returned request does not stream, because no reader waits for a stream.
    /// Its prompt contains the number of the correction. Without this number, a repeated wrong answer would give the
    /// same request again, and the cache would return the wrong answer.
    func repaired(number: Int, answer: String, violations: [JSONSchema.Violation]) -> AIRequest {
        var repair = named(Self.repairID(of: id, number: number))
        let again = number == 1 ? "" : ", and this is correction \(number)"
        let wants = violations.map { "- \($0.instruction)" }.joined(separator: "\n")
        repair.prompt = .messages(
            prompt.messages + [
                Prompt.Message(role: .assistant, text: answer),
                Prompt.Message(
                    role: .user,
                    text: """
                        Your answer cannot be used: it is not as the JSON schema wants it\(again). What is wrong, each \
                        place as a JSON pointer:
                        \(wants)
                        Answer with the whole corrected JSON, and nothing else.
                        """),
            ])
        repair.streaming = nil
        repair.metadata[Self.repairsKey] = id.uuidString
        return repair
    }
}

extension Prompt {
    /// The prompt as a list of messages.
    var messages: [Message] {
        switch self {
        case .text(let text): [Message(role: .user, text: text)]
        case .messages(let messages): messages
        }
    }
}
