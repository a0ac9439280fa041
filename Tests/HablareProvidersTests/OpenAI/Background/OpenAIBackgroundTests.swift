import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import HablareSupport
import Testing

@testable import HablareProviders

/// A background response, which is started once and polled until it ends.
@Suite struct OpenAIBackgroundTests {
    private static let queued = OpenAIBench.json(BackgroundScript.response("queued"))
    private static let working = OpenAIBench.json(BackgroundScript.response("in_progress"))
    private static let done = OpenAIBench.json(BackgroundScript.done("Hello"))
    private static let resumePoint = ResumePoint(handle: Data(#"{"id":"resp_1"}"#.utf8))

    // MARK: Starting

    @Test("The response is started once, stored before any wait, and polled with growing pauses")
    func polls() async throws {
        let outcome = try await BackgroundCall(answers: [Self.queued, Self.queued, Self.working, Self.done]).run()
        let answer = try outcome.result.get()
        #expect(answer.content == .text("Hello") && !answer.isStreamed)
        #expect(answer.usage == Usage(inputTokens: 9, outputTokens: 4))
        #expect(answer.metadata == ["request_id": "resp_1", "model": "m-1", "finish_reason": "stop"])
        #expect(
            outcome.story == [
                "POST responses", "remember resp_1", "pause 1.0", "GET responses/resp_1", "pause 1.5",
                "GET responses/resp_1", "pause 2.25", "GET responses/resp_1",
            ])
        let body = try #require(outcome.calls.first?.json)
        let expected = try ParameterValue.literal(
            #"{"model":"gpt-5","input":"Greet.","stream":false,"store":true,"background":true}"#)
        #expect(body == expected)
    }

    @Test("No pause is longer than 20 seconds")
    func longestPause() async throws {
        let outcome = try await BackgroundCall(answers: Array(repeating: Self.working, count: 12) + [Self.done]).run()
        let pauses = outcome.story.compactMap { $0.hasPrefix("pause ") ? Double($0.dropFirst(6)) : nil }
        #expect(pauses.count == 12 && pauses == pauses.sorted() && pauses.max() == 20)
    }

    @Test("Each poll requests the encrypted thinking, and extra can turn storing off")
    func parameters() async throws {
        let outcome = try await BackgroundCall(
            answers: [Self.queued, Self.done],
            parameters: ["reasoning_effort": "low", "extra": ["store": false]]
        ).run()
        #expect(outcome.calls.first?.json?[member: "store"] == false)
        #expect(outcome.story.last == "GET responses/resp_1?include%5B%5D=reasoning.encrypted_content")
    }

    @Test("An immediate answer is returned, and no handle is stored")
    func atOnce() async throws {
        let outcome = try await BackgroundCall(answers: [Self.done]).run()
        #expect(try outcome.result.get().content == .text("Hello"))
        #expect(outcome.story == ["POST responses"])
    }

    @Test("A value tree can be produced in the background")
    func structured() async throws {
        let tree = OpenAIBench.json(BackgroundScript.done("[1]"))
        let outcome = try await BackgroundCall(answers: [Self.queued, tree], streams: true, form: .structured).run()
        #expect(try outcome.result.get().content == .structured([1]))
        #expect(outcome.calls.first?.json?[member: "stream"] == false)
    }

    @Test(
        "An extra member that another parameter sets, and an invalid flag, are refused before any call",
        arguments: [["extra": ["background": true]], ["background": "yes"]] as [[String: ParameterValue]])
    func refused(parameters: [String: ParameterValue]) async throws {
        let outcome = try await BackgroundCall(answers: [Self.queued], parameters: parameters).run()
        #expect(outcome.error?.code == .invalidRequest && outcome.story.isEmpty)
        let chat = try await OpenAIBench().call(AIRequest(prompt: "x", parameters: ["background": true])) { _ in
            Self.done
        } _: {
            OpenAIBench.chat()($0)
        }
        #expect(chat.error?.code == .invalidRequest && chat.calls.isEmpty)
    }

    @Test("An invalid id is refused")
    func nameless() async throws {
        for id in ["", String(repeating: "x", count: 1025)] {
            let answer = OpenAIBench.json(BackgroundScript.response("queued", id: id))
            let outcome = try await BackgroundCall(answers: [answer]).run()
            #expect(outcome.error?.code == .invalidResponse && outcome.story == ["POST responses"])
        }
    }

    // MARK: Outcomes

    private struct End: CustomTestStringConvertible {
        let response: String
        let code: AIServiceError.Code
        let disposition: FailureDisposition
        var testDescription: String { response }
    }

    @Test("A response that failed at the service removes its handle and fails with the service's error")
    func failed() async throws {
        func failed(_ code: String, used: Bool = false) -> String {
            BackgroundScript.response(
                "failed", usage: used ? BackgroundScript.usage : "null", #","error":{"code":"\#(code)","message":"x"}"#)
        }
        let rows = [
            End(response: failed("server_error"), code: .overloaded, disposition: .retry(after: nil)),
            End(response: failed("server_error", used: true), code: .overloaded, disposition: .outcomeUnknown),
            End(response: failed("rate_limit_exceeded"), code: .rateLimited, disposition: .retry(after: nil)),
            End(response: failed("invalid_prompt"), code: .invalidRequest, disposition: .fail),
            End(response: BackgroundScript.response("failed"), code: .overloaded, disposition: .retry(after: nil)),
            End(response: BackgroundScript.response("cancelled"), code: .providerFailed, disposition: .fail),
        ]
        for row in rows {
            for resumePoint in [nil, Self.resumePoint] {
                let answers = (resumePoint == nil ? [Self.queued] : []) + [OpenAIBench.json(row.response)]
                let outcome = try await BackgroundCall(answers: answers, resumePoint: resumePoint).run()
                #expect(outcome.error?.code == row.code && outcome.error?.disposition == row.disposition, "\(row)")
                #expect(outcome.story.last == "forget" && outcome.handle == nil)
            }
        }
    }

    @Test("An answer that was cut off is a valid answer")
    func incomplete() async throws {
        let cut = BackgroundScript.response(
            "incomplete", text: "Hel", #","incomplete_details":{"reason":"max_output_tokens"}"#)
        let outcome = try await BackgroundCall(answers: [Self.queued, OpenAIBench.json(cut)]).run()
        let answer = try outcome.result.get()
        #expect(answer.content == .text("Hel") && answer.metadata["finish_reason"] == "length")
    }

    // MARK: Resuming

    @Test("The next attempt resumes and polls the response, and starts nothing")
    func continues() async throws {
        let outcome = try await BackgroundCall(answers: [Self.working, Self.done], resumePoint: Self.resumePoint).run()
        #expect(try outcome.result.get().content == .text("Hello"))
        #expect(outcome.story == ["resume", "GET responses/resp_1", "pause 1.5", "GET responses/resp_1"])
    }

    @Test("A response that the service does not know removes its handle, and no other is started")
    func gone() async throws {
        let gone = OpenAIBench.json(
            #"{"error":{"message":"Response with id 'resp_1' not found.","type":"invalid_request_error"}}"#, status: 404
        )
        for streams in [false, true] {
            let outcome = try await BackgroundCall(
                answers: [gone], streams: streams, resumePoint: Self.resumePoint
            ).run()
            #expect(outcome.error == .workLost && outcome.handle == nil)
            #expect(outcome.story.last == "forget" && outcome.calls.allSatisfy { $0.method == .get })
        }
        let unreadable = ResumePoint(handle: Data("of another version".utf8))
        let outcome = try await BackgroundCall(answers: [Self.done], resumePoint: unreadable).run()
        #expect(outcome.error == .workLost && outcome.story == ["resume", "forget"])
    }

    @Test("A temporary failure of polling keeps the handle for the next attempt")
    func unreachable() async throws {
        let rows: [(HTTPAnswer, AIServiceError.Code, FailureDisposition)] = [
            (OpenAIBench.json("{}", status: 503), .overloaded, .retry(after: nil)),
            (OpenAIBench.json("{}", status: 429, [.retryAfter: "7"]), .rateLimited, .retry(after: .seconds(7))),
            (OpenAIBench.json("{}", status: 401), .unauthorized, .needsUser),
            (OpenAIBench.answer(Data("<html>".utf8), "text/html", status: 404), .invalidResponse, .outcomeUnknown),
            (OpenAIBench.answer(Data("<html>".utf8), "text/html"), .invalidResponse, .outcomeUnknown),
            (OpenAIBench.json("[]"), .invalidResponse, .outcomeUnknown),
            (OpenAIBench.json(#"{"status":"of a new kind"}"#), .invalidResponse, .outcomeUnknown),
        ]
        for (answer, code, disposition) in rows {
            let outcome = try await BackgroundCall(answers: [answer], resumePoint: Self.resumePoint).run()
            #expect(outcome.error?.code == code && outcome.error?.disposition == disposition)
            #expect(outcome.handle == Self.resumePoint.handle && !outcome.story.contains("forget"))
        }
    }

    @Test("A name that occurs twice in a response or in a handle does not lose the work")
    func nameTwice() async throws {
        let handle = ResumePoint(handle: Data(#"{"id":"resp_0","id":"resp_1"}"#.utf8))
        let done = OpenAIBench.json(
            BackgroundScript.done("Hello").replacingOccurrences(of: #""id":"#, with: #""id":"x","id":"#))
        let outcome = try await BackgroundCall(answers: [done], resumePoint: handle).run()
        #expect(try outcome.result.get().content == .text("Hello"))
        #expect(outcome.story == ["resume", "GET responses/resp_1"])
        let queued = OpenAIBench.json(
            BackgroundScript.response("queued").replacingOccurrences(of: #""id":"#, with: #""id":"x","id":"#))
        let begun = try await BackgroundCall(answers: [queued, done]).run()
        #expect(try begun.result.get().content == .text("Hello"))
    }

    @Test("A handle that the store refused is stored as soon as the store accepts it")
    func storeFails() async throws {
        let call = BackgroundCall(
            answers: [Self.queued, Self.working, Self.done], refusal: AIServiceError(.storageFull, "Full."))
        let outcome = try await call.run()
        #expect(try outcome.result.get().content == .text("Hello"))
        #expect(outcome.story.filter { $0 == "remember resp_1" }.count == 2)
    }

    // MARK: Cancelling

    @Test(
        "A cancelled attempt cancels the work at the service only if the request no longer wants it",
        arguments: ["remember", "pause", "GET"], [false, true])
    func cancelled(word: String, isWanted: Bool) async throws {
        let call = BackgroundCall(answers: [Self.queued, Self.working], isWanted: isWanted)
        let outcome = try await call.run(cancelledAt: word)
        #expect(outcome.error?.code == .cancelled)
        let farewell = outcome.story.suffix { $0 != "wanted?" }
        #expect(farewell == (isWanted ? [] : ["POST responses/resp_1/cancel"]))
        #expect(outcome.story.filter { $0 == "wanted?" }.count == 1)
        #expect(outcome.handle != nil, "what is remembered stays, should somebody want it")
    }

    @Test("An attempt that lost its lease behaves the same, without its task being cancelled")
    func deposed() async throws {
        for isWanted in [false, true] {
            let call = BackgroundCall(answers: [Self.queued], isWanted: isWanted, refusal: CancellationError())
            let outcome = try await call.run()
            #expect(outcome.error?.code == .cancelled)
            #expect(outcome.story.contains("POST responses/resp_1/cancel") == !isWanted)
        }
    }

    /// An executor that counts its jobs.
    private final class CountingExecutor: TaskExecutor {
        private let jobs = Locked(0)
        private let queue = DispatchQueue(label: "farewell")
        var count: Int { jobs.withLock { $0 } }

        func enqueue(_ job: consuming ExecutorJob) {
            jobs.withLock { $0 += 1 }
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test("The final calls of an attempt run on the given executor", arguments: [false, true])
    func executor(isCancelled: Bool) async throws {
        let executor = CountingExecutor()
        var call = BackgroundCall(answers: [Self.queued, Self.done], isWanted: false)
        call.executor = executor
        let outcome = try await call.run(cancelledAt: isCancelled ? "pause" : nil)
        #expect(outcome.story.contains("POST responses/resp_1/cancel") == isCancelled)
        #expect((executor.count > 0) == isCancelled)
    }

    private static let busy = AIServiceError(.storageBusy, "Busy.")

    @Test(
        "Stopped before the handle was stored, the attempt stores it before it checks whether the work is wanted",
        arguments: [false, true], [false, true])
    func stoppedUnremembered(streams: Bool, isWanted: Bool) async throws {
        let begun = OpenAIBench.stream(BackgroundScript.events([])[0])
        let answers = [streams ? begun : Self.queued, Self.queued]
        let call = BackgroundCall(answers: answers, streams: streams, isWanted: isWanted, refusal: Self.busy)
        let outcome = try await call.run(cancelledAt: streams ? "sign" : "pause")
        #expect(outcome.error?.code == (streams ? .connectionLost : .cancelled))
        let end = ["remember resp_1", "wanted?"] + (isWanted ? [] : ["POST responses/resp_1/cancel"])
        #expect(outcome.story.suffix(end.count) == end[...], "\(outcome.story)")
        #expect(outcome.story.count { $0 == "remember resp_1" } == 2 && outcome.handle != nil)
    }

    @Test("An attempt that fails before its handle was stored stores it for the next attempt")
    func failedUnremembered() async throws {
        let broken = OpenAIBench.json("{}", status: 503)
        let call = BackgroundCall(answers: [Self.queued, broken], isWanted: false, refusal: Self.busy)
        let outcome = try await call.run()
        #expect(outcome.error?.code == .overloaded && outcome.handle != nil)
        #expect(
            outcome.story == [
                "POST responses", "remember resp_1", "pause 1.0", "GET responses/resp_1", "remember resp_1",
            ])
    }

    @Test(
        "If the store never accepts the handle, the work is cancelled, because no attempt could resume it",
        arguments: [AIServiceError(.storageBusy, "Busy."), CancellationError()] as [any Error])
    func neverRemembered(refusal: any Error) async throws {
        for isFailing in [false, true] {
            let answers = isFailing ? [Self.queued, OpenAIBench.json("{}", status: 503)] : [Self.queued]
            let call = BackgroundCall(answers: answers, refusal: refusal, refusals: .max)
            let outcome = try await call.run(cancelledAt: isFailing ? nil : "pause")
            #expect(outcome.handle == nil && !outcome.story.contains("wanted?"))
            #expect(outcome.story.suffix(2) == ["remember resp_1", "POST responses/resp_1/cancel"])
        }
    }

    @Test("A failure does not cancel the work at the service")
    func leftAlone() async throws {
        let call = BackgroundCall(answers: [Self.queued, OpenAIBench.json("{}", status: 503)], isWanted: false)
        let outcome = try await call.run()
        #expect(outcome.error?.code == .overloaded && !outcome.story.contains("wanted?"))
    }
}

extension Array {
    /// Returns the elements after the last one that does not meet the condition.
    fileprivate func suffix(_ condition: (Element) -> Bool) -> [Element] {
        Array(self[(lastIndex { !condition($0) }.map { $0 + 1 } ?? 0)...])
    }
}
