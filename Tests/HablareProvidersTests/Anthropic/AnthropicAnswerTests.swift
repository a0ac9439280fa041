import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// The outcomes of streams.
@Suite struct AnthropicAnswerTests {
    private typealias Streams = AnthropicStreams
    private static let usage = Usage(
        inputTokens: 4320, outputTokens: 15, cachedInputTokens: 4000, cacheWriteTokens: 300)

    private func answer(
        _ stream: String, fields: [String: String] = [:], structured: Bool = false
    ) async throws -> CallResult {
        let bench = try AnthropicBench(stream: stream, fields: fields)
        let schema: [String: ParameterValue] = structured ? ["schema": ["type": "object"]] : [:]
        return await (structured ? bench.structured : bench.text).answering(
            AIRequest(prompt: "hello", parameters: schema))
    }

    @Test func `A text is handed over, with what was used and why it ends`() async throws {
        let answer = try await answer(
            Streams.hello, fields: ["request-id": "req_7", "anthropic-ratelimit-requests-limit": "50"])
        #expect(answer.text == Streams.helloText)
        let content = try answer.result.get().content
        #expect(content == ProviderAnswer(streamed: .text).content)
        #expect(try answer.result.get().usage == Self.usage)
        #expect(
            try answer.metadata == [
                "finish_reason": "stop", "model": "claude-sonnet-5-5-20261001", "request_id": "req_7",
                "cached_input_tokens": "4000", "cache_write_tokens": "300",
            ])
        #expect(answer.limits?.requests?.perMinute == 50)
    }

    @Test("A stream gives the same answer wherever it is cut", arguments: [false, true])
    func anySplit(hasTools: Bool) async throws {
        let stream = hasTools ? Streams.tools : Streams.hello
        let whole = try await answer(stream)
        for cut in 0...stream.utf8.count {
            let bench = try AnthropicBench { _ in .events(stream, cutAt: cut) }
            let answer = await bench.text.answering(AIRequest(prompt: "hello"))
            #expect(answer.yielded == whole.yielded, "cut at \(cut)")
            #expect(try answer.metadata == whole.metadata, "cut at \(cut)")
        }
    }

    @Test func `Broken off at any byte it is no answer before its end is said, and of unknown outcome`() async throws {
        let bytes = Data(Streams.tools.utf8)
        let end = try #require(Streams.tools.range(of: "event: message_stop"))
        let complete = Streams.tools[..<end.lowerBound].utf8.count
        for length in 0..<bytes.count {
            let bench = try AnthropicBench { _ in .of("text/event-stream", bytes.prefix(length)) }
            let answer = await bench.text.answering(AIRequest(prompt: "hello"))
            if length >= complete {
                #expect(answer.failure == nil, "after \(length) bytes all was said")
            } else {
                #expect(answer.failure?.code == .connectionLost, "after \(length) bytes")
                #expect(answer.failure?.disposition == .outcomeUnknown, "after \(length) bytes")
            }
        }
    }

    @Test func `A connection that breaks after the message's end breaks nothing`() async throws {
        let stream = Data(Streams.hello.replacing(Streams.stop, with: "").utf8)
        let bench = try AnthropicBench { _ in
            let pieces = AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(stream)
                continuation.finish(throwing: HTTPFailure(.connectionLost, mayHaveArrived: true, cause: "reset"))
            }
            return HTTPAnswer(
                status: 200, fields: [.contentType: "text/event-stream"], body: HTTPPieces(pieces))
        }
        let answer = await bench.text.answering(AIRequest(prompt: "hello"))
        #expect(answer.failure == nil && answer.text == Streams.helloText)
    }

    @Test func `Tools, their arguments and thoughts are put together from their pieces`() async throws {
        let answer = try await answer(Streams.tools)
        #expect(answer.text == "I look it up.")
        let whole = try answer.result.get()
        let response = AIResponseData(
            requestID: UUID(), providerID: "anthropic", result: .success(whole.content), metadata: whole.metadata,
            receivedAt: Date())
        #expect(
            try response.toolCalls == [
                ToolCall(id: "toolu_1", name: "weather", arguments: ["city": "Córdoba"]),
                ToolCall(id: "toolu_2", name: "time", arguments: [:]),
            ])
        #expect(whole.metadata["finish_reason"] == "tool_calls")
        #expect(whole.metadata["reasoning_tokens"] == "30")
        #expect(
            whole.usage == Usage(inputTokens: 4321, outputTokens: 90, cachedInputTokens: 4000, cacheWriteTokens: 300))
        #expect(
            ParameterValue(json: Data((whole.metadata["thinking"] ?? "").utf8)) == [
                ["type": "thinking", "thinking": "Let me see.", "signature": "EqQB="],
                ["type": "redacted_thinking", "data": "c2VjcmV0"],
                ["type": "text", "bytes": 13],
                ["type": "tool_use", "id": "toolu_1"],
                ["type": "tool_use", "id": "toolu_2"],
            ])
    }

    @Test func `Thoughts go back to where they were, unchanged`() async throws {
        let thoughts = try #require(try await answer(Streams.tools).metadata["thinking"])
        let conversation = Prompt.messages([
            .init(role: .user, text: "How is the weather?"),
            .init(
                role: .assistant,
                parts: [
                    .text("I look it up."), .toolCall(id: "toolu_1", name: "weather", arguments: ["city": "Córdoba"]),
                    .toolCall(id: "toolu_2", name: "time", arguments: [:]),
                ]),
            .init(
                role: .tool,
                parts: [.toolResult(id: "toolu_1", content: "hot"), .toolResult(id: "toolu_2", content: "9")]),
        ])
        let bench = try AnthropicBench(stream: Streams.hello)
        _ = try await bench.text.answering(
            AIRequest(prompt: conversation, parameters: ["thinking_blocks": [.string(thoughts)]])
        ).result.get()
        #expect(
            bench.transport.calls.first?.json?[member: "messages"]?[element: 1]?[member: "content"] == [
                ["type": "thinking", "thinking": "Let me see.", "signature": "EqQB="],
                ["type": "redacted_thinking", "data": "c2VjcmV0"],
                ["type": "text", "text": "I look it up."],
                ["type": "tool_use", "id": "toolu_1", "name": "weather", "input": ["city": "Córdoba"]],
                ["type": "tool_use", "id": "toolu_2", "name": "time", "input": [:]],
            ])
    }

    @Test func `Thoughts of another conversation are refused, and not left out in silence`() async throws {
        let thoughts = try #require(try await answer(Streams.tools).metadata["thinking"])
        let bench = try AnthropicBench(stream: Streams.hello)
        let error = await bench.text.answering(
            AIRequest(
                prompt: .messages([
                    .init(role: .user, text: "a"), .init(role: .assistant, text: "other"),
                    .init(role: .user, text: "b"),
                ]),
                parameters: ["thinking_blocks": .string(thoughts)])
        ).failure
        #expect(error?.code == .invalidRequest && error?.message.contains("thinking_blocks") == true)
    }

    @Test func `A turn is known by its calls, and by how much text it has where`() {
        let turn = AnthropicTurn([
            .text(bytes: 3), .thoughts(["type": "redacted_thinking", "data": "x"]), .text(bytes: 1), .tool(id: "1"),
        ])
        func parts(_ text: String, _ id: String) -> [Prompt.Part] {
            [.text(text), .toolCall(id: id, name: "look", arguments: [:])]
        }
        #expect(
            turn.content(of: parts("añb", "1")) == [
                ["type": "text", "text": "añ"], ["type": "redacted_thinking", "data": "x"],
                ["type": "text", "text": "b"], ["type": "tool_use", "id": "1", "name": "look", "input": [:]],
            ])
        #expect(turn.content(of: parts("añb", "2")) == nil)
        #expect(turn.content(of: parts("añbc", "1")) == nil)
        #expect(turn.content(of: parts("añ", "1")) == nil)
        // As many bytes, but the first text ends within a character.
        #expect(turn.content(of: parts("abñ", "1")) == nil)
        #expect(turn.content(of: [.text("añb")]) == nil)
        // More text than there is, in total or in one piece.
        let largest = AnthropicTurn([.text(bytes: .max), .text(bytes: .max), .tool(id: "1")])
        #expect(largest.content(of: parts("añb", "1")) == nil)
        #expect(turn.content(of: parts("añb", "1") + [.image(Body(Data()), .png)]) == nil)
    }

    @Test func `Unknown events, blocks and pieces are left out`() async throws {
        let stream =
            Streams.start + Streams.event("weather_report", "no json")
            + Streams.event("tomorrow", #"{"type":"tomorrow"}"#)
            + Streams.block(
                0, #"{"type":"server_tool_use","id":"s","name":"search","input":{}}"#,
                #"{"type":"input_json_delta","partial_json":"{"}"#)
            + Streams.block(
                1, #"{"type":"text","text":"begin "}"#, #"{"type":"citations_delta","citation":{}}"#,
                #"{"type":"text_delta","text":"end"}"#, #"{"type":"new_delta"}"#)
            + ": a comment\n\n" + Streams.end("pause_turn") + Streams.stop
        let answer = try await answer(stream)
        #expect(answer.text == "begin end")
        #expect(try answer.metadata["finish_reason"] == "pause_turn")
    }

    @Test(
        "An event that contradicts the API is a failure that reveals nothing of the answer",
        arguments: [
            Streams.event("message_start", "{"), Streams.event("message_start", "[]"),
            Streams.event("message_start", #"{"type":"message_start"}"#), Streams.start + Streams.start,
            Streams.text(0, "secret"), Streams.start + Streams.text(0, "secret") + Streams.text(0, "secret"),
            Streams.start + Streams.event("content_block_start", #"{"type":"content_block_start"}"#),
            Streams.start
                + Streams.event("content_block_start", #"{"type":"content_block_start","index":-1,"content_block":{}}"#),
            Streams.start
                + Streams.event(
                    "content_block_delta",
                    #"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"secret"}}"#),
            Streams.start + Streams.block(0, #"{"type":"text","text":""}"#, #"{"type":"text_delta","text":5}"#),
            Streams.start
                + Streams.block(0, #"{"type":"text","text":""}"#, #"{"type":"thinking_delta","thinking":"secret"}"#),
            Streams.start + Streams.block(0, #"{"type":"tool_use","name":"secret"}"#),
            Streams.start
                + Streams.block(
                    0, #"{"type":"tool_use","id":"1","name":"x","input":{}}"#,
                    #"{"type":"input_json_delta","partial_json":"{\"secret"}"#) + Streams.end("tool_use"),
            Streams.start
                + Streams.block(
                    0, #"{"type":"tool_use","id":"1","name":"x","input":{}}"#,
                    #"{"type":"input_json_delta","partial_json":"[1]"}"#) + Streams.end("tool_use"),
            Streams.end(), Streams.start + Streams.stop,
            Streams.start + Streams.event("message_delta", #"{"type":"message_delta"}"#),
        ])
    func malformed(stream: String) async throws {
        let failure = try #require(try await answer(stream + Streams.end() + Streams.stop).failure)
        #expect(failure.code == .invalidResponse)
        #expect(failure.disposition == .fail)
        #expect(!"\(failure) \(failure.cause ?? "")".contains("secret"))
    }

    @Test func `A tool call that the longest answer cut is left out`() async throws {
        let stream =
            Streams.start + Streams.text(0, "Wait.")
            + Streams.block(
                1, #"{"type":"tool_use","id":"1","name":"x","input":{}}"#,
                #"{"type":"input_json_delta","partial_json":"{\"a"}"#)
            + Streams.end("max_tokens") + Streams.stop
        let answer = try await answer(stream)
        #expect(try answer.metadata["finish_reason"] == "length")
        #expect(try answer.metadata["tool_calls"] == nil)
    }

    @Test func `An error in the stream is tried again before anything was written, and unknown afterwards`()
        async throws
    {
        let early = try await answer(Streams.start + Streams.ping + Streams.error("overloaded_error")).failure
        #expect(early?.code == .overloaded && early?.disposition == .retry(after: nil))
        let late = try await answer(Streams.start + Streams.text(0, "He") + Streams.error("overloaded_error"))
        #expect(late.failure?.disposition == .outcomeUnknown)
        // Thinking is billed, although it was not shown.
        let thought = try await answer(
            Streams.start
                + Streams.block(0, #"{"type":"thinking","thinking":""}"#, #"{"type":"thinking_delta","thinking":"h"}"#)
                + Streams.error("overloaded_error"))
        #expect(thought.failure?.disposition == .outcomeUnknown && thought.yielded.isEmpty)
    }

    private static let unseen = [
        Streams.event(
            "content_block_start",
            #"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#),
        Streams.block(0, #"{"type":"redacted_thinking","data":"c2VjcmV0"}"#),
        Streams.block(0, #"{"type":"tool_use","id":"1","name":"x","input":{}}"#),
        Streams.block(0, #"{"type":"server_tool_use","id":"1","name":"search","input":{}}"#),
    ]

    @Test("An error after a hidden block is possibly billed, whatever its disposition", arguments: unseen)
    func begunUnseen(block: String) async throws {
        let rows: [(String, FailureDisposition, FailureDisposition)] = [
            ("overloaded_error", .retry(after: nil), .outcomeUnknown), ("billing_error", .needsUser, .needsUser),
            ("permission_error", .needsUser, .needsUser), ("invalid_request_error", .fail, .fail),
        ]
        for (type, early, late) in rows {
            for structured in [false, true] {
                let unbegun = try await answer(Streams.start + Streams.error(type), structured: structured).failure
                #expect(unbegun?.disposition == early && unbegun?.billing == nil)
                let begun = try await answer(Streams.start + block + Streams.error(type), structured: structured)
                #expect(begun.failure?.disposition == late && begun.failure?.billing == .maybeBilled)
                #expect(begun.yielded.isEmpty)
            }
        }
    }

    @Test func `A tool call that is none is billed as the message says`() async throws {
        let stream =
            Streams.start
            + Streams.block(
                0, #"{"type":"tool_use","id":"1","name":"x","input":{}}"#,
                #"{"type":"input_json_delta","partial_json":"[1]"}"#)
        let whole = try await answer(stream + Streams.end("tool_use") + Streams.stop).failure
        #expect(whole?.code == .invalidResponse && whole?.billing == .billed(Self.usage))
        // The count at the start does not cover the whole message.
        let broken = try await answer(stream + Streams.event("content_block_delta", "7")).failure
        #expect(broken?.code == .invalidResponse && broken?.billing == .maybeBilled)
    }

    @Test func `A name that comes twice, in an event or in a tool's arguments: the last counts`() async throws {
        let stream =
            Streams.start + Streams.event("ping", #"{"type":"x","type":"ping"}"#) + Streams.text(0, "Wait.")
            + Streams.block(
                1, #"{"type":"tool_use","id":"0","id":"1","name":"x","input":{}}"#,
                #"{"type":"input_json_delta","partial_json":"{\"q\":\"a\",\"q\":\"b\"}"}"#)
            + Streams.end("tool_use") + Streams.stop
        let answer = try await answer(stream)
        #expect(answer.text == "Wait.")
        #expect(try answer.metadata["tool_calls"] == #"[{"arguments":{"q":"b"},"id":"1","name":"x"}]"#)
    }

    @Test func `A key that stands as the model, the reason or the sequence is not in the metadata`() async throws {
        let key = "sk-ant-api03-0123456789abcdef"
        let start = Streams.event(
            "message_start", #"{"type":"message_start","message":{"model":"\#(key)","usage":{"input_tokens":20}}}"#)
        let end = Streams.event(
            "message_delta",
            #"{"type":"message_delta","delta":{"stop_reason":"\#(key)","stop_sequence":"\#(key)"},"usage":{}}"#)
        let metadata = try await answer(start + Streams.text(0, "x") + end + Streams.stop).metadata
        #expect(Set(metadata.keys).isSuperset(of: ["model", "finish_reason", "stop_sequence"]))
        #expect(!"\(metadata)".contains(key))
    }

    @Test func `A refusal and a cut are answers that say so`() async throws {
        #expect(
            try await answer(Streams.start + Streams.end("refusal") + Streams.stop).metadata["finish_reason"]
                == "refusal")
        let cut = Streams.start + Streams.text(0, "Hal") + Streams.end("model_context_window_exceeded") + Streams.stop
        #expect(try await answer(cut).metadata["finish_reason"] == "length")
    }

    @Test func `Another kind of answer, and one that fails, are failures`() async throws {
        let page = try AnthropicBench { _ in .of("text/html", Data("<h1>secret</h1>".utf8)) }
        #expect(await page.text.answering(AIRequest(prompt: "x")).failure?.code == .invalidResponse)
        let busy = try AnthropicBench { _ in
            .json(#"{"type":"error","error":{"type":"overloaded_error","message":"x"}}"#, status: 529)
        }
        #expect(await busy.text.answering(AIRequest(prompt: "x")).failure?.isRetryable == true)
        let down = try AnthropicBench { _ in throw HTTPFailure(.unreachable, mayHaveArrived: false, cause: "refused") }
        #expect(await down.text.answering(AIRequest(prompt: "x")).failure?.code == .connectionFailed)
    }

    // MARK: Structured

    @Test func `A structured answer is its value`() async throws {
        let stream = Streams.start + Streams.text(0, #"{\"a\": [1, "#, #"2.5]}"#) + Streams.end() + Streams.stop
        let answer = try await answer(stream, structured: true)
        #expect(answer.yielded.isEmpty)
        let content = try answer.result.get().content
        #expect(content == .structured(["a": [1, 2.5]]))
    }

    @Test("A structured answer that is not JSON is text with its finish reason", arguments: ["stop", "length"])
    func prose(reason: String) async throws {
        let stream =
            Streams.start + Streams.text(0, #"{\"a\": "#) + Streams.end(reason == "stop" ? "end_turn" : "max_tokens")
            + Streams.stop
        let answer = try await answer(stream, structured: true)
        let made = try answer.result.get()
        #expect(made.content == .text(#"{"a": "#) && made.metadata["finish_reason"] == reason)
        #expect(made.usage == Self.usage && answer.yielded.isEmpty)
    }

    @Test(
        "A structured answer without text, or one that is a refusal, is a billed failure",
        arguments: [
            ("", "end_turn", "without text", .invalidResponse), ("", "max_tokens", "max_tokens", .invalidResponse),
            ("{}", "refusal", "declined", .providerFailed),
        ] as [(String, String, String, AIServiceError.Code)])
    func noValue(text: String, reason: String, says: String, code: AIServiceError.Code) async throws {
        let stream = Streams.start + Streams.text(0, text) + Streams.end(reason) + Streams.stop
        let failure = try #require(try await answer(stream, structured: true).failure)
        #expect(failure.code == code && failure.message.contains(says))
        #expect(failure.billing == .billed(Self.usage))
    }

    // MARK: Limits

    @Test func `Thoughts in thousands of pieces are put together`() async throws {
        let pieces = (0..<5000).map { "\($0)," }
        let deltas = pieces.map {
            Streams.event(
                "content_block_delta",
                #"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"\#($0)"}}"#)
        }
        let block = Streams.block(0, #"{"type":"thinking","thinking":"","signature":"s"}"#)
        let answer = try await answer(
            Streams.start + block + deltas.joined() + Streams.text(1, "So.") + Streams.end() + Streams.stop)
        let thinking = try #require(try answer.metadata["thinking"])
        let blocks = try ParameterValue.literal(thinking)
        #expect(
            blocks[element: 0] == ["type": "thinking", "thinking": .string(pieces.joined()), "signature": "s"])
    }

    private static let large = String(repeating: "x", count: 1 << 20)

    /// Ways to fill an endless answer, each for a block's index.
    private static let kept: [@Sendable (Int) -> String] = [
        { AnthropicStreams.block($0, #"{"type":"thinking","thinking":"\#(large)","signature":""}"#) },
        { AnthropicStreams.block($0, #"{"type":"thinking","thinking":"","signature":"\#(large)"}"#) },
        { AnthropicStreams.block($0, #"{"type":"redacted_thinking","data":"\#(large)"}"#) },
        { AnthropicStreams.block($0, #"{"type":"tool_use","id":"\#($0)","name":"x","input":{"a":"\#(large)"}}"#) },
        { AnthropicStreams.block($0, #"{"type":"tool_use","id":"\#(large)\#($0)","name":"x","input":{}}"#) },
        { AnthropicStreams.block($0, #"{"type":"tool_use","id":"\#($0)","name":"\#(large)","input":{}}"#) },
        {
            AnthropicStreams.block(
                $0, #"{"type":"tool_use","id":"\#($0)","name":"x","input":{}}"#,
                #"{"type":"input_json_delta","partial_json":"\#(large)"}"#)
        },
        { number in
            (number * 4096..<(number + 1) * 4096).map { AnthropicStreams.block($0, #"{"type":"new"}"#) }.joined()
        },
    ]

    @Test("The kept content is limited, and what was made until then is possibly billed", arguments: kept.indices)
    func bounded(kind: Int) throws {
        var reader = AnthropicMessageReader()
        var parser = EventStreamParser()
        func take(_ text: String) throws {
            var events: [ServerSentEvent] = []
            try parser.parse(Data(text.utf8), into: &events)
            for event in events { _ = try reader.read(event) }
        }
        try take(Streams.start)
        var count = 0
        #expect(throws: TextFault.tooLarge(limit: AnswerBudget.usual)) {
            while count < 40 {
                try take(Self.kept[kind](count))
                count += 1
            }
        }
        #expect((15...16).contains(count))
    }

    @Test func `An answer of which too much would be kept is too large, and may be billed`() async throws {
        let blocks = (0..<17).map { Self.kept[0]($0) }.joined()
        let failure = try #require(try await answer(Streams.start + blocks + Streams.end() + Streams.stop).failure)
        #expect(failure.code == .responseTooLarge && failure.disposition == .fail)
        #expect(failure.billing == .maybeBilled)
        let text = Streams.start + Streams.text(0, Self.large, Self.large, Self.large, Self.large, "x")
        let value = try #require(try await answer(text + Streams.end() + Streams.stop, structured: true).failure)
        #expect(value.code == .responseTooLarge && value.billing == .maybeBilled)
    }
}
