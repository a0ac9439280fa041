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
    private static let attempts = "Its attempts: hablare logs \(id.text)"
    private static let interrupted = AIServiceError(.streamInterrupted, "Its stream was cut.")
    private static let held = """
        hablare: It is held: nobody knows whether its last attempt was carried out, and billed. To have it made: \(again)
        """
    private static let waits = """
        It waits in the store. To have it made: hablare work
        To read it: hablare stream \(id.text)
        """

    @Test(arguments: [
        Case(phase: .completed, chunks: 3, lines: []),
        Case(
            phase: .failed, error: failure, chunks: 1,
            lines: ["hablare: It failed after 1 chunk: It slept. It said: zzz [provider-failed]", attempts]),
        Case(
            phase: .failed, error: failure, isQuiet: true,
            lines: ["hablare: It failed: It slept. It said: zzz [provider-failed]", attempts]),
        Case(
            phase: .failed, error: limited,
            lines: [
                "hablare: It failed: It asks for fewer calls. Wait 2 min before it is tried again. [rate-limited]",
                attempts,
                "To have it tried again: \(again)",
            ]),
        Case(
            phase: .failed,
            lines: ["hablare: It failed: no reason is recorded", attempts, "To have it tried again: \(again)"]),
        Case(
            phase: .failed, error: AIServiceError(.unauthorized, "It does not accept the key."),
            lines: [
                "hablare: It failed: It does not accept the key. [unauthorized]", attempts,
                "Once the key is right (hablare keys set p), to have it made: \(again)",
            ]),
        Case(
            phase: .failed, error: interrupted, chunks: 2,
            lines: [
                "hablare: It failed after 2 chunks: Its stream was cut. [stream-interrupted]",
                "To have it made anew: \(again)\nWith --restart it would have waited in the store, to be begun anew.",
            ]),
        Case(
            phase: .failed, error: interrupted, isOurs: false,
            lines: [
                "hablare: It failed: It had joined the same call of another process, and that process was stopped, as with "
                    + "Ctrl-C, or died in the middle of the answer. What came is kept. [stream-interrupted]",
                "To have it made anew: \(again)\nWhere both commands have --restart, this one has it begun anew.",
            ]),
        Case(phase: .cancelled, chunks: 0, lines: ["hablare: It was cancelled after 0 chunks."]),
        Case(phase: .pending, waiting: .held, isQuiet: true, lines: [held]),
        Case(phase: .pending, waiting: .unclaimed(ahead: 1), lines: [waits]),
        Case(phase: .executing, lines: [waits]),
        Case(phase: .executing, reads: "hablare stream \(id.text)", lines: [waits]),
        Case(
            phase: .executing, reads: "x -o FILE",
            lines: ["It waits in the store. To have it made: hablare work\nThen it is got with: x -o FILE"]),
        Case(
            phase: .executing, reads: "x -o FILE", isQuiet: true,
            lines: ["It waits in the store: hablare work && x -o FILE"]),
        Case(phase: .executing, isQuiet: true, lines: ["It waits in the store: hablare stream \(id.text)"]),
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
