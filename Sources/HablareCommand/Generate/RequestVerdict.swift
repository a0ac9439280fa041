import Foundation
import Hablare

/// The result of a request for the command that sent it: the exit status, and the lines to print if the request did not
/// complete.
struct RequestVerdict: Sendable, Equatable {
    let status: CommandStatus
    let lines: [String]

    /// - Parameters:
    ///   - isOurs: Whether this process may have stopped the call. If `false`, another process did.
    ///   - chunks: The number of printed chunks; `nil` if no chunks were to be printed.
    ///   - reads: The command that gets the answer after it is stored; `nil` for the command that prints the answer.
    init(
        _ snapshot: RequestSnapshot, isOurs: Bool, after chunks: Int? = nil, reads: String? = nil, isQuiet: Bool,
        data: DataOptions
    ) {
        let after = chunks.map { " after \(TimeText.count($0, "chunk"))" } ?? ""
        let again = "\(data.commandLine("retry", snapshot.id.text)) && \(data.commandLine("work"))"
        status = snapshot.phase == .completed ? .success : .incomplete
        switch snapshot.phase {
        case .completed:
            lines = []
        case .failed:
            let failure = "hablare: The request failed\(after): \(Self.reason(of: snapshot.error, isOurs: isOurs))"
            guard snapshot.error?.code == .streamInterrupted else {
                let isKey = snapshot.error?.code == .unauthorized
                let attempts = "To see its attempts: \(data.commandLine("logs", snapshot.id.text))"
                let advice =
                    isKey ? "\(Self.keyAdvice(for: snapshot.providerID)) \(again)" : "To retry it: \(again)"
                // A permanent failure would only repeat itself.
                lines = [failure, attempts] + (snapshot.error?.disposition == .fail ? [] : [advice])
                return
            }
            let otherwise =
                isOurs
                ? "With --restart it would have waited in the store and begun again."
                : "If both commands have --restart, this one begins the answer again."
            lines = [failure, "To retry it: \(again)\n\(otherwise)"]
        case .cancelled:
            lines = ["hablare: The request was cancelled\(after)."]
        case .pending where snapshot.waiting == .held:
            lines = [
                """
                hablare: The request is held: the outcome of its last attempt is unknown, and it may have been \
                billed. To retry it: \(again)
                """
            ]
        case .pending, .executing:
            let work = data.commandLine("work")
            let stream = data.commandLine("stream", snapshot.id.text)
            let isPrinted = reads.map { $0 == stream } ?? true
            // Only a printed answer can be waited for by reading it.
            let getting = isPrinted ? "To read it: \(stream)" : "Then fetch the answer: \(reads ?? stream)"
            let short = isPrinted ? stream : "\(work) && \(reads ?? stream)"
            // Printed even with --quiet, because the user must be able to find the request.
            lines = [
                isQuiet
                    ? "The request waits in the store: \(short)"
                    : "The request waits in the store. To run it: \(work)\n\(getting)"
            ]
        }
    }

    /// Returns what to do first after a service refused a key. If the user chose the address, no key can be set for it.
    private static func keyAdvice(for provider: ProviderID) -> String {
        let name = provider.rawValue
        guard !name.contains("@"), let service = name.split(separator: ".").first else {
            return "Correct the key, then run:"
        }
        return "Correct the key (hablare keys set \(service)), then run:"
    }

    private static func reason(of error: AIServiceError?, isOurs: Bool) -> String {
        guard let error else { return "the reason is not recorded" }
        let isJoined = error.code == .streamInterrupted && !isOurs
        return "\(isJoined ? joinedCallStopped : error.reason) [\(error.code)]"
    }

    private static let joinedCallStopped =
        """
        It had joined the call of another process, which was stopped or died in the middle of the answer. The partial \
        answer is kept.
        """
}

/// Notes beside an answer that prevent a misunderstanding of the answer.
enum AnswerNote {
    static func lines(
        of response: AIResponseData, named name: String = "The answer", askedOf provider: ProviderID,
        _ data: DataOptions
    ) -> [String] {
        let id = response.requestID.text
        var lines = [ending(of: response, data.commandLine("show", id, "--json")).map { "\(name) \($0)" }]
        // An answer from the cache is reported with its age and has no attempts of its own.
        if response.providerID != provider, response.ageInCache == nil, BatchName.isBatch(provider) {
            lines.append(
                """
                \(name) comes from \(response.providerID), called live at the full price, because no batch answered \
                in time. To see the attempts: \(data.commandLine("logs", id))
                """)
        } else if response.providerID != provider, response.ageInCache == nil {
            lines.append(
                """
                \(name) comes from \(response.providerID), because \(provider) failed. To see why: \
                \(data.commandLine("logs", id))
                """)
        }
        return lines.compactMap(\.self)
    }

    /// Returns the reason why an answer is not complete, and what to do. Returns `nil` if the answer is complete or no
    /// reason is known.
    private static func ending(of response: AIResponseData, _ shows: String) -> String? {
        var isEmpty = false
        if case .success(.text(let body)) = response.result { isEmpty = body.byteCount == 0 }
        switch response.finishReason {
        case .length?:
            let more = "Allow more with --parameter max_tokens=N."
            return isEmpty
                ? "is empty: the maximum length was reached before any text. \(more)"
                : "was cut at the maximum length. \(more)"
        case .contentFilter?:
            return """
                was withheld, in whole or in part, by the service's content filter. Change the wording of the prompt.
                """
        case .refusal?:
            return "is a refusal by the model. Change the wording of the prompt."
        case .toolCalls?:
            return "asks for tool calls, which this command does not make. To see them: \(shows)"
        default:
            return isEmpty ? "is empty. Change the prompt, or use another model." : nil
        }
    }
}
