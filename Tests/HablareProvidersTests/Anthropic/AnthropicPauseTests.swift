import Foundation
import Hablare
import HablareJSON
import HablareSupport
import Testing

@testable import HablareProviders

/// Answers that the service pauses while its own tools run.
@Suite struct AnthropicPauseTests {
    private typealias Streams = AnthropicStreams

    private static let search: [String: ParameterValue] = [
        "extra": ["tools": [["type": "web_search_20250305", "name": "web_search"]]]
    ]

    /// A turn that searches and pauses.
    private static let paused =
        Streams.event(
            "message_start",
            #"{"type":"message_start","message":{"model":"claude-sonnet-5-5","container":{"id":"c_1"},"usage":{"input_tokens":20,"output_tokens":1}}}"#
        )
        + Streams.block(
            0, #"{"type":"thinking","thinking":"","signature":""}"#, #"{"type":"thinking_delta","thinking":"Look."}"#,
            #"{"type":"signature_delta","signature":"sig"}"#)
        + Streams.text(1, "I ", "look. ")
        + Streams.block(
            2, #"{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}"#,
            #"{"type":"input_json_delta","partial_json":"{\"query\":"}"#,
            #"{"type":"input_json_delta","partial_json":"\"quokka\"}"}"#)
        + Streams.block(
            3, #"{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"encrypted_content":"e"}]}"#)
        + Streams.block(
            4, #"{"type":"text","text":"","citations":[]}"#, #"{"type":"citations_delta","citation":{"url":"u"}}"#,
            #"{"type":"text_delta","text":"It "}"#)
        + Streams.text(5)
        + Streams.end("pause_turn", usage: #"{"output_tokens":10}"#) + Streams.stop

    private static let rest =
        Streams.event(
            "message_start",
            #"{"type":"message_start","message":{"model":"claude-sonnet-5-5","usage":{"input_tokens":50,"output_tokens":1}}}"#
        ) + Streams.text(0, "is small.")
        + Streams.block(1, #"{"type":"tool_use","id":"t_1","name":"note","input":{}}"#)
        + Streams.end("tool_use", usage: #"{"output_tokens":5}"#) + Streams.stop

    private func bench(_ streams: [String]) throws -> AnthropicBench {
        let count = Locked(0)
        return try AnthropicBench { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .events(streams[min(number, streams.count) - 1])
        }
    }

    @Test func `A paused turn is sent back as it was, and its answer continues`() async throws {
        let bench = try bench([Self.paused, Self.rest])
        let answer = await bench.text.answering(AIRequest(prompt: "Quokkas?", parameters: Self.search))
        #expect(answer.text == "I look. It is small.")
        let metadata = try answer.metadata
        #expect(metadata["finish_reason"] == "tool_calls" && metadata["continuations"] == "1")
        #expect(metadata["tool_calls"] == #"[{"arguments":{},"id":"t_1","name":"note"}]"#)
        #expect(try answer.result.get().usage == Usage(inputTokens: 70, outputTokens: 15))
        let second = try #require(bench.transport.calls.last?.json)
        #expect(bench.transport.calls.count == 2)
        #expect(second[member: "container"] == "c_1")
        #expect(second[member: "messages"]?[element: 1]?[member: "role"] == "assistant")
        #expect(
            second[member: "messages"]?[element: 1]?[member: "content"] == [
                ["type": "thinking", "thinking": "Look.", "signature": "sig"],
                ["type": "text", "text": "I look. "],
                ["type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": ["query": "quokka"]],
                [
                    "type": "web_search_tool_result", "tool_use_id": "srv_1",
                    "content": [["encrypted_content": "e"]],
                ],
                ["type": "text", "text": "It ", "citations": [["url": "u"]]],
            ])
        var first = try #require(bench.transport.calls.first?.json?.members)
        var rest = try #require(second.members)
        for name in ["messages", "container"] {
            first[name] = nil
            rest[name] = nil
        }
        #expect(first == rest, "the same call otherwise")
    }

    @Test func `A turn is continued only so often, and then says that it is paused`() async throws {
        let bench = try bench([Self.paused])
        let answer = await bench.text.answering(AIRequest(prompt: "Quokkas?", parameters: Self.search))
        #expect(bench.transport.calls.count == 1 + AnthropicMessagesProvider.maximumContinuations)
        #expect(try answer.metadata["finish_reason"] == "pause_turn")
        #expect(try answer.result.get().usage == Usage(inputTokens: 120, outputTokens: 60))
        let last = bench.transport.calls.last?.json?[member: "messages"]
        #expect(last?.elements.count == 2 && last?[element: 1]?[member: "content"]?.elements.count == 25)
    }

    @Test func `Without tools of the service a pause is an answer that says so`() async throws {
        let bench = try bench([Self.paused, Self.rest])
        let answer = await bench.text.answering(AIRequest(prompt: "Quokkas?"))
        #expect(bench.transport.calls.count == 1)
        #expect(try answer.metadata["finish_reason"] == "pause_turn")
    }

    @Test func `A turn with a piece of a new kind is not sent back, because it would be changed`() async throws {
        let stream =
            Streams.start + Streams.block(0, #"{"type":"text","text":"a"}"#, #"{"type":"new_delta","more":1}"#)
            + Streams.end("pause_turn") + Streams.stop
        let bench = try bench([stream])
        let answer = await bench.text.answering(AIRequest(prompt: "Quokkas?", parameters: Self.search))
        #expect(bench.transport.calls.count == 1)
        #expect(try answer.metadata["finish_reason"] == "pause_turn")
    }

    @Test func `A refused continuation is billed for the part before, and of unknown outcome`() async throws {
        let count = Locked(0)
        let bench = try AnthropicBench { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 1
                ? .events(Self.paused)
                : .json(#"{"type":"error","error":{"type":"overloaded_error","message":"x"}}"#, status: 529)
        }
        let answer = await bench.text.answering(AIRequest(prompt: "Quokkas?", parameters: Self.search))
        let failure = try #require(answer.failure)
        #expect(failure.code == .overloaded && failure.disposition == .outcomeUnknown)
        #expect(failure.billing == .billed(Usage(inputTokens: 20, outputTokens: 10)))
    }

    @Test func `A continuation that breaks off is no answer`() async throws {
        let bench = try bench([Self.paused, String(Self.rest.prefix(400))])
        let answer = await bench.text.answering(AIRequest(prompt: "Quokkas?", parameters: Self.search))
        #expect(answer.failure?.code == .connectionLost && answer.failure?.disposition == .outcomeUnknown)
    }

    @Test func `The content that is kept for a pause is limited`() throws {
        var reader = AnthropicMessageReader(keepsContent: true)
        func take(_ text: String) throws {
            var parser = EventStreamParser()
            var events: [ServerSentEvent] = []
            try parser.parse(Data(text.utf8), into: &events)
            for event in events { _ = try reader.read(event) }
        }
        try take(Streams.start)
        let piece = String(repeating: "x", count: 1 << 20)
        var count = 0
        #expect(throws: TextFault.tooLarge(limit: AnswerBudget.usual)) {
            while count < 40 {
                try take(Streams.text(count, piece))
                count += 1
            }
        }
        #expect((14...16).contains(count))
    }

    @Test func `A structured answer is gathered over a pause`() async throws {
        let beginning = Streams.start + Streams.text(0, #"{\"a\":"#) + Streams.end("pause_turn") + Streams.stop
        let bench = try bench([beginning, Streams.start + Streams.text(0, "1}") + Streams.end() + Streams.stop])
        var parameters = Self.search
        parameters["schema"] = ["type": "object"]
        let answer = await bench.structured.answering(AIRequest(prompt: "Quokkas?", parameters: parameters))
        let content = try answer.result.get().content
        #expect(content == .structured(["a": 1]))
    }
}

extension ParameterValue {
    fileprivate var members: [String: ParameterValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}
