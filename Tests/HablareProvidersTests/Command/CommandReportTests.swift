#if os(macOS) || os(Linux)
import Foundation
import Hablare
import Testing

@testable import HablareProviders

@Suite struct CommandReportTests {
    private static let prompt = "It was a dark and stormy night"

    private func report(_ content: CommandContent = .text) -> CommandReport {
        CommandReport(
            of: CommandTemplate(
                id: "t", executable: "speak", content: content, maximumOutputBytes: 9, installation: "apt install x"),
            prompt: Self.prompt)
    }

    private func error(
        _ end: CommandOutcome.End, output: CommandOutcome.Output = .bytes([]), said: String = ""
    ) throws -> AIServiceError {
        let outcome = CommandOutcome(end: end, output: output, errorTail: Array(said.utf8))
        guard case .failure(let error) = report().judge(outcome) else { throw Unexpected() }
        return error
    }

    private struct Unexpected: Error {}

    @Test(
        "Every way to end has its code and disposition",
        arguments: [
            (CommandOutcome.End.exited(1), AIServiceError.Code.providerFailed, FailureDisposition.fail),
            (.exited(127), .providerFailed, .fail), (.exited(75), .providerFailed, .retry(after: nil)),
            (.signalled(11), .providerFailed, .fail), (.signalled(6), .providerFailed, .fail),
            (.signalled(99), .providerFailed, .fail), (.signalled(9), .providerFailed, .retry(after: nil)),
            (.signalled(15), .providerFailed, .retry(after: nil)), (.overran, .responseTooLarge, .fail),
            (.notExecutable, .programMissing, .needsUser), (.notStarted(ENOENT), .programMissing, .needsUser),
            (.notStarted(EACCES), .programMissing, .needsUser), (.notStarted(E2BIG), .invalidRequest, .fail),
            (.notStarted(ENOSPC), .storageFull, .needsUser), (.notStarted(EROFS), .storageFull, .needsUser),
            (.notStarted(EMFILE), .providerFailed, .retry(after: nil)),
            (.notStarted(EAGAIN), .providerFailed, .retry(after: nil)),
            (.lost("epoll"), .providerFailed, .retry(after: nil)), (.cancelled, .cancelled, .fail),
            (.exited(0), .invalidResponse, .fail),
        ])
    func mapped(end: CommandOutcome.End, code: AIServiceError.Code, disposition: FailureDisposition) throws {
        let error = try error(end)
        #expect(error.code == code)
        #expect(error.disposition == disposition)
        #expect(error.message.contains("speak"))
    }

    @Test func theProgramsOwnWordsAreTheCauseWithoutThePrompt() throws {
        let failure = try error(.exited(1), said: "line 1: cannot say 'dark and stormy night'\n")
        #expect(failure.cause == "line 1: cannot say '[prompt]'")
        #expect(!failure.description.contains("stormy"))
        #expect(try error(.exited(3)).cause == "status 3")
        #expect(try error(.signalled(11)).message.contains("SIGSEGV"))
        #expect(try error(.exited(0), said: "no sound device").cause == "no sound device")
    }

    @Test func `What was not taken fails as its taker says`() throws {
        let refusal = AIServiceError(.storageFull, "There is no room for the answer.")
        #expect(try error(.refused(refusal)) == refusal)
    }

    @Test func anAnswerOfThePromisedKindIsTheContent() throws {
        let outcome = CommandOutcome(end: .exited(0), output: .bytes(Array("yes".utf8)))
        #expect(try report(.text).judge(outcome).get() == .text("yes"))
        #expect(try report(.data).judge(outcome).get() == .data("yes"))
        #expect(report(.audio(.wav)).judge(outcome).failure?.code == .invalidResponse)
    }

    @Test(
        "Missing or unreadable output is an invalid answer",
        arguments: [
            CommandOutcome.Output.noFile, .notAFile, .unreadable(13), .bytes([]), .bytes([0xFF]),
        ])
    func noOutput(output: CommandOutcome.Output) throws {
        #expect(try error(.exited(0), output: output).code == .invalidResponse)
    }

    @Test func `Text in another encoding is refused with what to do`() throws {
        let failure = try error(.exited(0), output: .bytes([0x63, 0xE9]))
        let advice = "it is not UTF-8. Make the program write UTF-8, for example with LC_ALL=C.UTF-8"
        #expect(failure.message.contains(advice))
        #expect(try !error(.exited(0), output: .bytes([])).message.contains("LC_ALL"))
    }

    @Test func aMissingProgramSaysHowToInstallIt() {
        #expect(report().problem(of: .found("/bin/speak")) == nil)
        let missing = report().problem(of: .missing)
        #expect(missing?.code == .programMissing)
        #expect(missing?.disposition == .needsUser)
        #expect(missing?.message.contains("apt install x") == true)
        #expect(report().problem(of: .notExecutable("/x/speak"))?.message.contains("/x/speak") == true)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
#endif
