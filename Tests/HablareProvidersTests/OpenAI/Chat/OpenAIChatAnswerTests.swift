import Foundation
import HTTPTypes
import Hablare
import Testing

@testable import HablareProviders

/// Whole answers of `chat/completions`.
@Suite struct OpenAIChatAnswerTests {
    private static let usage = Usage(inputTokens: 9, outputTokens: 4, cacheWriteTokens: 5)

    private func call(_ answer: HTTPAnswer, form: AnswerForm = .text) async throws -> OpenAIBench.Outcome {
        try await OpenAIBench().call(AIRequest(prompt: "Greet.")) { _ in
            answer
        } _: {
            OpenAIBench.chat(form)($0)
        }
    }

    private static func completion(_ message: String, finish: String = "stop") -> String {
        #"{"id":"chatcmpl-1","model":"m-1","choices":[{"index":0,"message":\#(message),"finish_reason":"\#(finish)"}],"usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":5}}}"#
    }

    @Test("A completion is returned with all its metadata")
    func whole() async throws {
        var fields = HTTPFields()
        fields[named: "x-request-id"] = "req_1"
        let outcome = try await call(
            OpenAIBench.json(Self.completion(#"{"role":"assistant","content":"Grüß dich"}"#), fields))
        let answer = try outcome.result.get()
        #expect(answer.content == .text("Grüß dich") && outcome.pieces.isEmpty)
        #expect(answer.usage == Self.usage)
        #expect(
            answer.metadata == [
                "request_id": "req_1", "model": "m-1", "finish_reason": "stop", "cached_input_tokens": "0",
                "cache_write_tokens": "5",
            ])
    }

    @Test func `The tokens of sound and pictures are counted apart`() async throws {
        let usage = #"""
            {"prompt_tokens":90,"completion_tokens":40,"prompt_tokens_details":{"audio_tokens":50,"image_tokens":"20"},
             "completion_tokens_details":{"audio_tokens":30}}
            """#
        let outcome = try await call(
            OpenAIBench.json(#"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],"usage":\#(usage)}"#))
        #expect(
            try outcome.result.get().usage
                == Usage(
                    inputTokens: 90, outputTokens: 40, imageInputTokens: 20, audioInputTokens: 50,
                    audioOutputTokens: 30))
    }

    @Test("An answer cut at any byte fails and is never returned in part")
    func cut() async throws {
        let text = Data(Self.completion(#"{"content":"Grüß dich"}"#).utf8)
        for count in 0..<text.count {
            let outcome = try await call(OpenAIBench.answer(text.prefix(count), "application/json"))
            #expect(outcome.error?.code == .invalidResponse)
        }
    }

    @Test("A value tree is the whole answer, or null if tools are wanted first")
    func tree() async throws {
        let outcome = try await call(
            OpenAIBench.json(Self.completion(#"{"content":" {\"a\": 1.5}\n"}"#)), form: .structured)
        #expect(try outcome.result.get().content == .structured(["a": 1.5]))
        let tools = try await call(
            OpenAIBench.json(
                Self.completion(
                    #"{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
                    finish: "tool_calls")), form: .structured)
        let answer = try tools.result.get()
        #expect(answer.content == .structured(.null) && answer.metadata["tool_calls"]?.contains(#""name":"f""#) == true)
    }

    @Test("Text that is not JSON stays text, cut or not, and an empty text or a refusal fails")
    func noTree() async throws {
        let prose = try await call(OpenAIBench.json(Self.completion(#"{"content":"Sure! {}"}"#)), form: .structured)
        let said = try prose.result.get()
        #expect(said.content == .text("Sure! {}") && said.metadata["finish_reason"] == "stop" && !said.isStreamed)
        #expect(said.usage == Self.usage && prose.pieces.isEmpty)
        let cut = try await call(
            OpenAIBench.json(Self.completion(#"{"content":"{\"a\": "}"#, finish: "length")), form: .structured)
        let part = try cut.result.get()
        #expect(part.content == .text(#"{"a": "#) && part.metadata["finish_reason"] == "length")
        let nothing = try await call(
            OpenAIBench.json(Self.completion(#"{"content":""}"#, finish: "length")), form: .structured)
        #expect(nothing.error?.code == .invalidResponse && nothing.error?.message.contains("max_tokens") == true)
        #expect(nothing.error?.billing == .billed(Self.usage))
        let refusal = try await call(
            OpenAIBench.json(Self.completion(#"{"content":null,"refusal":"No."}"#)), form: .structured)
        #expect(refusal.error?.code == .providerFailed)
        let text = try await call(OpenAIBench.json(Self.completion(#"{"content":null,"refusal":"No."}"#)))
        #expect(try text.result.get().metadata["finish_reason"] == "refusal")
        #expect(try text.result.get().content == .text("No."))
    }

    @Test(
        "Malformed completions are refused",
        arguments: ["", "{}", "[]", "null", #"{"choices":[]}"#, #"{"choices":null}"#, #"{"choices":[{"message":7}]}"#])
    func malformed(text: String) async throws {
        let outcome = try await call(OpenAIBench.json(text))
        #expect(outcome.error?.code == .invalidResponse && outcome.error?.disposition == .fail)
    }

    @Test("A key in an answer's error code appears in no error")
    func key() async throws {
        let outcome = try await call(OpenAIBench.json(#"{"error":{"message":"x","code":"\#(OpenAIBench.key)"}}"#))
        let error = try #require(outcome.error)
        #expect(!String(reflecting: error).contains(OpenAIBench.key))
    }

    @Test("A key in an answer's id, model or finish reason is hidden in the metadata, and the answer stays")
    func keyBeside() async throws {
        let key = OpenAIBench.key
        let call = #"{"id":"a","function":{"name":"f","arguments":"{\"said\":\"\#(key)\"}"}}"#
        let answer = try await self.call(
            OpenAIBench.json(
                #"{"id":"\#(key)","model":"m \#(key.uppercased())","choices":[{"message":{"content":"\#(key)","tool_calls":[\#(call)]},"finish_reason":"\#(key)"}]}"#
            )
        ).result.get()
        for name in [AnswerMetadata.requestID, AnswerMetadata.model, AnswerMetadata.finishReason] {
            let text = try #require(answer.metadata[name])
            #expect(!text.lowercased().contains(key) && text.contains("…"))
        }
        // The model's output is not changed, even if it contains the key.
        #expect(answer.content == .text(Body(key)))
        #expect(answer.metadata["tool_calls"] == #"[{"arguments":{"said":"\#(key)"},"id":"a","name":"f"}]"#)
    }

    @Test("The last of two equal names counts in a completion and a refusal, and such a value tree stays text")
    func nameTwice() async throws {
        let text =
            #"{"id":"x","id":"c","choices":[],"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}"#
        let answer = try await call(OpenAIBench.json(text)).result.get()
        #expect(answer.content == .text("Hello") && answer.metadata["request_id"] == "c")
        let refused = try await call(
            OpenAIBench.json(#"{"error":{"code":"x","code":"model_not_found","message":"x"}}"#, status: 400))
        #expect(refused.error?.code == .invalidConfiguration)
        let tree = try await call(
            OpenAIBench.json(Self.completion(#"{"content":"{\"a\":1,\"a\":2}"}"#)), form: .structured)
        #expect(try tree.result.get().content == .text(#"{"a":1,"a":2}"#))
    }

    @Test("An error with a success status is an error")
    func error() async throws {
        let outcome = try await call(OpenAIBench.json(#"{"error":{"message":"x","code":"model_not_found"}}"#))
        #expect(outcome.error?.code == .invalidConfiguration)
    }

    @Test("An answer of another media type is refused")
    func page() async throws {
        let outcome = try await call(OpenAIBench.answer(Data("<html>Log in</html>".utf8), "text/html"))
        #expect(outcome.error?.code == .invalidResponse)
    }

    @Test("A lost connection has an unknown outcome, and one that was never made does not")
    func transfer() async throws {
        for mayHaveArrived in [true, false] {
            let outcome = try await OpenAIBench().call(AIRequest(prompt: "x")) { _ in
                throw HTTPFailure(.connectionLost, mayHaveArrived: mayHaveArrived, cause: "x")
            } _: {
                OpenAIBench.chat()($0)
            }
            #expect(outcome.error?.disposition == (mayHaveArrived ? .outcomeUnknown : .retry(after: nil)))
        }
        let cancelled = try await OpenAIBench().call(AIRequest(prompt: "x")) { _ in
            throw CancellationError()
        } _: {
            OpenAIBench.chat()($0)
        }
        #expect(cancelled.error?.code == .cancelled)
    }

    @Test("A call to this machine is free unless it is configured as charged")
    func free() async throws {
        let answer = OpenAIBench.json(Self.completion(#"{"content":"x"}"#))
        for (isCharged, cost) in [(nil, 0), (true, nil)] as [(Bool?, Int64?)] {
            let bench = OpenAIBench(baseURL: "http://127.0.0.1:8080/v1", isCharged: isCharged)
            let outcome = try await bench.call(AIRequest(prompt: "x")) { _ in
                answer
            } _: {
                OpenAIBench.chat()($0)
            }
            var usage = Self.usage
            usage.costMicroDollars = cost
            #expect(try outcome.result.get().usage == usage)
            let provider = OpenAIBench.chat()(try bench.service(ScriptedTransport { _ in answer }))
            #expect(provider.maximumUsage(of: AIRequest(prompt: "x"))?.costMicroDollars == cost)
        }
    }

    @Test("The maximum usage is unknown if extra may add input or raise the price")
    func unbounded() throws {
        let service = try OpenAIBench().service(ScriptedTransport { _ in OpenAIBench.json("") })
        let (chat, responses) = (OpenAIBench.chat()(service), OpenAIBench.responses()(service))
        func most(_ provider: any AIServiceProvider, _ extra: [String: ParameterValue]) -> Usage? {
            provider.maximumUsage(of: AIRequest(prompt: "x", parameters: ["max_tokens": 100, "extra": .object(extra)]))
        }
        let unknown: [String: ParameterValue] = [
            "previous_response_id": "resp_1", "conversation": "conv_1", "prompt": ["id": "pmpt_1"],
            "tools": [["type": "web_search"]], "service_tier": "priority", "web_search_options": [:],
            "context_management": [], "modalities": ["audio"], "of_tomorrow": 1,
        ]
        for (name, value) in unknown {
            for provider in [chat, responses] {
                #expect(most(provider, [name: value]) == nil, "\(name)")
                #expect(most(provider, ["user": "ada", name: value]) == nil, "\(name)")
            }
        }
        let plain = most(chat, [:])
        let longer = most(chat, ["user": "ada", "seed": 1, "response_format": ["type": "text"]])
        #expect(plain?.outputTokens == 100 && longer?.outputTokens == 100)
        #expect((longer?.inputTokens ?? 0) > (plain?.inputTokens ?? 0))
        #expect(most(responses, ["truncation": "auto", "store": true])?.outputTokens == 100)
    }

    @Test("The maximum usage is known if the request limits the output")
    func bound() throws {
        let provider = OpenAIBench.chat()(try OpenAIBench().service(ScriptedTransport { _ in OpenAIBench.json("") }))
        #expect(provider.maximumUsage(of: AIRequest(prompt: "hello")) == nil)
        let usage = try #require(
            provider.maximumUsage(of: AIRequest(prompt: "hello", parameters: ["max_tokens": 100])))
        #expect(usage.outputTokens == 100 && usage.inputTokens >= 5)
        let tools = ToolDefinition.parameter([
            ToolDefinition(name: "f", description: String(repeating: "d", count: 500))
        ])
        let more = provider.maximumUsage(
            of: AIRequest(prompt: "hello", parameters: ["max_tokens": 100, "tools": tools]))
        #expect((more?.inputTokens ?? 0) >= usage.inputTokens + 500)
        #expect(provider.units(of: AIRequest(prompt: "hello")) < Double(usage.inputTokens))
    }
}
