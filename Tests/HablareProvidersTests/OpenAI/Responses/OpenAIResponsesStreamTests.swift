import Foundation
import Hablare
import Testing

@testable import HablareProviders

/// Answers of `responses`: streams and whole responses.
@Suite struct OpenAIResponsesStreamTests {
    private static let usage =
        #"{"input_tokens":9,"output_tokens":4,"total_tokens":13,"input_tokens_details":{"cached_tokens":3,"cache_write_tokens":1},"output_tokens_details":{"reasoning_tokens":2}}"#
    private static let used = Usage(inputTokens: 9, outputTokens: 4, cachedInputTokens: 3, cacheWriteTokens: 1)
    private static let message =
        #"{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Grüß 🌍","annotations":[]}]}"#

    private static func response(_ status: String, output: String = message, _ more: String = "") -> String {
        #"{"id":"resp_1","object":"response","model":"m-1","status":"\#(status)","output":[\#(output)],"usage":\#(usage)\#(more)}"#
    }

    private static func event(_ type: String, _ members: String, _ number: Int) -> String {
        "event: \(type)\ndata: {\"type\":\"\(type)\",\"sequence_number\":\(number),\(members)}\n\n"
    }

    private static let greeting = [
        event("response.created", #""response":{"id":"resp_1","model":"m-1","status":"in_progress"}"#, 0),
        event("response.output_item.added", #""output_index":0,"item":{"type":"message"}"#, 1),
        event("response.output_text.delta", #""output_index":0,"content_index":0,"delta":"Grüß ""#, 2),
        event("response.output_text.delta", #""output_index":0,"content_index":0,"delta":"🌍""#, 3),
        event("response.output_text.done", #""text":"Grüß 🌍""#, 4),
        event("response.output_item.done", #""output_index":0,"item":\#(message)"#, 5),
        event("response.completed", #""response":\#(response("completed"))"#, 6),
    ].joined()

    private func call(
        _ answer: HTTPAnswer, form: AnswerForm = .text, streams: Bool = true
    ) async throws -> OpenAIBench.Outcome {
        let request = AIRequest(prompt: "Greet.", streaming: streams ? StreamingPolicy() : nil)
        return try await OpenAIBench().call(request) { _ in
            answer
        } _: {
            OpenAIBench.responses(form)($0)
        }
    }

    @Test("A stream is yielded piece by piece, however it is split")
    func whole() async throws {
        for size in [Int.max, 1, 2, 3, 5, 7, 64] {
            let outcome = try await call(OpenAIBench.stream(Self.greeting, pieces: size))
            let answer = try outcome.result.get()
            #expect(outcome.pieces.map { String(decoding: $0, as: UTF8.self) } == ["Grüß ", "🌍"])
            #expect(
                answer.usage == Usage(inputTokens: 9, outputTokens: 4, cachedInputTokens: 3, cacheWriteTokens: 1)
                    && answer.isStreamed)
            #expect(
                answer.metadata == [
                    "request_id": "resp_1", "model": "m-1", "finish_reason": "stop", "cached_input_tokens": "3",
                    "cache_write_tokens": "1", "reasoning_tokens": "2",
                ])
        }
    }

    @Test("A stream cut anywhere has an unknown outcome and is never an answer")
    func cut() async throws {
        let count = Self.greeting.utf8.count
        for cut in 0..<count {
            let outcome = try await call(OpenAIBench.stream(Self.greeting, pieces: 64, cutAfter: cut))
            #expect(outcome.error?.code == .connectionLost && outcome.error?.disposition == .outcomeUnknown)
        }
    }

    @Test("A whole response is an answer")
    func json() async throws {
        let outcome = try await call(OpenAIBench.json(Self.response("completed")), streams: false)
        let answer = try outcome.result.get()
        #expect(answer.content == .text("Grüß 🌍") && answer.metadata["finish_reason"] == "stop")
        let tree = try await call(
            OpenAIBench.json(
                Self.response(
                    "completed", output: #"{"type":"message","content":[{"type":"output_text","text":"[1]"}]}"#)),
            form: .structured, streams: false)
        #expect(try tree.result.get().content == .structured([1]))
    }

    @Test("Tool calls and thinking are metadata, from the end or, without a list there, from the items")
    func tools() async throws {
        let call = #"{"type":"function_call","id":"fc_1","call_id":"a","name":"look","arguments":"{\"at\":1}"}"#
        let thought = #"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"xyz"}"#
        let ends = [
            Self.response("completed", output: "\(thought),\(call)"), Self.response("completed", output: ""),
        ]
        for end in ends {
            let stream =
                Self.event("response.output_item.done", #""output_index":1,"item":\#(call)"#, 1)
                + Self.event("response.output_item.done", #""output_index":0,"item":\#(thought)"#, 2)
                + Self.event("response.completed", #""response":\#(end)"#, 3)
            let answer = try await self.call(OpenAIBench.stream(stream)).result.get()
            #expect(answer.metadata["finish_reason"] == "tool_calls")
            #expect(answer.metadata["tool_calls"] == #"[{"arguments":{"at":1},"id":"a","name":"look"}]"#)
            let kept = try ParameterValue.literal(try #require(answer.metadata["thinking"]))
            #expect(kept == [try .literal(thought), try .literal(call)])
        }
    }

    @Test("An end without earlier pieces has the text itself")
    func endOnly() async throws {
        let outcome = try await call(
            OpenAIBench.stream(Self.event("response.completed", #""response":\#(Self.response("completed"))"#, 0)))
        #expect(outcome.text == "Grüß 🌍")
    }

    @Test("An answer that was cut off or filtered has that finish reason")
    func incomplete() async throws {
        for (reason, expected) in [("max_output_tokens", "length"), ("content_filter", "content_filter")] {
            let end = Self.response(
                "incomplete", output: Self.message, #","incomplete_details":{"reason":"\#(reason)"}"#)
            let outcome = try await call(
                OpenAIBench.stream(Self.event("response.incomplete", #""response":\#(end)"#, 0)))
            #expect(try outcome.result.get().metadata["finish_reason"] == expected)
        }
    }

    @Test("A refusal is text with a finish reason, and for a value tree it is a failure")
    func refusal() async throws {
        let refusal = #"{"type":"message","content":[{"type":"refusal","refusal":"No."}]}"#
        let stream =
            Self.event("response.refusal.delta", #""delta":"No.""#, 0)
            + Self.event("response.completed", #""response":\#(Self.response("completed", output: refusal))"#, 1)
        let outcome = try await call(OpenAIBench.stream(stream))
        #expect(outcome.text == "No.")
        #expect(try outcome.result.get().metadata["finish_reason"] == "refusal")
        let tree = try await call(
            OpenAIBench.json(Self.response("completed", output: refusal)), form: .structured, streams: false)
        #expect(tree.error?.code == .providerFailed)
    }

    @Test("A failed response fails with the service's error, and after some usage its outcome is unknown")
    func failed() async throws {
        func end(_ code: String, used: Bool) -> String {
            let usage = used ? Self.usage : "null"
            return
                #"{"id":"r","status":"failed","error":{"code":"\#(code)","message":"x"},"output":[],"usage":\#(usage)}"#
        }
        let rows: [(String, Bool, AIServiceError.Code, FailureDisposition)] = [
            ("server_error", false, .overloaded, .retry(after: nil)),
            ("server_error", true, .overloaded, .outcomeUnknown),
            ("rate_limit_exceeded", false, .rateLimited, .retry(after: nil)),
            ("invalid_prompt", false, .invalidRequest, .fail), ("invalid_prompt", true, .invalidRequest, .fail),
            ("cyber_policy", true, .invalidRequest, .fail), ("bio_policy", true, .invalidRequest, .fail),
            ("image_parse_error", true, .invalidRequest, .fail),
        ]
        for (code, used, expected, disposition) in rows {
            let event = Self.event("response.failed", #""response":\#(end(code, used: used))"#, 0)
            for answer in [OpenAIBench.stream(event), OpenAIBench.json(end(code, used: used))] {
                let error = try await call(answer).error
                #expect(error?.code == expected && error?.disposition == disposition)
                #expect(error?.billing == (used ? .billed(Self.used) : nil), "\(code)")
            }
        }
    }

    @Test("A response that failed after some output is possibly billed, even without reported usage")
    func failedBehindOutput() async throws {
        let thought = #"{"type":"reasoning","id":"rs_1","summary":[]}"#
        for (code, disposition) in [("server_error", FailureDisposition.outcomeUnknown), ("invalid_prompt", .fail)] {
            let end =
                #"{"id":"r","status":"failed","error":{"code":"\#(code)"},"output":[\#(thought)],"usage":null}"#
            let event = Self.event("response.failed", #""response":\#(end)"#, 0)
            for answer in [OpenAIBench.stream(event), OpenAIBench.json(end)] {
                let error = try await call(answer).error
                #expect(error?.disposition == disposition && error?.billing == .maybeBilled)
            }
        }
    }

    private static let signs = [
        event("response.output_item.added", #""output_index":0,"item":{"type":"reasoning","id":"rs_1"}"#, 1),
        event("response.output_item.done", #""output_index":0,"item":{"type":"reasoning","id":"rs_1"}"#, 1),
        event("response.reasoning_summary_text.delta", #""delta":"hm""#, 1),
        event("response.reasoning_text.delta", #""delta":"hm""#, 1),
        event("response.function_call_arguments.delta", #""delta":"{""#, 1),
        event("response.code_interpreter_call_code.delta", #""delta":"1""#, 1),
        event("response.web_search_call.searching", #""output_index":0"#, 1),
    ]

    @Test(
        "A failure after thinking or a tool call has an unknown outcome, so no retry pays twice unnoticed",
        arguments: signs)
    func thinksThenFails(sign: String) async throws {
        let states = ["created", "in_progress", "queued"].map {
            Self.event("response.\($0)", #""response":{"id":"resp_1","status":"in_progress"}"#, 0)
        }.joined()
        let rows: [(String, FailureDisposition, FailureDisposition)] = [
            ("server_error", .retry(after: nil), .outcomeUnknown), ("invalid_prompt", .fail, .fail),
            ("insufficient_quota", .needsUser, .needsUser),
        ]
        for (code, early, late) in rows {
            let error = Self.event("error", #""code":"\#(code)","message":"x""#, 9)
            let unbegun = try await call(OpenAIBench.stream(states + error)).error
            #expect(unbegun?.disposition == early && unbegun?.billing == nil)
            let begun = try await call(OpenAIBench.stream(states + sign + error)).error
            #expect(begun?.disposition == late && begun?.billing == .maybeBilled)
        }
    }

    @Test("An error event in either form is the service's refusal, and after some output its outcome is unknown")
    func errorEvent() async throws {
        for members in [
            #""code":"rate_limit_exceeded","message":"x","param":null"#, #""error":{"code":"rate_limit_exceeded"}"#,
        ] {
            let event = Self.event("error", members, 9)
            let early = try await call(OpenAIBench.stream(event))
            #expect(early.error?.code == .rateLimited && early.error?.disposition == .retry(after: nil))
            let late = try await call(
                OpenAIBench.stream(Self.event("response.output_text.delta", #""delta":"x""#, 1) + event))
            #expect(late.error?.code == .rateLimited && late.error?.disposition == .outcomeUnknown && late.text == "x")
        }
    }

    @Test(
        "A malformed event fails the answer, and an unknown kind of event is ignored",
        arguments: [
            "data: rubbish\n\n", "data: []\n\n", "data: {\"type\":\"response.output_text.delta\"}\n\n",
            "data: {\"type\":\"response.output_text.delta\",\"delta\":7}\n\n",
            "data: {\"type\":\"response.completed\"}\n\n",
            "data: {\"type\":\"response.completed\",\"response\":[]}\n\n",
            "data: {\"type\":\"response.output_item.done\"}\n\n",
            "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"in_progress\"}}\n\n",
            "data: {\"type\":\"response.completed\",\"response\":{}}\n\n",
        ])
    func malformed(event: String) async throws {
        let outcome = try await call(OpenAIBench.stream(event + Self.greeting))
        #expect(outcome.error?.code == .invalidResponse && outcome.error?.disposition == .fail)
        let unknown = try await call(
            OpenAIBench.stream("data: {\"type\":\"response.new_thing\",\"delta\":7}\n\n" + Self.greeting))
        #expect(unknown.text == "Grüß 🌍")
    }

    @Test("An unreadable end and an invalid tool call are billed as the response reports")
    func uselessEnd() async throws {
        for output in [
            #"{"type":"message","content":[{"type":"output_text","text":7}]}"#,
            #"{"type":"function_call","call_id":"a","name":"look","arguments":"{"}"#,
        ] {
            let end = Self.response("completed", output: output)
            let event = Self.event("response.completed", #""response":\#(end)"#, 0)
            for answer in [OpenAIBench.stream(event), OpenAIBench.json(end)] {
                let error = try await call(answer).error
                #expect(error?.code == .invalidResponse && error?.billing == .billed(Self.used))
            }
        }
    }

    @Test("A tool call that was cut off is omitted, and all else stays", arguments: [#"{\"at\":"#, ""])
    func cutTool(arguments: String) async throws {
        let whole = #"{"type":"function_call","call_id":"a","name":"look","arguments":"{\"at\":1}"}"#
        let cut = #"{"type":"function_call","call_id":"b","name":"look","arguments":"\#(arguments)"}"#
        let end = Self.response(
            "incomplete", output: [Self.message, whole, cut].joined(separator: ","),
            #","incomplete_details":{"reason":"max_output_tokens"}"#)
        let answer = try await call(OpenAIBench.json(end)).result.get()
        #expect(answer.content == .text("Grüß 🌍") && answer.metadata["finish_reason"] == "length")
        #expect(answer.metadata["tool_calls"] == #"[{"arguments":{"at":1},"id":"a","name":"look"}]"#)
        #expect(answer.usage == Self.used)
    }

    @Test("The reader knows the last event's number, to resume after it")
    func sequence() throws {
        var reader = OpenAIResponsesReader()
        _ = try reader.read(
            ServerSentEvent(data: Data(#"{"type":"response.queued","sequence_number":41,"response":{"id":"r"}}"#.utf8)))
        #expect(reader.sequenceNumber == 41 && reader.answer.id == "r")
    }
}
