import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// The exact bodies sent to `chat/completions`.
@Suite struct OpenAIChatBodyTests {
    private func sent(
        _ request: AIRequest, form: AnswerForm = .text, at bench: OpenAIBench = OpenAIBench()
    ) async throws -> ParameterValue {
        let outcome = try await bench.call(request) { _ in
            OpenAIBench.json("{}", status: 500)
        } _: {
            OpenAIBench.chat(form)($0)
        }
        let call = try #require(outcome.calls.first, "\(String(describing: outcome.error))")
        #expect(call.url.absoluteString == "\(bench.baseURL)/chat/completions" && call.method == .post)
        #expect(call.fields[.contentType] == "application/json")
        return try #require(call.json)
    }

    private func refused(_ request: AIRequest) async throws -> AIServiceError {
        let outcome = try await OpenAIBench().call(request) { _ in
            OpenAIBench.json("{}")
        } _: {
            OpenAIBench.chat()($0)
        }
        #expect(outcome.calls.isEmpty)
        return try #require(outcome.error)
    }

    @Test("A plain prompt is sent")
    func plain() async throws {
        let body = try await sent(AIRequest(prompt: "Say hello."))
        let expected = try ParameterValue.literal(
            #"{"model":"gpt-4.1-mini","messages":[{"role":"user","content":"Say hello."}],"stream":false}"#)
        #expect(body == expected)
    }

    @Test("A streaming request asks for a stream with its usage, and a value tree is not streamed")
    func streamed() async throws {
        let request = AIRequest(prompt: "Say hello.", model: "o3", streaming: StreamingPolicy())
        let body = try await sent(request)
        let expected = try ParameterValue.literal(
            #"{"model":"o3","messages":[{"role":"user","content":"Say hello."}],"stream":true,"stream_options":{"include_usage":true}}"#
        )
        #expect(body == expected)
        let tree = try await sent(request, form: .structured)
        #expect(tree[member: "stream"] == false && tree[member: "response_format"] == ["type": "json_object"])
    }

    @Test("All parameters are sent")
    func parameters() async throws {
        let tool = ToolDefinition(
            name: "weather", description: "Of a city.",
            parameters: ["type": "object", "properties": ["city": ["type": "string"]]])
        let request = AIRequest(
            prompt: "x",
            parameters: [
                "temperature": 0.5, "top_p": "0.9", "max_tokens": 100, "stop": ["END", "."], "seed": -7,
                "reasoning_effort": "low", "instructions": "Be brief.", "tools": ToolDefinition.parameter([tool]),
                "tool_choice": "weather", "schema": ["type": "object"], "schema_name": "city",
                "extra": ["frequency_penalty": 0.25, "user": "7"],
            ])
        let expected = try ParameterValue.literal(
            #"""
            {"model":"gpt-4.1-mini","stream":false,
             "messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"x"}],
             "temperature":0.5,"top_p":0.9,"max_completion_tokens":100,"stop":["END","."],"seed":-7,"reasoning_effort":"low",
             "tools":[{"type":"function","function":{"name":"weather","description":"Of a city.",
               "parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}],
             "tool_choice":{"type":"function","function":{"name":"weather"}},
             "response_format":{"type":"json_schema","json_schema":{"name":"city","schema":{"type":"object"},"strict":false}},
             "frequency_penalty":0.25,"user":"7"}
            """#)
        let body = try await sent(request)
        #expect(body == expected)
    }

    @Test("Another server gets max_tokens and may be asked for no usage")
    func compatible() async throws {
        var bench = OpenAIBench(baseURL: "http://localhost:8080/v1")
        let request = AIRequest(prompt: "x", parameters: ["max_tokens": 5], streaming: StreamingPolicy())
        let body = try await sent(request, at: bench)
        #expect(body[member: "max_tokens"] == 5 && body[member: "max_completion_tokens"] == nil)
        #expect(body[member: "stream_options"] != nil)
        bench.compatibility = OpenAICompatibility(tokenLimit: .maxTokens, streamsUsage: false)
        let quiet = try await sent(request, at: bench)
        #expect(quiet[member: "stream_options"] == nil)
    }

    @Test("A conversation with pictures, tool calls and their results is sent")
    func conversation() async throws {
        let picture = Body(Data([0x89, 0x50]))
        let prompt = Prompt.messages([
            .init(role: .system, text: "Look."),
            .init(
                role: .user,
                parts: [.text("What is it?"), .image(picture, .png), .image(picture, ImageFormat(rawValue: "gif"))]),
            .init(
                role: .assistant,
                parts: [
                    .text("Wait."), .toolCall(id: "a", name: "look", arguments: ["at": 1]),
                    .toolCall(id: "b", name: "look", arguments: [:]),
                ]),
            .init(role: .tool, parts: [.toolResult(id: "a", content: "a cat"), .toolResult(id: "b", content: "")]),
            .init(role: .assistant, text: "A cat."), .init(role: .user, parts: [.text("Sure?"), .text("Really?")]),
            .init(role: .assistant, parts: [.toolCall(id: "c", name: "look", arguments: [:])]),
            .init(role: .user, parts: [.toolResult(id: "c", content: "yes"), .text("So?")]),
        ])
        let body = try await sent(AIRequest(prompt: prompt))
        let expected = try ParameterValue.literal(
            #"""
            [{"role":"system","content":"Look."},
             {"role":"user","content":[{"type":"text","text":"What is it?"},
               {"type":"image_url","image_url":{"url":"data:image/png;base64,iVA="}},
               {"type":"image_url","image_url":{"url":"data:image/gif;base64,iVA="}}]},
             {"role":"assistant","content":"Wait.","tool_calls":[
               {"id":"a","type":"function","function":{"name":"look","arguments":"{\"at\":1}"}},
               {"id":"b","type":"function","function":{"name":"look","arguments":"{}"}}]},
             {"role":"tool","tool_call_id":"a","content":"a cat"},{"role":"tool","tool_call_id":"b","content":""},
             {"role":"assistant","content":"A cat."},{"role":"user","content":"Sure?\n\nReally?"},
             {"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"look","arguments":"{}"}}]},
             {"role":"tool","tool_call_id":"c","content":"yes"},{"role":"user","content":"So?"}]
            """#)
        #expect(body[member: "messages"] == expected)
    }

    @Test(
        "Invalid parameters are refused before any call, and their values never appear in an error",
        arguments: [
            (["temperature": 3], "temperature"), (["temperature": "warm"], "temperature"), (["top_p": -1], "top_p"),
            (["max_tokens": 0], "max_tokens"), (["stop": [["x"]]], "stop"), (["seed": 1.5], "seed"),
            (["temprature": 1], "temperature?"), (["tools": "all"], "tools"),
            (["tool_choice": "hammer"], "tool_choice"),
            (["schema": "object"], "schema"), (["extra": ["model": "sesame"]], "model"),
            (["extra": ["temperature": 1], "temperature": 1], "temperature"), (["extra": ["n": 3]], "sample"),
            (["extra": ["max_tokens": 1_000_000]], "max_tokens"),
            (["extra": ["max_completion_tokens": 1_000_000], "max_tokens": 1], "max_tokens"),
            (["extra": ["stream": true]], "stream"), (["voice": "sesame"], "voice"),
            (["thinking_blocks": []], "thinking_blocks"), (["thinking_blocks": ["sesame"]], "thinking_blocks"),
        ] as [([String: ParameterValue], String)])
    func refusals(parameters: [String: ParameterValue], says: String) async throws {
        let error = try await refused(AIRequest(prompt: "x", parameters: parameters))
        #expect(error.code == .invalidRequest && error.message.contains(says), "\(error)")
        #expect(!error.message.contains("sesame") && !error.message.contains("hammer"))
    }

    @Test(
        "Message parts that their role cannot have are refused",
        arguments: [
            Prompt.messages([]), .messages([.init(role: .system, parts: [.image("x", .png)])]),
            .messages([.init(role: .assistant, parts: [.image("x", .png)])]),
            .messages([.init(role: .user, parts: [.toolCall(id: "a", name: "b", arguments: [:])])]),
            .messages([.init(role: .tool, text: "x")]),
            .messages([.init(role: .assistant, parts: [.toolResult(id: "a", content: "x")])]),
            .messages([.init(role: .user, parts: [.image("x", ImageFormat(rawValue: "tiff"))])]),
        ])
    func misplaced(prompt: Prompt) async throws {
        let error = try await refused(AIRequest(prompt: prompt))
        #expect(error.code == .invalidRequest)
    }

    @Test("The instance differs for everything that changes answers, and for nothing else")
    func instance() throws {
        let here = try OpenAIBench().service(ScriptedTransport { _ in OpenAIBench.json("") })
        let there = try OpenAIBench(baseURL: "http://localhost:1/v1").service(
            ScriptedTransport { _ in OpenAIBench.json("") })
        let providers: [any AIServiceProvider] = [
            OpenAIChatProvider("a", service: here, model: "m"), OpenAIChatProvider("a", service: here, model: "n"),
            OpenAIChatProvider("a", service: here, model: "m", form: .structured),
            OpenAIChatProvider("a", service: there, model: "m"),
            OpenAIResponsesProvider("a", service: here, model: "m"),
            OpenAIResponsesProvider("a", service: here, model: "m", form: .structured),
            OpenAISpeechProvider("a", service: here, model: "m"),
            OpenAISpeechProvider("a", service: here, model: "m", voice: "v"),
            OpenAIImageProvider("a", service: here, model: "m"),
            OpenAIEmbeddingProvider("a", service: here, model: "m"),
        ]
        #expect(Set(providers.map(\.instance)).count == providers.count)
        #expect(providers.allSatisfy { $0.instance.rawValue.hasPrefix("openai:") })
        #expect(
            OpenAIChatProvider("b", service: here, model: "m", timeout: .seconds(1)).instance == providers[0].instance)
        #expect(throws: Never.self) { try ProviderRegistry([providers[0]]) }
    }
}
