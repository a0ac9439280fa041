import Foundation
import HTTPTypes
import Hablare
import Testing

@testable import HablareProviders

/// Sound with times under every media type and in every form in which servers send it.
@Suite struct TimedAnswerTests {
    private typealias Bench = ElevenLabsBench
    private static let sound = Data((0..<1000).map { UInt8($0 % 251) })
    private static let types: [String?] = [
        "application/json", "text/event-stream", "application/x-ndjson", "application/jsonl",
        "application/octet-stream", "text/plain", "audio/mpeg", "text/html", nil,
    ]

    private static let first = Bench.timed(sound.prefix(600), "Hi ", from: 0)
    private static let second = Bench.timed(sound.dropFirst(600), "you.", from: 0)
    private static let pretty = first.replacing(",", with: ",\n  ").replacing("{", with: "{\n  ")

    /// The same sound in each form.
    private static let forms: [String: String] = [
        "a line each": "\(first)\n\(second)\n", "without a last line end": "\(first)\n\(second)",
        "one after the other": first + second, "over many lines": "\(pretty)\n\n\(second)",
        "a list": "[\(first),\n \(second)]", "blank lines first": "\n \r\n\(first)\r\n\(second)\r\n",
        "events": "data: \(first)\n\ndata: \(second)\n\n",
        "named events": "event: audio\ndata: \(first)\n\nevent: audio\nid: 2\ndata: \(second)\n\ndata: [DONE]\n\n",
        "events without a last blank line": ": hello\n\ndata: \(first)\n\ndata: \(second)\n",
    ]

    private func answering(
        _ body: Data, type: String?, pieces size: Int = .max, isStreamed: Bool = false
    ) async throws -> CallResult {
        var rest = body
        var pieces: [Data] = []
        while !rest.isEmpty {
            pieces.append(Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        let cut = pieces
        let bench = try Bench { _ in
            HTTPAnswer(
                status: 200, fields: type.map { [.contentType: $0] as HTTPFields } ?? [:], body: HTTPPieces(cut))
        }
        return await bench.speech.answering(
            AIRequest(
                prompt: "Hi you.", parameters: ["timestamps": true], streaming: isStreamed ? StreamingPolicy() : nil))
    }

    @Test("Every form gives the sound and its times under every media type", arguments: types)
    func everyType(type: String?) async throws {
        for (name, body) in Self.forms {
            for size in [Int.max, 100, 1] {
                let answer = try await answering(Data(body.utf8), type: type, pieces: size)
                #expect(answer.failure == nil, "\(name) as \(type ?? "no type"), \(size)")
                #expect(answer.yielded == Self.sound, "\(name) as \(type ?? "no type"), \(size)")
                #expect(
                    try answer.metadata["word_times"]?.contains("\"text\":\"you\"") == true, "\(name), \(size)")
            }
        }
    }

    @Test("Sound alone, from a server that knows no times, is an answer without times", arguments: types)
    func bareSound(type: String?) async throws {
        for beginning in ["ID3", "fLaC", "OggS"] {
            let sound = Data(beginning.utf8) + Self.sound
            for size in [Int.max, 7] {
                let answer = try await answering(sound, type: type, pieces: size)
                #expect(answer.failure == nil)
                #expect(answer.yielded == sound)
                #expect(try answer.metadata["word_times"] == nil)
            }
        }
    }

    @Test("An answer that is neither is kept as it came", arguments: types)
    func foreign(type: String?) async throws {
        for body in ["<html><body>Please log in to the network of this hotel.</body></html>", "oh"] {
            let answer = try await answering(Data(body.utf8), type: type, pieces: 5)
            let error = try #require(answer.failure)
            #expect(error.code == .invalidResponse && error.billing == .maybeBilled)
            #expect(error.keptAnswer?.content == .data(Body(body)) && error.keptAnswer?.mediaType == type)
            #expect(answer.yielded.isEmpty)
        }
    }

    @Test func `What is no piece of sound within a stream is kept, and the sound before it was passed on`() async throws
    {
        for rubbish in ["rubbish", "17", #"{"audio_base64":"?"}"#, #"{"audio_base64":"AAAA"#] {
            let body = "\(Self.first)\n\(rubbish)"
            let answer = try await answering(Data(body.utf8), type: "application/json", isStreamed: true)
            #expect(answer.yielded == Self.sound.prefix(600))
            #expect(answer.failure?.code == .invalidResponse)
            #expect(answer.failure?.keptAnswer?.content == .data(Body(rubbish)))
        }
    }

    @Test func `An error within a stream of events is the service's own`() async throws {
        let body = #"data: {"detail":{"status":"quota_exceeded","message":"x"}}"# + "\n\n"
        let answer = try await answering(Data(body.utf8), type: "text/event-stream")
        #expect(answer.failure?.code == .quotaExceeded && answer.failure?.keptAnswer == nil)
    }

    @Test func `An object that never ends is not taken beyond its limit`() throws {
        var reader = TimedAnswerReader(maximumBytes: 100, maximumForeignBytes: 10)
        var items: [TimedAnswerReader.Item] = []
        try reader.read(Data(#"{"a":"b"}{"c":""#.utf8), into: &items)
        #expect(items == [.object(Data(#"{"a":"b"}"#.utf8))])
        #expect(throws: TimedAnswerReader.Overflow(limit: 100)) {
            for _ in 0..<20 { try reader.read(Data("0123456789".utf8), into: &items) }
        }
    }

    @Test func `Braces and quotes within texts do not end an object`() throws {
        let objects = [#"{"a":"}{\"}"}"#, #"{"b":{"c":"\\"}}"#, #"{"d":[{"e":1},{"f":"["}]}"#]
        let body = Data(objects.joined(separator: " ").utf8)
        for cut in 0...body.count {
            var reader = TimedAnswerReader(maximumBytes: 100, maximumForeignBytes: 10)
            var items: [TimedAnswerReader.Item] = []
            try reader.read(body.prefix(cut), into: &items)
            try reader.read(body.dropFirst(cut), into: &items)
            try reader.finish(into: &items)
            #expect(items == objects.map { .object(Data($0.utf8)) }, "cut at \(cut)")
        }
    }
}
