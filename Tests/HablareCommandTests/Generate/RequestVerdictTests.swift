import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareCommand

/// The lines about a request at the end of the command that sent it.
@Suite struct RequestVerdictTests {
    private static let id = StoreWorkbench.id(1)
    private static let again = "hablare retry \(id.text) && hablare work"

    struct Case: Sendable, CustomTestStringConvertible {
        let phase: RequestPhase
        var waiting: RequestSnapshot.WaitReason?
        var error: AIServiceError?
        var isOurs = true
        var chunks: Int?
        var reads: String?
        var isQuiet = false
        let lines: [String]
        var testDescription: String { "\(phase) \(chunks ?? -1) \(isOurs) \(isQuiet)" }
    }

    private static let failure = AIServiceError(.providerFailed, "It slept.", cause: "zzz\nmore")
    private static let limited = AIServiceError(
        .rateLimited, "It asks for fewer calls.", disposition: .retry(after: .seconds(90)))
    private static let attempts = "To see its attempts: hablare logs \(id.text)"
    private static let interrupted = AIServiceError(.streamInterrupted, "Its stream was cut.")
    private static let held = """
        hablare: The request is held: the outcome of its last attempt is unknown, and it may have been billed. To \
        retry it: \(again)
        """
    private static let waits = """
        The request waits in the store. To run it: hablare work
        To read it: hablare stream \(id.text)
        """

    @Test(arguments: [
        Case(phase: .completed, chunks: 3, lines: []),
        Case(
            phase: .failed, error: failure, chunks: 1,
            lines: ["hablare: The request failed after 1 chunk: It slept. It said: zzz [provider-failed]", attempts]),
        Case(
            phase: .failed, error: failure, isQuiet: true,
            lines: ["hablare: The request failed: It slept. It said: zzz [provider-failed]", attempts]),
        Case(
            phase: .failed, error: limited,
            lines: [
                "hablare: The request failed: It asks for fewer calls. Wait 2 min before you retry. [rate-limited]",
                attempts,
                "To retry it: \(again)",
            ]),
        Case(
            phase: .failed,
            lines: ["hablare: The request failed: the reason is not recorded", attempts, "To retry it: \(again)"]),
        Case(
            phase: .failed, error: AIServiceError(.unauthorized, "It does not accept the key."),
            lines: [
                "hablare: The request failed: It does not accept the key. [unauthorized]", attempts,
                "Correct the key (hablare keys set p), then run: \(again)",
            ]),
        Case(
            phase: .failed, error: interrupted, chunks: 2,
            lines: [
                "hablare: The request failed after 2 chunks: Its stream was cut. [stream-interrupted]",
                "To retry it: \(again)\nWith --restart it would have waited in the store and begun again.",
            ]),
        Case(
            phase: .failed, error: interrupted, isOurs: false,
            lines: [
                """
                hablare: The request failed: It had joined the call of another process, which was stopped or died in \
                the middle of the answer. The partial answer is kept. [stream-interrupted]
                """,
                "To retry it: \(again)\nIf both commands have --restart, this one begins the answer again.",
            ]),
        Case(phase: .cancelled, chunks: 0, lines: ["hablare: The request was cancelled after 0 chunks."]),
        Case(phase: .pending, waiting: .held, isQuiet: true, lines: [held]),
        Case(phase: .pending, waiting: .unclaimed(ahead: 1), lines: [waits]),
        Case(phase: .executing, lines: [waits]),
        Case(phase: .executing, reads: "hablare stream \(id.text)", lines: [waits]),
        Case(
            phase: .executing, reads: "x -o FILE",
            lines: ["The request waits in the store. To run it: hablare work\nThen fetch the answer: x -o FILE"]),
        Case(
            phase: .executing, reads: "x -o FILE", isQuiet: true,
            lines: ["The request waits in the store: hablare work && x -o FILE"]),
        Case(phase: .executing, isQuiet: true, lines: ["The request waits in the store: hablare stream \(id.text)"]),
    ])
    func `The final lines and status follow the request's outcome`(_ test: Case) throws {
        let snapshot = RequestSnapshot(
            id: Self.id, providerID: "p", phase: test.phase, error: test.error, waiting: test.waiting, attempts: 1,
            createdAt: StoreWorkbench.date(0))
        let verdict = RequestVerdict(
            snapshot, isOurs: test.isOurs, after: test.chunks, reads: test.reads, isQuiet: test.isQuiet,
            data: DataOptions.test())
        #expect(verdict.lines == test.lines)
        #expect(verdict.status == (test.phase == .completed ? .success : .incomplete))
    }
}
