import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// The requests that are sent.
@Suite struct AnthropicRequestTests {
    /// Makes a call and returns the request that was sent.
    private func sent(_ request: AIRequest) async throws -> HTTPCall {
        let bench = try AnthropicBench(stream: AnthropicStreams.hello)
        _ = try await bench.text.answering(request).result.get()
        return try #require(bench.transport.calls.first)
    }

    private func refused(_ request: AIRequest, structured: Bool = false) async throws -> AIServiceError {
        let bench = try AnthropicBench(stream: AnthropicStreams.hello)
        let error = await (structured ? bench.structured : bench.text).answering(request).failure
        #expect(bench.transport.calls.isEmpty, "nothing is sent")
        return try #require(error)
    }

    @Test func `Its rate is counted in tokens, as its limits are`() throws {
        let bench = try AnthropicBench(stream: AnthropicStreams.hello)
        let prompts: [Prompt] = [
            .text(String(repeating: "ä", count: 3000)),
            .messages([.init(role: .user, parts: [.text("x"), .image(Body(Data([1])), .png)])]),
        ]
        for prompt in prompts {
            let units = bench.text.units(of: AIRequest(prompt: prompt))
            #expect(units == Double(TokenEstimate.tokens(of: prompt)))
            #expect(units >= 1600 && units != Double(prompt.plainText.unicodeScalars.count))
        }
    }

    @Test func `A text becomes one message of the user's`() async throws {
        let call = try await sent(AIRequest(prompt: "Hello?"))
        #expect(call.url.absoluteString == "https://api.anthropic.com/v1/messages")
        #expect(call.method == .post)
        #expect(call.fields[named: "anthropic-version"] == "2023-06-01")
        #expect(call.fields[.contentType] == "application/json")
        #expect(call.secrets[named: "x-api-key"] == "sk-ant-api03-0123456789abcdef")
        #expect(
            call.text
                == #"{"max_tokens":53333,"messages":[{"content":[{"text":"Hello?","type":"text"}],"role":"user"}],"model":"claude-sonnet-5-5","stream":true}"#
        )
    }

    @Test func `An address that ends with the version has it once`() async throws {
        let bench = try AnthropicBench(address: "http://localhost:8080/v1/") { _ in .events(AnthropicStreams.hello) }
        _ = try await bench.text.answering(AIRequest(prompt: "x")).result.get()
        #expect(bench.transport.calls.first?.url.absoluteString == "http://localhost:8080/v1/messages")
    }

    @Test func `A conversation has its instructions apart, and one turn for each change of speaker`() async throws {
        let prompt = Prompt.messages([
            .init(role: .system, text: "Be brief."),
            .init(role: .user, parts: [.text("What is this?"), .image(Body(Data([1, 2, 3])), .png), .text("")]),
            .init(role: .assistant, parts: [.toolCall(id: "t1", name: "look", arguments: ["deep": true])]),
            .init(role: .tool, parts: [.toolResult(id: "t1", content: "a cat")]),
            .init(role: .system, text: "Say please."),
            .init(role: .user, text: "So?"),
        ])
        let call = try await sent(
            AIRequest(prompt: prompt, model: "claude-opus-5-5", parameters: ["instructions": "You know cats."]))
        #expect(
            call.text
                == #"{"max_tokens":53333,"messages":[{"content":[{"text":"What is this?","type":"text"},{"source":{"data":"AQID","media_type":"image/png","type":"base64"},"type":"image"}],"role":"user"},{"content":[{"id":"t1","input":{"deep":true},"name":"look","type":"tool_use"}],"role":"assistant"},{"content":[{"content":"a cat","tool_use_id":"t1","type":"tool_result"},{"text":"So?","type":"text"}],"role":"user"}],"model":"claude-opus-5-5","stream":true,"system":"You know cats.\n\nBe brief.\n\nSay please."}"#
        )
    }

    @Test func `Parameters become what the API calls them`() async throws {
        let tool = ToolDefinition(
            name: "look", description: "Looks.",
            parameters: ["type": "object", "properties": ["deep": ["type": "boolean"]]]
        )
        let call = try await sent(
            AIRequest(
                prompt: "x", model: "claude-sonnet-4-5",
                parameters: [
                    "temperature": 0.5, "max_tokens": 100, "stop": ["END", "FIN"],
                    "tools": ToolDefinition.parameter([tool]), "tool_choice": "look", "reasoning_effort": "low",
                    "schema": ["type": "array"], "schema_name": "thing",
                    "extra": ["top_k": 5, "top_p": 1, "metadata": ["user_id": "u"]],
                ]))
        let body = try #require(call.json)
        #expect(body[member: "temperature"]?.number == 0.5 && body[member: "top_p"]?.number == 1)
        #expect(body[member: "max_tokens"] == 100)
        #expect(body[member: "stop_sequences"] == ["END", "FIN"])
        #expect(
            body[member: "tools"] == [["name": "look", "description": "Looks.", "input_schema": tool.parameters]])
        #expect(body[member: "tool_choice"] == ["type": "tool", "name": "look"])
        #expect(
            body[member: "output_config"]
                == ["effort": "low", "format": ["type": "json_schema", "schema": ["type": "array"]]])
        #expect(body[member: "top_k"] == 5 && body[member: "metadata"] == ["user_id": "u"])
        #expect(body[member: "schema_name"] == nil && body[member: "schema"] == nil)
    }

    @Test(
        "Thinking is a budget, a word or an object",
        arguments: [
            ("2000" as ParameterValue, ["type": "enabled", "budget_tokens": 2000] as ParameterValue, Int64(23_333)),
            (2000, ["type": "enabled", "budget_tokens": 2000], 23_333),
            ("adaptive", ["type": "adaptive"], 53_333),
            (["type": "adaptive", "display": "summarized"], ["type": "adaptive", "display": "summarized"], 53_333),
            (["type": "enabled", "budget_tokens": 1024], ["type": "enabled", "budget_tokens": 1024], 22_357),
        ] as [(ParameterValue, ParameterValue, Int64)])
    func thinking(value: ParameterValue, sent expected: ParameterValue, maximum: Int64) async throws {
        let request = AIRequest(prompt: "x", model: "claude-sonnet-4-5", parameters: ["thinking": value])
        let body = try #require(try await sent(request).json)
        #expect(body[member: "thinking"] == expected)
        #expect(body[member: "max_tokens"] == .int(maximum))
    }

    @Test(
        "An invalid parameter is refused by its name before any call",
        arguments: [
            ("temperature", 1.5), ("top_p", -1), ("max_tokens", 0), ("stop", []),
            ("tools", "none"), ("tool_choice", "unknown"), ("reasoning_effort", "extreme"), ("schema", "{}"),
            ("thinking", 100), ("thinking", ["budget_tokens": 5000]), ("thinking_blocks", "[]x"),
            ("thinking", ["type": "enabled", "budget_tokens": .int(.max)]),
            ("thinking", ["type": "enabled", "budget_tokens": 1023]),
            ("thinking", ["type": "enabled", "budget_tokens": "2000"]),
            ("thinking", ["type": "enabled", "budget_tokens": 2000.5]),
            ("thinking", 10_000_001), ("extra", ["model": "x"]), ("extra", ["max_tokens": 100_000]),
            ("extra", ["messages": []]), ("extra", ["stream": false]),
            ("thinking_blocks", #"[{"type":"image"}]"#), ("temprature", 1), ("seed", 1), ("extra", "x"),
        ] as [(String, ParameterValue)])
    func refusals(name: String, value: ParameterValue) async throws {
        let error = try await refused(AIRequest(prompt: "x", parameters: [name: value]))
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains(name))
    }

    @Test func `What extra says twice is refused, whether a parameter or the prompt says it`() async throws {
        let effort = try await refused(
            AIRequest(
                prompt: "x", parameters: ["reasoning_effort": "low", "extra": ["output_config": ["effort": "high"]]]))
        #expect(effort.code == .invalidRequest && effort.message.contains("output_config"))
        let system = Prompt.messages([.init(role: .system, text: "Be brief."), .init(role: .user, text: "x")])
        let twice = try await refused(AIRequest(prompt: system, parameters: ["extra": ["system": "Be long."]]))
        #expect(twice.code == .invalidRequest && twice.message.contains("system"))
    }

    @Test func `An absurd length is the longest there is, and a budget for thoughts comes on top without a trap`()
        async throws
    {
        let bench = try AnthropicBench(stream: AnthropicStreams.hello)
        let provider = AnthropicMessagesProvider(
            service: bench.service, model: "other", defaultMaximumTokens: .max)
        #expect(provider.defaultMaximumTokens == 10_000_000)
        _ = try await provider.answering(AIRequest(prompt: "x", parameters: ["thinking": 2000])).result.get()
        #expect(bench.transport.calls.first?.json?[member: "max_tokens"] == 10_002_000)
    }

    @Test func `A budget for thoughts has to be below the longest answer, and the error has both numbers`() async throws
    {
        let error = try await refused(
            AIRequest(
                prompt: "x", model: "claude-sonnet-4-5", parameters: ["thinking": 3000, "max_tokens": 2000]))
        #expect(error.message.contains("3000") && error.message.contains("2000"))
    }

    @Test(
        "Prompts that the API cannot represent are refused",
        arguments: [
            Prompt.text(""), .messages([]), .messages([.init(role: .system, text: "only")]),
            .messages([.init(role: .assistant, parts: [.image(Body(Data([1])), .png)])]),
            .messages([.init(role: .system, parts: [.image(Body(Data([1])), .png)])]),
            .messages([.init(role: .user, parts: [.image(Body(Data([1])), ImageFormat(rawValue: "tiff"))])]),
            .messages([.init(role: .user, parts: [.toolCall(id: "1", name: "x", arguments: [:])])]),
            .messages([.init(role: .assistant, parts: [.toolResult(id: "1", content: "x")])]),
        ])
    func prompts(prompt: Prompt) async throws {
        #expect(try await refused(AIRequest(prompt: prompt)).code == .invalidRequest)
    }

    @Test func `A request that is too large is refused with the numbers`() async throws {
        let large = String(repeating: "x", count: AnthropicService.maximumRequestBytes)
        let error = try await refused(AIRequest(prompt: .text(large)))
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains("\(AnthropicService.maximumRequestBytes)"))
    }

    @Test func `Pictures count by their text in base 64, before they are read`() throws {
        let provider = try AnthropicBench(stream: "").text
        func request(_ count: Int) -> AIRequest {
            let picture = Prompt.Part.image(Body(Data(count: count)), .png)
            return AIRequest(prompt: .messages([.init(role: .user, parts: [picture, picture])]))
        }
        #expect(throws: Never.self) { try provider.check(request(11_990_000)) }
        #expect(throws: AIServiceError.self) { try provider.check(request(12_010_000)) }
    }

    @Test func `A structured answer needs a schema`() async throws {
        let error = try await refused(AIRequest(prompt: "x"), structured: true)
        #expect(error.code == .invalidRequest && error.message.contains("schema"))
    }

    @Test func `The most that a call can use is counted high, and not known with pictures`() throws {
        let provider = try AnthropicBench(stream: "").text
        let most = try #require(
            provider.maximumUsage(of: AIRequest(prompt: "Hello", parameters: ["max_tokens": 77])))
        #expect(most.outputTokens == 77 && most.inputTokens > 5)
        let picture = Prompt.messages([.init(role: .user, parts: [.image(Body(Data([1])), .png)])])
        #expect(provider.maximumUsage(of: AIRequest(prompt: picture)) == nil)
        #expect(provider.maximumUsage(of: AIRequest(prompt: "x", parameters: ["wrong": 1])) == nil)
    }

    @Test func `With members of extra that may bring in more, or cost more, the most that a call can use is not known`()
        throws
    {
        let provider = try AnthropicBench(stream: "").text
        func most(_ extra: [String: ParameterValue]) -> Usage? {
            provider.maximumUsage(
                of: AIRequest(
                    prompt: "x", model: "claude-sonnet-4-5",
                    parameters: ["max_tokens": 77, "extra": .object(extra)]))
        }
        let unknown: [String: ParameterValue] = [
            "tools": [["type": "web_search_20250305", "name": "web_search"]], "mcp_servers": [], "container": "c_1",
            "service_tier": "auto", "speed": "fast", "inference_geo": "us", "cache_control": ["ttl": "1h"],
            "of_tomorrow": 1,
        ]
        for (name, value) in unknown {
            #expect(most([name: value]) == nil, "\(name)")
            #expect(most(["top_k": 4, name: value]) == nil, "\(name)")
        }
        #expect(most(["top_k": 4, "metadata": ["user_id": "7"]])?.outputTokens == 77)
    }

    @Test func `What changes answers is another instance`() throws {
        let bench = try AnthropicBench(stream: "")
        #expect(bench.text.instance != bench.structured.instance)
        #expect(
            bench.text.instance != AnthropicMessagesProvider(service: bench.service, model: "other").instance)
        #expect(bench.text.instance.rawValue.hasPrefix("anthropic:"))
    }
}
