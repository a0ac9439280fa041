import Foundation
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// A background response that is read as a stream, and resumed by the next attempt.
@Suite struct OpenAIBackgroundStreamTests {
    private static let pieces = ["Grüß ", "🌍", ", und", " gute", " Nacht"]
    private static let text = pieces.joined()
    private static let refusal = OpenAIBench.json(
        #"{"error":{"message":"This response was not created with stream=true.","type":"invalid_request_error"}}"#,
        status: 400)

    private func kept(_ bytes: Int, _ marks: [(Int64, Int)] = []) throws -> ResumePoint {
        ResumePoint(handle: try BackgroundScript.handle("resp_1", marks), keptChunks: 1, keptBytes: bytes)
    }

    @Test("The handle is stored at the first event, before any text, and the text is yielded as it arrives")
    func whole() async throws {
        let stream = OpenAIBench.stream(BackgroundScript.events(Self.pieces).joined(), pieces: 7)
        let outcome = try await BackgroundCall(answers: [stream], streams: true).run()
        let answer = try outcome.result.get()
        #expect(answer.isStreamed && answer.usage == Usage(inputTokens: 9, outputTokens: 4))
        #expect(
            outcome.story == ["POST responses", "remember resp_1", "sign"] + Self.pieces.map { "yield \($0)" })
        #expect(outcome.calls.first?.json?[member: "stream"] == true)
        #expect(outcome.calls.first?.json?[member: "background"] == true)
        #expect(answer.metadata["finish_reason"] == "stop")
    }

    @Test("A stream cut after its first event leaves a handle, and its outcome is unknown")
    func cut() async throws {
        let events = BackgroundScript.events(Self.pieces)
        for count in 0..<events.count {
            let outcome = try await BackgroundCall(
                answers: [OpenAIBench.stream(events.prefix(count).joined())], streams: true
            ).run()
            #expect(outcome.error?.code == .connectionLost && outcome.error?.disposition == .outcomeUnknown)
            #expect((outcome.handle != nil) == (count > 0))
            #expect(outcome.text == Self.pieces.prefix(max(0, count - 1)).joined())
        }
    }

    @Test("The text after the kept bytes is yielded, from the last mark before them")
    func readsOn() async throws {
        let events = BackgroundScript.events(Self.pieces)
        let all = Array(Self.text.utf8)
        // After the second piece, and after the fourth.
        let marks: [(Int64, Int)] = [(2, 11), (4, 21)]
        for count in 0...all.count {
            let mark = marks.last { $0.1 <= count }
            let stream = OpenAIBench.stream(events.dropFirst(mark.map { Int($0.0) + 1 } ?? 0).joined(), pieces: 9)
            let outcome = try await BackgroundCall(
                answers: [stream], streams: true, resumePoint: try kept(count, marks)
            ).run()
            #expect(try outcome.result.get().isStreamed)
            #expect(Array(outcome.text.utf8) == Array(String(decoding: all[count...], as: UTF8.self).utf8))
            let query = mark.map { "stream=true&starting_after=\($0.0)" } ?? "stream=true"
            #expect(outcome.story.prefix(2) == ["resume", "GET responses/resp_1?\(query)"])
        }
    }

    @Test("A server that restarts its stream from the beginning is handled")
    func ignoresPlace() async throws {
        let stream = OpenAIBench.stream(BackgroundScript.events(Self.pieces).joined())
        let outcome = try await BackgroundCall(
            answers: [stream], streams: true, resumePoint: try kept(13, [(2, 11)])
        ).run()
        #expect(outcome.text == String(decoding: Array(Self.text.utf8)[13...], as: UTF8.self))
    }

    @Test("A response that is no longer streamed is polled, and the rest is yielded at once")
    func polled() async throws {
        let answers = [
            Self.refusal, OpenAIBench.json(BackgroundScript.response("in_progress")),
            OpenAIBench.json(BackgroundScript.done(Self.text)),
        ]
        let outcome = try await BackgroundCall(answers: answers, streams: true, resumePoint: try kept(6)).run()
        #expect(try outcome.result.get().isStreamed)
        #expect(
            outcome.story.dropFirst(2) == [
                "GET responses/resp_1", "sign", "pause 1.5", "GET responses/resp_1",
                "yield \(String(decoding: Array(Self.text.utf8)[6...], as: UTF8.self))",
            ])
    }

    @Test("A response with less text than readers have seen is refused")
    func lessText() async throws {
        let answers = [Self.refusal, OpenAIBench.json(BackgroundScript.done("Gr"))]
        let outcome = try await BackgroundCall(answers: answers, streams: true, resumePoint: try kept(6)).run()
        #expect(outcome.error?.code == .invalidResponse && outcome.text.isEmpty)
    }

    @Test("If all text was kept and only the end is missing, no text is yielded twice")
    func onlyEnd() async throws {
        let end = try #require(BackgroundScript.events(Self.pieces).last)
        let outcome = try await BackgroundCall(
            answers: [OpenAIBench.stream(end)], streams: true, resumePoint: try kept(Self.text.utf8.count)
        ).run()
        #expect(try outcome.result.get().isStreamed && outcome.text.isEmpty)
    }

    @Test("A failed response removes the handle, and an error of the stream alone keeps it")
    func failures() async throws {
        let created = BackgroundScript.events([])[0]
        let failed = BackgroundScript.event(
            "response.failed",
            #""response":\#(BackgroundScript.response("failed", #","error":{"code":"server_error"}"#))"#, 1)
        let error = BackgroundScript.event("error", #""error":{"code":"server_error"}"#, 1)
        let gone = try await BackgroundCall(answers: [OpenAIBench.stream(created + failed)], streams: true).run()
        #expect(gone.error?.disposition == .retry(after: nil) && gone.handle == nil)
        let stays = try await BackgroundCall(answers: [OpenAIBench.stream(created + error)], streams: true).run()
        #expect(stays.error?.disposition == .retry(after: nil) && stays.handle != nil)
    }

    @Test("The handle records once that the model has begun, even without any text")
    func thoughts() async throws {
        let created = BackgroundScript.events([])[0]
        let thoughts = [1, 2].map {
            BackgroundScript.event("response.reasoning_summary_text.delta", #""delta":"Hm.""#, $0)
        }
        let rows: [([String], Int, FailureDisposition)] = [
            ([created], 1, .retry(after: nil)), ([created] + thoughts, 2, .outcomeUnknown),
        ]
        for (events, count, disposition) in rows {
            let cut = try await BackgroundCall(answers: [OpenAIBench.stream(events.joined())], streams: true).run()
            #expect(cut.story.filter { $0 == "remember resp_1" }.count == count)
            #expect(try await failure(after: cut, streams: true).disposition == disposition)
        }
        // The same without streaming.
        let asked: [(String?, FailureDisposition)] = [(nil, .retry(after: nil)), ("Hel", .outcomeUnknown)]
        for (text, disposition) in asked {
            let working = OpenAIBench.json(BackgroundScript.response("in_progress", text: text))
            let cut = try await BackgroundCall(answers: [working, OpenAIBench.json("{}", status: 503)]).run()
            #expect(try await failure(after: cut, streams: false).disposition == disposition)
        }
    }

    /// Returns the next attempt's error for a failed response that does not list its output.
    private func failure(after cut: BackgroundCall.Outcome, streams: Bool) async throws -> AIServiceError {
        let resumePoint = ResumePoint(handle: try #require(cut.handle))
        let failed = OpenAIBench.json(BackgroundScript.response("failed", #","error":{"code":"server_error"}"#))
        let answers = (streams ? [Self.refusal] : []) + [failed]
        let outcome = try await BackgroundCall(answers: answers, streams: streams, resumePoint: resumePoint).run()
        #expect(outcome.handle == nil && outcome.error?.code == .overloaded)
        return try #require(outcome.error)
    }

    @Test("The handle of a long text keeps a few marks from which the stream can be resumed")
    func marks() async throws {
        let long = Array(repeating: String(repeating: "x", count: 1000), count: 50)
        let outcome = try await BackgroundCall(
            answers: [OpenAIBench.stream(BackgroundScript.events(long).joined())], streams: true
        ).run()
        #expect(outcome.text.utf8.count == 50_000)
        let data = try #require(outcome.handle)
        let handle = try #require(OpenAIBackgroundHandle(data))
        #expect(handle.marks == [35, 40, 45, 50].map { .init(number: $0, bytes: Int($0) * 1000) })
        #expect(outcome.story.filter { $0 == "remember resp_1" }.count == 11)
    }

    @Test("A stream is not resumed after an event without a number, whose content would be repeated")
    func withoutNumber() async throws {
        let long = ["a", "b", "c"].map { String(repeating: $0, count: 5000) }
        var events = BackgroundScript.events(long)
        events[2] = events[2].replacing(#""sequence_number":2,"#, with: "")
        let cut = try await BackgroundCall(
            answers: [OpenAIBench.stream(events.prefix(3).joined())], streams: true
        ).run()
        let data = try #require(cut.handle)
        #expect(OpenAIBackgroundHandle(data)?.marks == [.init(number: 1, bytes: 5000)])
        let resumed = try await BackgroundCall(
            answers: [OpenAIBench.stream(events.dropFirst(2).joined())], streams: true,
            resumePoint: ResumePoint(handle: data, keptChunks: 2, keptBytes: 10_000)
        ).run()
        #expect(cut.text + resumed.text == long.joined())
    }

    @Test("An unreadable stream is abandoned, and the next attempt polls the response")
    func unreadable() async throws {
        let created = BackgroundScript.events([])[0]
        let line = "data: " + String(repeating: "x", count: EventStreamParser.defaultMaximumBytes + 1)
        let outcome = try await BackgroundCall(
            answers: [OpenAIBench.stream(created + line, pieces: 1 << 20)], streams: true
        ).run()
        #expect(outcome.error?.code == .invalidResponse && outcome.error?.disposition == .outcomeUnknown)
        #expect(outcome.handle != nil)
    }
}

/// The stored handle of a response.
@Suite struct OpenAIBackgroundHandleTests {
    @Test("A mark with a number that is not higher than the last one is ignored")
    func order() throws {
        var handle = try #require(OpenAIBackgroundHandle(id: "r"))
        for (number, bytes) in [(5, 5000), (5, 10_000), (3, 15_000), (6, 20_000)] as [(Int64, Int)] {
            handle.passed(number, at: bytes)
        }
        #expect(handle.marks == [.init(number: 5, bytes: 5000), .init(number: 6, bytes: 20_000)])
    }

    @Test("A handle survives a round trip and stays small")
    func roundTrip() throws {
        var handle = try #require(OpenAIBackgroundHandle(id: String(repeating: "r", count: 1024)))
        handle.hasBegun = true
        for number in 1...100 { handle.passed(Int64.max - 100 + Int64(number), at: number << 20) }
        let data = try handle.data()
        #expect(data.count <= ProviderCall.maximumHandle)
        #expect(OpenAIBackgroundHandle(data) == handle && handle.marks.count == 4)
    }

    @Test("The stream is resumed at the last mark whose preceding text is all kept")
    func mark() throws {
        let data = try BackgroundScript.handle("r", [(5, 100), (9, 200)])
        let handle = try #require(OpenAIBackgroundHandle(data))
        #expect(handle.mark(within: 99) == nil)
        #expect(handle.mark(within: 100)?.number == 5 && handle.mark(within: 199)?.number == 5)
        #expect(handle.mark(within: 200)?.number == 9)
    }

    @Test(
        "Malformed data is refused as a handle",
        arguments: ["", "x", "{}", #"{"id":""}"#, #"{"id":7}"#, #"{"id":"r","marks":[["a",1]]}"#])
    func malformed(text: String) { #expect(OpenAIBackgroundHandle(Data(text.utf8)) == nil) }
}
