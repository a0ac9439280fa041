import Foundation
import HTTPTypes
import Hablare
import HablareSupport
import Testing

@testable import HablareProviders

/// Streams of `chat/completions`: whole, cut, split, malformed, and as other servers send them.
@Suite struct OpenAIChatStreamTests {
    private static func chunk(_ delta: String, finish: String? = nil) -> String {
        let finish = finish.map { "\"\($0)\"" } ?? "null"
        return
            #"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4.1-mini-2025-04-14","choices":[{"index":0,"delta":\#(delta),"finish_reason":\#(finish)}]}"#
    }

    private static let usage =
        #"{"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":2}}}"#

    private static let greeting = [
        chunk(#"{"role":"assistant","content":""}"#), chunk(#"{"content":"Grüß "}"#), chunk(#"{"content":"🌍, "}"#),
        chunk(#"{"content":"你好"}"#), chunk("{}", finish: "stop"), usage, "[DONE]",
    ]
    private static let text = "Grüß 🌍, 你好"
    private static let used = Usage(inputTokens: 9, outputTokens: 4, cachedInputTokens: 3)

    private func call(
        _ answer: HTTPAnswer, form: AnswerForm = .text, streams: Bool = true
    ) async throws -> OpenAIBench.Outcome {
        let request = AIRequest(prompt: "Greet.", streaming: streams ? StreamingPolicy() : nil)
        return try await OpenAIBench().call(request) { _ in
            answer
        } _: {
            OpenAIBench.chat(form)($0)
        }
    }

    private func call(_ data: [String], form: AnswerForm = .text) async throws -> OpenAIBench.Outcome {
        try await call(OpenAIBench.stream(OpenAIBench.events(data)), form: form)
    }

    @Test("A stream is yielded piece by piece, and its end reports the usage")
    func whole() async throws {
        let outcome = try await call(Self.greeting)
        let answer = try outcome.result.get()
        #expect(outcome.pieces.map { String(decoding: $0, as: UTF8.self) } == ["Grüß ", "🌍, ", "你好"])
        #expect(answer.content == ProviderAnswer(streamed: .text).content && answer.isStreamed)
        #expect(answer.usage == Usage(inputTokens: 9, outputTokens: 4, cachedInputTokens: 3))
        #expect(
            answer.metadata == [
                "request_id": "chatcmpl-1", "model": "gpt-4.1-mini-2025-04-14", "finish_reason": "stop",
                "cached_input_tokens": "3", "reasoning_tokens": "2",
            ])
    }

    @Test("The text does not depend on how the network splits the stream")
    func split() async throws {
        let stream = OpenAIBench.events(Self.greeting)
        for size in 1...70 {
            let outcome = try await call(OpenAIBench.stream(stream, pieces: size))
            #expect(outcome.text == Self.text)
            #expect(try outcome.result.get().usage.outputTokens == 4)
        }
    }

    @Test("A stream cut before the text's end has an unknown outcome, and one cut later is complete")
    func cut() async throws {
        let stream = OpenAIBench.events(Self.greeting)
        let finish = OpenAIBench.events(Array(Self.greeting.prefix(5))).utf8.count
        for cut in 0...stream.utf8.count {
            let outcome = try await call(OpenAIBench.stream(stream, pieces: 64, cutAfter: cut))
            if cut < finish {
                #expect(outcome.error?.code == .connectionLost && outcome.error?.disposition == .outcomeUnknown)
            } else {
                #expect(outcome.error == nil && outcome.text == Self.text, "cut after \(cut)")
            }
        }
    }

    @Test("A connection lost after the end of the text loses nothing but the usage")
    func lostAtEnd() async throws {
        for count in 4...6 {
            let pieces = AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data(OpenAIBench.events(Array(Self.greeting.prefix(count))).utf8))
                continuation.finish(throwing: HTTPFailure(.connectionLost, mayHaveArrived: true, cause: "reset"))
            }
            let answer = HTTPAnswer(status: 200, fields: [.contentType: "text/event-stream"], body: HTTPPieces(pieces))
            let outcome = try await call(answer)
            #expect(outcome.text == Self.text)
            if count == 4 {
                #expect(outcome.error?.code == .connectionLost && outcome.error?.disposition == .outcomeUnknown)
            } else {
                #expect(try outcome.result.get().usage.outputTokens == (count == 6 ? 4 : 0))
            }
        }
    }

    @Test("Events after [DONE] are not read, and [DONE] without an answer is refused")
    func done() async throws {
        let outcome = try await call(Self.greeting + ["rubbish"])
        #expect(outcome.error == nil && outcome.text == Self.text)
        let early = try await call([Self.chunk(#"{"content":"x"}"#), "[DONE]"])
        #expect(try early.result.get().metadata["finish_reason"] == nil)
        #expect(try await call(["[DONE]"]).error?.code == .invalidResponse)
        #expect(try await call([Self.usage, "[DONE]"]).error?.code == .invalidResponse)
    }

    @Test(
        "A malformed event fails the answer, whatever arrived before",
        arguments: [
            "rubbish", "[]", "7", "null", #"{"choices":"#, #"{"choices":7}"#, #"{"choices":["x"]}"#,
            #"{"choices":[{"delta":"x"}]}"#, #"{"choices":[{"delta":{"content":7}}]}"#,
            #"{"choices":[{"delta":{"refusal":[]}}]}"#, #"{"choices":[{"delta":{"tool_calls":{}}}]}"#,
            #"{"choices":[{"delta":{"tool_calls":[7]}}]}"#, #"{"choices":[{"delta":{},"finish_reason":7}]}"#,
        ])
    func malformed(event: String) async throws {
        for before in [0, 3] {
            let outcome = try await call(Array(Self.greeting.prefix(before)) + [event] + Self.greeting.suffix(3))
            #expect(outcome.error?.code == .invalidResponse && outcome.error?.disposition == .fail)
            #expect(outcome.error?.cause?.contains("rubbish") == false)
        }
    }

    @Test("An error in the stream is the service's refusal, and after some output its outcome is unknown")
    func failed() async throws {
        let error = #"{"error":{"message":"The server had an error","type":"server_error","code":null}}"#
        let early = try await call([Self.greeting[0], error])
        #expect(early.error?.code == .overloaded && early.error?.disposition == .retry(after: nil))
        let late = try await call(Array(Self.greeting.prefix(2)) + [error, "[DONE]"])
        #expect(late.error?.code == .overloaded && late.error?.disposition == .outcomeUnknown)
        let named = try await call(
            OpenAIBench.stream("event: error\ndata: {\"message\":\"x\",\"code\":\"insufficient_quota\"}\n\n"))
        #expect(named.error?.code == .quotaExceeded)
        let end = try await call([Self.chunk(#"{"content":"x"}"#, finish: "error")])
        #expect(end.error?.code == .overloaded && end.error?.disposition == .outcomeUnknown)
    }

    @Test("A refusal is text with a finish reason, and for a value tree it is a failure")
    func refusal() async throws {
        let events = [
            Self.chunk(#"{"role":"assistant","content":null,"refusal":""}"#), Self.chunk(#"{"refusal":"I will "}"#),
            Self.chunk(#"{"refusal":"not."}"#), Self.chunk("{}", finish: "stop"), "[DONE]",
        ]
        let outcome = try await call(events)
        #expect(outcome.text == "I will not.")
        #expect(try outcome.result.get().metadata["finish_reason"] == "refusal")
        let tree = try await call(events, form: .structured)
        #expect(tree.error?.code == .providerFailed && tree.pieces.isEmpty)
    }

    @Test("Parallel tool calls are returned as metadata")
    func tools() async throws {
        let outcome = try await call([
            Self.chunk(
                #"{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"one","arguments":""}}]}"#
            ),
            Self.chunk(
                #"{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"two","arguments":"{\"x\":"}},{"index":0,"function":{"arguments":"{}"}}]}"#
            ),
            Self.chunk(#"{"tool_calls":[{"index":1,"function":{"arguments":"[1,2]}"}}]}"#),
            Self.chunk("{}", finish: "tool_calls"), "[DONE]",
        ])
        let answer = try outcome.result.get()
        #expect(outcome.pieces.isEmpty && answer.metadata["finish_reason"] == "tool_calls")
        let response = AIResponseData(
            requestID: UUID(), providerID: "openai", result: .success(answer.content), metadata: answer.metadata,
            receivedAt: OpenAIBench.now)
        #expect(
            try response.toolCalls == [
                ToolCall(id: "a", name: "one", arguments: [:]),
                ToolCall(id: "b", name: "two", arguments: ["x": [1, 2]]),
            ])
    }

    private static func tool(_ index: Int, _ id: String, _ arguments: String) -> String {
        chunk(
            #"{"tool_calls":[{"index":\#(index),"id":"\#(id)","function":{"name":"one","arguments":"\#(arguments)"}}]}"#
        )
    }

    @Test("A tool call that was cut off is omitted, and all else stays", arguments: [#"{\"a\":"#, "{", ""])
    func cutTool(arguments: String) async throws {
        let said = Self.chunk(#"{"content":"I look."}"#)
        let first = Self.tool(0, "a", #"{\"x\":1}"#)
        let outcome = try await call([
            said, first, Self.tool(1, "b", arguments), Self.chunk("{}", finish: "length"), Self.usage, "[DONE]",
        ])
        let answer = try outcome.result.get()
        #expect(outcome.text == "I look." && answer.metadata["finish_reason"] == "length")
        #expect(answer.metadata["tool_calls"] == #"[{"arguments":{"x":1},"id":"a","name":"one"}]"#)
        #expect(answer.usage.outputTokens == 4)
        let only = try await call([Self.tool(0, "a", arguments), Self.chunk("{}", finish: "length"), "[DONE]"])
        #expect(try only.result.get().metadata["tool_calls"] == nil)
    }

    @Test("Only the last call of a cut answer may be omitted")
    func brokenTool() async throws {
        let (broken, whole) = (Self.tool(0, "a", #"{\"x\":"#), Self.tool(1, "b", "{}"))
        let (cut, stopped) = (Self.chunk("{}", finish: "length"), Self.chunk("{}", finish: "stop"))
        for events in [[broken, whole, cut], [broken, stopped], [whole, broken, stopped]] {
            let error = try await call(events + [Self.usage, "[DONE]"]).error
            #expect(error?.code == .invalidResponse && error?.disposition == .fail)
            #expect(error?.billing == .billed(Self.used))
        }
    }

    @Test(
        "A failure after thinking or a tool call has an unknown outcome, so no retry pays twice unnoticed",
        arguments: [
            #"{"reasoning_content":"hm"}"#, #"{"reasoning":"hm"}"#, #"{"content":"","thinking":"hm"}"#,
            #"{"reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]}"#,
            #"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}"#,
        ])
    func thinksThenFails(delta: String) async throws {
        let empty = #"{"role":"assistant","content":"","refusal":null,"reasoning_content":"","tool_calls":[]}"#
        let rows: [(String, FailureDisposition, FailureDisposition)] = [
            ("server_error", .retry(after: nil), .outcomeUnknown), ("invalid_prompt", .fail, .fail),
            ("insufficient_quota", .needsUser, .needsUser),
        ]
        for (code, early, late) in rows {
            let error = #"{"error":{"code":"\#(code)","message":"x"}}"#
            let unbegun = try await call([Self.chunk(empty), error]).error
            #expect(unbegun?.disposition == early && unbegun?.billing == nil)
            let begun = try await call([Self.chunk(empty), Self.chunk(delta), error]).error
            #expect(begun?.disposition == late && begun?.billing == .maybeBilled)
        }
    }

    @Test("The usage that a failed stream reports is billed", arguments: ["server_error", "invalid_prompt"])
    func usedThenFails(code: String) async throws {
        let used = #""usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":3}}"#
        let error = #""error":{"code":"\#(code)","message":"x"}"#
        for events in [["{\(used)}", "{\(error)}"], ["{\(error),\(used)}"]] {
            let failure = try await call(events).error
            #expect(failure?.disposition == (code == "server_error" ? .outcomeUnknown : .fail))
            #expect(failure?.billing == .billed(Self.used))
        }
        let unreadable = try await call([Self.usage, "rubbish"]).error
        #expect(unreadable?.code == .invalidResponse && unreadable?.billing == .billed(Self.used))
    }

    @Test("A name that occurs twice in an event or in a tool's arguments loses no answer, and the last one counts")
    func nameTwice() async throws {
        let outcome = try await call([
            #"{"id":"x","id":"c","choices":[{"delta":{"content":"Hallo","role":"a","role":"assistant"}}]}"#,
            Self.tool(0, "a", #"{\"q\":\"a\",\"q\":\"b\"}"#), Self.chunk("{}", finish: "tool_calls"), "[DONE]",
        ])
        let answer = try outcome.result.get()
        #expect(outcome.text == "Hallo" && answer.metadata["request_id"] == "c")
        #expect(answer.metadata["tool_calls"] == #"[{"arguments":{"q":"b"},"id":"a","name":"one"}]"#)
    }

    @Test("A value tree is collected from a stream and yields no text")
    func tree() async throws {
        let outcome = try await call(
            [Self.chunk(#"{"content":"{\"a\":"}"#), Self.chunk(#"{"content":"[1]}"}"#, finish: "stop"), "[DONE]"],
            form: .structured)
        #expect(outcome.pieces.isEmpty)
        #expect(try outcome.result.get().content == .structured(["a": [1]]))
    }

    @Test("Members that servers omit or add are tolerated")
    func tolerant() async throws {
        let outcome = try await call(
            OpenAIBench.stream(
                """
                : ping\r
                \r
                data:{"choices":null,"x_extra":{"a":[]}}\r
                \r
                data:{"prompt_filter_results":[],"choices":[]}\r
                \r
                data:{"choices":[{"delta":{"reasoning_content":"hm"}}]}\r
                \r
                data:{"choices":[{"delta":null}]}\r
                \r
                data:{"choices":[{"text":"","delta":{"content":[{"type":"text","text":"He"},{"type":"image"}]}}]}\r
                \r
                data:{"choices":[{"delta":{"content":"llo"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1.0,"completion_tokens":2}}\r
                \r
                data:{"choices":[],"usage":null,"timings":{"predicted_per_second":160.5}}\r
                \r

                """))
        #expect(outcome.text == "Hello")
        #expect(try outcome.result.get().usage == Usage(inputTokens: 1, outputTokens: 2))
    }

    @Test("A whole answer to a request for a stream is accepted, and so is the reverse")
    func otherForm() async throws {
        let whole = try await call(
            OpenAIBench.json(#"{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}"#))
        #expect(try whole.result.get().content == .text("Hello"))
        let streamed = try await call(OpenAIBench.stream(OpenAIBench.events(Self.greeting)), streams: false)
        #expect(streamed.text == Self.text)
        #expect(try streamed.result.get().isStreamed)
    }

    @Test("An error of the engine ends the call unchanged")
    func refusedByEngine() async throws {
        let transport = ScriptedTransport { _ in OpenAIBench.stream(OpenAIBench.events(Self.greeting)) }
        let provider = OpenAIBench.chat()(try OpenAIBench().service(transport))
        let call = ProviderCall(
            request: AIRequest(prompt: "x", streaming: StreamingPolicy()),
            chunks: { if !$0.isEmpty { throw AIServiceError(.storageFull, "No room.") } })
        guard case .failure(let error) = await provider.generate(call) else { throw CancellationError() }
        #expect(error.code == .storageFull)
    }

    @Test("Events of a thinking model reach the engine as signs of life")
    func alive() async throws {
        let signs = Locked(0)
        let thought = #"{"choices":[{"delta":{"reasoning_content":"hm"}}]}"#
        let transport = ScriptedTransport { _ in
            OpenAIBench.stream(OpenAIBench.events([thought, thought, thought] + Self.greeting))
        }
        let provider = OpenAIBench.chat()(try OpenAIBench().service(transport))
        let call = ProviderCall(
            request: AIRequest(prompt: "x", streaming: StreamingPolicy()),
            chunks: { if $0.isEmpty { signs.withLock { $0 += 1 } } })
        _ = try await provider.generate(call).get()
        #expect(signs.withLock { $0 } >= 3)
    }
}
