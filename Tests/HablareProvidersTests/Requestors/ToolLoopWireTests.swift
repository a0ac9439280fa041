import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import HablareStores
import HablareStructured
import Testing

@testable import HablareProviders

/// A tool loop with the three text APIs: what the services receive after a turn with two calls.
@Suite(.timeLimit(.minutes(5))) struct ToolLoopWireTests {
    private static func chat(_ message: String, _ finish: String) -> HTTPAnswer {
        .json(#"{"id":"c","model":"m","choices":[{"index":0,"message":\#(message),"finish_reason":"\#(finish)"}]}"#)
    }

    /// Answers a call of a service: with two tool calls first, and then with a text.
    private static func answer(_ service: String, _ call: HTTPCall) -> HTTPAnswer {
        let isLast = call.text.contains("22 degrees")
        switch service {
        case "anthropic": return .events(isLast ? AnthropicStreams.hello : AnthropicStreams.tools)
        case "responses":
            let first =
                #"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"c2VjcmV0"},{"type":"function_call","id":"fc_1","call_id":"toolu_1","name":"weather","arguments":"{\"city\":\"Córdoba\"}"},{"type":"function_call","id":"fc_2","call_id":"toolu_2","name":"time","arguments":"{}"}"#
            let last =
                #"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}"#
            return .json(#"{"id":"r","model":"m","status":"completed","output":[\#(isLast ? last : first)]}"#)
        default:
            let calls =
                #"{"role":"assistant","content":null,"reasoning_content":"Hm.","tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Córdoba\"}"}},{"id":"toolu_2","type":"function","function":{"name":"time","arguments":"{}"}}]}"#
            return isLast ? chat(#"{"role":"assistant","content":"Hello"}"#, "stop") : chat(calls, "tool_calls")
        }
    }

    private func run(
        _ service: String, compatibility: OpenAICompatibility? = nil
    ) async throws -> ParameterValue {
        let transport = ScriptedTransport { Self.answer(service, $0) }
        let openAI = try OpenAIBench(compatibility: compatibility).service(transport)
        let anthropic = AnthropicService(
            address: try ServiceAddress(AnthropicService.defaultAddress), transport: transport,
            key: { () throws(AIServiceError) in try APIKey("sk-ant-api03-0123456789abcdef") })
        let tools = try ToolProvider([
            try Tool(ToolDefinition(name: "weather"), policy: .readOnly) { call in
                ToolResult("22 degrees in \(call.arguments[member: "city"]?.string ?? "")")
            },
            try Tool(ToolDefinition(name: "time"), policy: .readOnly) { _ in throw ToolFailure("No clock.") },
        ])
        let manager = AIRequestManager(
            store: InMemoryStore(),
            providers: try ProviderRegistry([
                OpenAIChatProvider("openai", service: openAI, model: "gpt-4.1-mini"),
                OpenAIResponsesProvider("responses", service: openAI, model: "gpt-4.1-mini"),
                AnthropicMessagesProvider(service: anthropic), tools,
            ]), configuration: EngineConfiguration(retry: RetryPolicy(maximumAttempts: 1)))
        let loop = try ToolLoop("\(service).text.default", tools: tools)
        let output = try await EngineService.run(manager) {
            try await loop.run(
                loop.request("How is it?"), manager: manager, jobKey: JobKey(rawValue: "job"))
        }
        #expect(output.turns == 2 && output.value.hasPrefix("Hello"))
        #expect(transport.calls.count == 2)
        return try #require(transport.calls.last?.json)
    }

    private static let failure = #"{"error":{"code":"failed","message":"No clock."}}"#

    @Test("Chat completions get one message of role tool for each call")
    func chat() async throws {
        guard case .array(let messages)? = try await run("openai")[member: "messages"] else { throw Missing() }
        #expect(messages.map { $0[member: "role"]?.string } == ["user", "assistant", "tool", "tool"])
        #expect(messages[2][member: "tool_call_id"] == "toolu_1" && messages[3][member: "tool_call_id"] == "toolu_2")
        #expect(messages[2][member: "content"] == "22 degrees in Córdoba")
        #expect(messages[3][member: "content"] == .string(Self.failure))
    }

    @Test("Reasoning goes back in the turn with its calls to a server that wants it, and to no other")
    func reasoning() async throws {
        for (preset, text) in [("deepseek", "Hm."), ("groq", nil)] as [(String, String?)] {
            let compatibility = try #require(OpenAIPreset.named(preset)).compatibility
            let sent = try await run("openai", compatibility: compatibility)
            let turns = (sent[member: "messages"]?.elements ?? []).filter { $0[member: "role"] == "assistant" }
            #expect(turns.map { $0[member: "reasoning_content"]?.string } == [text], "\(preset)")
        }
    }

    @Test("Responses get one function_call_output for each call, after the calls")
    func responses() async throws {
        guard case .array(let items)? = try await run("responses")[member: "input"] else { throw Missing() }
        let outputs = items.filter { $0[member: "type"] == "function_call_output" }
        #expect(outputs.map { $0[member: "call_id"]?.string } == ["toolu_1", "toolu_2"])
        #expect(outputs.map { $0[member: "output"]?.string } == ["22 degrees in Córdoba", Self.failure])
        #expect(items.count { $0[member: "type"] == "function_call" } == 2)
        #expect(items[1] == ["type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VjcmV0"])
    }

    @Test("Anthropic gets all results in one message of the user, first in it")
    func anthropic() async throws {
        guard case .array(let messages)? = try await run("anthropic")[member: "messages"] else { throw Missing() }
        #expect(messages.map { $0[member: "role"]?.string } == ["user", "assistant", "user"])
        // Without its thinking, unchanged and in place, the service refuses the turn.
        #expect(
            messages[1][member: "content"] == [
                ["type": "thinking", "thinking": "Let me see.", "signature": "EqQB="],
                ["type": "redacted_thinking", "data": "c2VjcmV0"],
                ["type": "text", "text": "I look it up."],
                ["type": "tool_use", "id": "toolu_1", "name": "weather", "input": ["city": "Córdoba"]],
                ["type": "tool_use", "id": "toolu_2", "name": "time", "input": [:]],
            ])
        guard case .array(let parts)? = messages[2][member: "content"] else { throw Missing() }
        #expect(parts.map { $0[member: "type"]?.string } == ["tool_result", "tool_result"])
        #expect(parts.map { $0[member: "tool_use_id"]?.string } == ["toolu_1", "toolu_2"])
    }

    private struct Missing: Error {}
}
