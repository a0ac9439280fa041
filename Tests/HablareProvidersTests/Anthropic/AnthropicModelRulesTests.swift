import Foundation
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// The limit of tokens that a call gets, and the parameters that a model refuses.
@Suite struct AnthropicModelRulesTests {
    private func rules(
        _ id: String, _ defaultTokens: Int64? = nil, time: Duration? = .seconds(600)
    ) -> AnthropicModelRules {
        AnthropicModelRules(
            id: id, known: AnthropicBench.catalog.model(id, of: "anthropic"), defaultTokens: defaultTokens, time: time)
    }

    private func sent(_ request: AIRequest, defaultTokens: Int64? = nil) async throws -> ParameterValue {
        let bench = try AnthropicBench(stream: AnthropicStreams.hello)
        let provider = AnthropicMessagesProvider(service: bench.service, defaultMaximumTokens: defaultTokens)
        _ = try await provider.answering(request).result.get()
        return try #require(bench.transport.calls.first?.json)
    }

    private func refusal(_ request: AIRequest) async throws -> AIServiceError {
        let bench = try AnthropicBench(stream: AnthropicStreams.hello)
        let error = await bench.text.answering(request).failure
        #expect(bench.transport.calls.isEmpty, "nothing is sent")
        #expect(throws: AIServiceError.self) { try bench.text.check(request) }
        return try #require(error)
    }

    // MARK: The limit

    @Test func `A streamed answer may be as long as the model writes`() async throws {
        let body = try await sent(AIRequest(prompt: "x", streaming: StreamingPolicy()))
        #expect(body[member: "max_tokens"] == 128_000)
    }

    @Test func `A whole answer may be as long as arrives in time, and the thinking comes on top`() async throws {
        #expect(try await sent(AIRequest(prompt: "x"))[member: "max_tokens"] == 53_333)
        let quick = AIRequest(prompt: "x", attemptTimeout: .seconds(60))
        #expect(try await sent(quick)[member: "max_tokens"] == 36_096)
        let silent = AIRequest(prompt: "x", parameters: ["thinking": "between_tools"])
        #expect(try await sent(silent)[member: "max_tokens"] == 21_333)
    }

    @Test func `A limit of the provider has room for thinking that is on by default`() async throws {
        #expect(try await sent(AIRequest(prompt: "x"), defaultTokens: 4096)[member: "max_tokens"] == 36_096)
        let silent = AIRequest(prompt: "x", parameters: ["thinking": "between_tools"])
        #expect(try await sent(silent, defaultTokens: 4096)[member: "max_tokens"] == 4096)
        #expect(try await sent(AIRequest(prompt: "x"), defaultTokens: 1_000_000)[member: "max_tokens"] == 128_000)
    }

    @Test func `A limit of the request is taken as it is, up to the model's`() async throws {
        #expect(
            try await sent(AIRequest(prompt: "x", parameters: ["max_tokens": 7]))[member: "max_tokens"] == 7)
        let error = try await refusal(AIRequest(prompt: "x", parameters: ["max_tokens": 128_001]))
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains("max_tokens") && error.message.contains("128000"))
        #expect(error.message.contains("claude-sonnet-5-5"))
    }

    @Test func `A model that is not known gets what each Claude model writes, and another one little`() {
        #expect(rules("claude-opus-9", time: nil).maximumTokens(nil, thinking: nil) == 32_000)
        #expect(rules("claude-opus-9").maximumTokens(nil, thinking: nil) == 21_333)
        #expect(rules("local", time: nil).maximumTokens(nil, thinking: nil) == 4096)
        let budget = AnthropicThinking(value: [:], budget: 50_000)
        #expect(rules("claude-opus-9", time: nil).maximumTokens(nil, thinking: budget) == 54_096)
    }

    @Test func `A time of any length gives a limit`() {
        #expect(AnthropicModelRules.tokens(in: .seconds(600)) == 21_333)
        #expect(AnthropicModelRules.tokens(in: .zero) == 4096)
        #expect(AnthropicModelRules.tokens(in: .seconds(-1)) == 4096)
        #expect(AnthropicModelRules.tokens(in: .seconds(Int64.max)) == 3_072_000)
    }

    @Test func `The most that a call can use is what it may write`() throws {
        let provider = try AnthropicBench(stream: "").text
        #expect(provider.maximumUsage(of: AIRequest(prompt: "x"))?.outputTokens == 53_333)
    }

    // MARK: Parameters

    @Test(
        "A parameter that the model does not take is refused with both names",
        arguments: [
            ("claude-sonnet-5-5", "temperature", 1, "temperature"), ("claude-sonnet-5-5", "top_p", 0.5, "top_p"),
            ("claude-sonnet-5-5", "extra", ["top_k": 4], "top_k"),
            ("claude-sonnet-5-5", "extra", ["temperature": 1], "temperature"),
            ("claude-sonnet-5-5", "thinking", 2000, "budget_tokens"),
            ("claude-sonnet-5-5", "extra", ["thinking": ["type": "enabled", "budget_tokens": 2000]], "budget_tokens"),
            ("claude-sonnet-5-5", "thinking", ["type": "enabled"], "enabled"),
            ("claude-sonnet-5-5", "thinking", "disabled", "disabled"),
            ("claude-sonnet-5-5", "reasoning_effort", "max", "reasoning_effort"),
            ("claude-sonnet-5-5", "extra", ["output_config": ["effort": "max"]], "reasoning_effort"),
            ("claude-sonnet-5-5", "tool_choice", "required", "tool_choice"),
            ("claude-sonnet-5-5", "extra", ["tool_choice": ["type": "tool", "name": "x"]], "tool_choice"),
            ("claude-opus-5-5", "thinking", 2000, "budget_tokens"),
            ("claude-opus-5-5-20260901", "temperature", 0, "temperature"),
        ] as [(String, String, ParameterValue, String)])
    func refused(model: String, name: String, value: ParameterValue, named: String) async throws {
        let error = try await refusal(AIRequest(prompt: "x", model: model, parameters: [name: value]))
        #expect(error.code == .invalidRequest && error.disposition == .fail)
        #expect(error.message.contains(named) && error.message.contains(model), "\(error.message)")
    }

    @Test(
        "A parameter that the model takes, or may take, is sent",
        arguments: [
            ("claude-sonnet-4-5", "temperature", 1), ("claude-sonnet-4-5", "thinking", 2000),
            ("claude-sonnet-5-5", "thinking", "between_tools"), ("claude-opus-5-5", "tool_choice", "any"),
            ("claude-sonnet-5-5", "reasoning_effort", "high"),
            ("claude-tomorrow", "temperature", 1), ("claude-tomorrow", "extra", ["top_k": 3]),
        ] as [(String, String, ParameterValue)])
    func taken(model: String, name: String, value: ParameterValue) async throws {
        _ = try await sent(AIRequest(prompt: "x", model: model, parameters: [name: value]))
    }

    @Test func `Both temperature and top_p are refused where a model takes only one of them`() async throws {
        let both: [String: ParameterValue] = ["temperature": 1, "top_p": 1]
        let error = try await refusal(AIRequest(prompt: "x", model: "claude-sonnet-4-5", parameters: both))
        #expect(error.message.contains("top_p") && error.message.contains("claude-sonnet-4-5"))
    }

    @Test func `A prompt that ends with the assistant's words is refused where a model does not continue them`()
        async throws
    {
        let prompt = Prompt.messages([.init(role: .user, text: "x"), .init(role: .assistant, text: "The")])
        let error = try await refusal(AIRequest(prompt: prompt))
        #expect(error.code == .invalidRequest && error.message.contains("claude-sonnet-5-5"))
        _ = try await sent(AIRequest(prompt: prompt, model: "claude-sonnet-4-5"))
    }

    // MARK: The end of a model

    @Test func `A model that has ended is not called, and the error names its successor`() async throws {
        let error = try await refusal(AIRequest(prompt: "x", model: "claude-mythos-preview"))
        #expect(error.code == .modelRetired && error.category == .configuration && error.disposition == .fail)
        #expect(error.message.contains("claude-mythos-preview") && error.message.contains("claude-mythos-5-2"))
        #expect(error.message.contains("2026-06-30"))
    }

    @Test func `At another address the vendor's ends say nothing`() throws {
        let service = AnthropicService(
            address: try ServiceAddress("http://localhost:8080"), transport: ScriptedTransport { _ in .json("{}") },
            key: { () throws(AIServiceError) in nil })
        #expect(service.catalog.models.allSatisfy { $0.endsAt == nil })
        #expect(service.catalog.models.contains { $0.outputTokens != nil })
    }
}
