import Foundation
import Hablare
import HablareJSON
import HablareStructured
import HablareSupport

/// Decides whether a tool may run, with `--yes` or with a question at the terminal.
final class ToolQuestions: Sendable {
    private let ask: (@Sendable (_ question: String) async throws -> String)?
    private let isAllowed: Bool
    /// The tools that the user has allowed without further questions.
    private let allowed = Locked<Set<String>>([])

    /// - Parameters:
    ///   - isAllowed: Whether tools run without a question (`--yes`).
    ///   - ask: A closure that asks at the terminal; `nil` if there is no terminal.
    init(isAllowed: Bool, ask: (@Sendable (_ question: String) async throws -> String)?) {
        self.isAllowed = isAllowed
        self.ask = ask
    }

    /// Throws an error if a tool needs approval and there is no terminal to ask at.
    func check(_ tools: [Tool]) throws {
        guard !isAllowed, ask == nil, let tool = tools.first(where: \.policy.needsApproval) else { return }
        throw CommandFailure(
            .usage,
            "The tool \(tool.definition.name) needs approval, and there is no terminal to ask on. Add --yes to run the tools without asking."
        )
    }

    func decide(_ question: ToolQuestion) async throws -> ToolDecision {
        let name = question.call.name
        if question.reason == .beforeCall, isAllowed || allowed.withLock({ $0.contains(name) }) { return .approve }
        guard let ask else { return .postpone }
        switch Self.answer(in: try await ask(try Self.words(of: question))) {
        case .yes: return .approve
        case .all:
            allowed.withLock { _ = $0.insert(name) }
            return .approve
        case .no: return .refuse()
        }
    }

    enum Answer: Sendable, Equatable {
        case yes, no, all
    }

    /// Returns the meaning of a typed answer. If the answer is not clearly yes, it means no.
    static func answer(in line: String) -> Answer {
        switch line.trimmingCharacters(in: .whitespacesAndNewlines).lowercased() {
        case "y", "yes": .yes
        case "a", "all": .all
        default: .no
        }
    }

    /// The maximum number of characters of a call's arguments that are shown.
    static let longestArguments = 2_000

    static func words(of question: ToolQuestion) throws -> String {
        let json = ShownText.shown(try question.call.arguments.jsonText())
        let arguments =
            json.count > longestArguments
            ? "\(json.prefix(longestArguments))… (\(json.count) characters)" : json
        return switch question.reason {
        case .beforeCall:
            "The model wants to run \(question.call.name) with \(arguments)\nRun it? [y]es, [N]o, [a]ll calls of it: "
        case .outcomeUnknown:
            "\(question.call.name) was interrupted with \(arguments)\n"
                + "It is unknown how far it came. Run it again? [y]es, [N]o: "
        }
    }
}
