import Foundation
import Hablare

/// What is said beside an answer, so that nobody takes it for more than it is. Pure.
enum AnswerNote {
    /// The lines that are said, in their order; none of a whole answer of whom it was asked.
    static func lines(
        of response: AIResponseData, named name: String = "The answer", askedOf provider: ProviderID,
        _ data: DataOptions
    ) -> [String] {
        let id = response.requestID.text
        var lines = [ending(of: response, data.commandLine("show", id, "--json")).map { "\(name) \($0)" }]
        // One of the cache says its age, and has no attempts of its own.
        if response.providerID != provider, response.ageInCache == nil {
            lines.append(
                "\(name) is of \(response.providerID): \(provider) failed. Why: \(data.commandLine("logs", id))")
        }
        return lines.compactMap(\.self)
    }

    /// Why it is not whole, and what to do; `nil` of one that is, or of which nobody says it.
    private static func ending(of response: AIResponseData, _ shows: String) -> String? {
        var isEmpty = false
        if case .success(.text(let body)) = response.result { isEmpty = body.byteCount == 0 }
        switch response.finishReason {
        case .length?:
            let more = "Allow more with --parameter max_tokens=N."
            return isEmpty
                ? "is empty: it became as long as it may be before anything was said. \(more)"
                : "was cut, because it became as long as it may be. \(more)"
        case .contentFilter?:
            return "was kept back, or a part of it, by the service's rules of content. Word the prompt in another way."
        case .refusal?:
            return "is a refusal: the model does not want to answer. Word the prompt in another way."
        case .toolCalls?:
            return "wants tools called, which nobody does here: \(shows)"
        default:
            return isEmpty ? "is empty, and the model ended it so. Ask in another way, or another model." : nil
        }
    }
}
