import Foundation
import Hablare

extension AIRequest {
    /// Returns a repair: a request that shows a model its own answer, with the violations of the schema in this answer.
    /// The repair has the other properties of this request, with one exception. It does not stream, because no reader
    /// waits for a stream. The prompt contains the number of the repair. Without the number, the second repair of the
    /// same wrong answer would have the same content as the first repair, and the cache would return the wrong answer
    /// again.
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
