import Hablare
import HablareStructured
import Testing

@testable import HablareCommand

@Suite struct ToolQuestionsTests {
    private let call = ToolCall(id: "a", name: "send", arguments: ["to": "ada"])

    private func question(_ reason: ToolQuestion.Reason) -> ToolQuestion { ToolQuestion(call: call, reason: reason) }

    @Test(
        "Only a clear yes is a yes",
        arguments: [
            ("y\n", ToolQuestions.Answer.yes), (" YES ", .yes), ("a", .all), ("all\n", .all), ("", .no), ("n", .no),
            ("yeah", .no), ("\n", .no), ("y n", .no),
        ])
    func answers(line: String, answer: ToolQuestions.Answer) {
        #expect(ToolQuestions.answer(in: line) == answer)
    }

    @Test("With --yes nothing is asked, except about a call whose outcome is unknown")
    func unknownOutcome() async throws {
        let alone = ToolQuestions(isAllowed: true, ask: nil)
        #expect(try await alone.decide(question(.beforeCall)) == .approve)
        #expect(try await alone.decide(question(.outcomeUnknown)) == .postpone)
        let attended = ToolQuestions(isAllowed: true) { _ in "n" }
        #expect(try await attended.decide(question(.beforeCall)) == .approve)
        #expect(try await attended.decide(question(.outcomeUnknown)) == .refuse())
    }

    @Test("A question shows the arguments without control characters, and not all of long ones")
    func words() throws {
        let text = "\u{1B}[2J\u{202E}" + String(repeating: "x", count: 5_000)
        let long = ToolCall(id: "a", name: "send", arguments: ["to": .string(text)])
        let words = try ToolQuestions.words(of: ToolQuestion(call: long, reason: .beforeCall))
        #expect(!words.contains("\u{1B}") && !words.contains("\u{202E}"))
        #expect(words.contains("characters)") && words.count < 2_200)
        #expect(words.hasSuffix("[y]es, [N]o, [a]ll calls of it: "))
    }
}
