import Foundation
import Hablare
import HablareTestKit
import Testing

@testable import HablareCommand

/// The report about requests without an answer, and about how to continue.
@Suite struct GapReportTests {
    private static let failed = JobGap.Reason.failed(AIServiceError(.providerFailed, "It failed."))
    private static let ids = (1...4).map { StoreWorkbench.id($0) }

    private func lines(_ reasons: [JobGap.Reason], command: String? = "hablare image x") throws -> [String] {
        let gaps = zip(reasons, Self.ids).enumerated().map {
            JobGap(index: $0.offset, request: $0.element.1, reason: $0.element.0)
        }
        let continuation = JobContinuation(of: JobKey(rawValue: "k"), command, in: .test(in: "d"))
        return GapReport(
            gaps: gaps, total: 9, finished: 9 - gaps.count, noun: "picture", consequence: "and so on",
            continuation: continuation
        ).lines
    }

    @Test func `Requests that the command finds again are resumed by the command`() throws {
        let lines = try lines([Self.failed, .cancelled, .held])
        #expect(
            lines.first
                == "hablare: Of 9 pictures, 1 failed, 1 was cancelled, 1 is held, and so on; 6 are done and kept.")
        #expect(lines.contains("To retry only what failed or was cancelled:\n  hablare image x"))
        let held = "  hablare retry --held --job k --data-dir d && hablare image x"
        #expect(lines.last?.hasSuffix(held) == true)
    }

    @Test func `Requests that the command would repeat are resumed by retry and work`() throws {
        let lines = try lines([Self.failed, .cancelled, .held], command: nil)
        let id = Self.ids[1].text
        let again =
            "  hablare retry --failed --job k --data-dir d && hablare retry \(id) --data-dir d && hablare work --data-dir d"
        #expect(lines.contains("To retry only what failed or was cancelled:\n\(again)"))
        #expect(
            lines.contains { $0.hasSuffix("  hablare retry --held --job k --data-dir d && hablare work --data-dir d") })
        #expect(lines.last?.hasSuffix("To list these: hablare ps --job k --data-dir d") == true)
        #expect(!lines.contains { $0.contains("hablare image") })
    }

    @Test func `A failure has up to 400 characters of the provider's words, also if the request was refused`() throws {
        let long = String(repeating: "é", count: 500)
        for code in [AIServiceError.Code.providerFailed, .invalidRequest, .unauthorized, .invalidConfiguration] {
            let error = AIServiceError(code, "It failed.", cause: "status 400: \(long)\nmore")
            let words = "It failed. It said: status 400: \(long.prefix(388)) [\(code)]"
            #expect(try lines([.failed(error)]).contains("  picture 1 (\(Self.ids[0].text)): \(words)"), "\(code)")
        }
        let ours = AIServiceError(.invalidResponse, "It failed.", cause: "no JSON object")
        #expect(try lines([.failed(ours)]).contains { $0.hasSuffix(": It failed. [invalid-response]") })
    }

    @Test func `Waiting requests are reported once, with the first step`() throws {
        let lines = try lines([Self.failed, .waiting, .waiting])
        #expect(lines.first == "hablare: Of 9 pictures, 1 failed, 2 wait, and so on; 6 are done and kept.")
        #expect(lines.last?.hasSuffix("Fix the cause, then run:\n  hablare image x") == true)
        #expect(!lines.contains { $0.contains("To retry only what") })
    }

    @Test(arguments: [(1, "Of 1 picture, 1 failed."), (3, "Of 3 pictures, 3 failed.")])
    func `If nothing is finished the report does not mention finished ones`(count: Int, words: String) throws {
        let gaps = (0..<count).map { JobGap(index: $0, request: Self.ids[$0], reason: Self.failed) }
        let continuation = JobContinuation(of: JobKey(rawValue: "k"), "hablare x", in: .test())
        func first(_ consequence: String) -> String? {
            GapReport(
                gaps: gaps, total: count, finished: 0, noun: "picture", consequence: consequence,
                continuation: continuation
            ).lines.first
        }
        #expect(first("and the others are written") == "hablare: \(words)")
        let other = "hablare: \(words.dropLast()), so nothing is written yet; 0 are done and kept."
        #expect(first("so nothing is written yet") == other)
    }

    @Test func `Without gaps there is no report`() throws {
        #expect(try lines([]).isEmpty)
    }

    @Test func `In a sentence the advice is the same command or the requests`() throws {
        let data = DataOptions.test()
        #expect(JobContinuation(of: JobKey(rawValue: "k"), "hablare x", in: data).words == "run the same command again")
        #expect(
            JobContinuation(of: JobKey(rawValue: "k"), nil, in: data).words
                == "continue with (hablare retry --failed --job k && hablare work)")
        #expect(JobContinuation(of: JobKey(rawValue: "k"), "hablare x", in: data).note == nil)
    }
}

extension JobContinuation {
    fileprivate init(of job: JobKey, _ command: String?, in data: DataOptions) {
        self.init(job: job, command: command, data: data)
    }
}
