import Foundation
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// The exact bodies sent to `responses`.
@Suite struct OpenAIResponsesBodyTests {
    private func sent(
        _ request: AIRequest, form: AnswerForm = .text, catalog: ModelCatalog = .empty
    ) async throws -> ParameterValue {
        let outcome = try await OpenAIBench(catalog: catalog).call(request) { _ in
            OpenAIBench.json("{}", status: 500)
        } _: {
            OpenAIBench.responses(form)($0)
        }
        let call = try #require(outcome.calls.first, "\(String(describing: outcome.error))")
        #expect(call.url.absoluteString == "https://api.openai.com/v1/responses")
        return try #require(call.json)
    }

    @Test("A plain prompt is sent, and the service stores nothing")
    func plain() async throws {
        let body = try await sent(AIRequest(prompt: "Say hello."))
        let expected = try ParameterValue.literal(
            #"{"model":"gpt-4.1-mini","input":"Say hello.","stream":false,"store":false}"#)
        #expect(body == expected)
        let kept = try await sent(AIRequest(prompt: "x", parameters: ["extra": ["store": true]]))
        #expect(kept[member: "store"] == true)
        let tree = try await sent(AIRequest(prompt: "x"), form: .structured)
        #expect(tree[member: "text"] == ["format": ["type": "json_object"]])
    }

    @Test("All parameters are sent")
    func parameters() async throws {
        let tool = ToolDefinition(name: "weather", description: "Of a city.")
        let request = AIRequest(
            prompt: "x",
            parameters: [
                "temperature": 0.5, "top_p": 0.9, "max_tokens": 100, "reasoning_effort": "high",
                "instructions": "Be brief.", "tools": ToolDefinition.parameter([tool]), "tool_choice": "weather",
                "schema": ["type": "object"], "extra": ["truncation": "auto"],
            ], streaming: StreamingPolicy())
        let expected = try ParameterValue.literal(
            #"""
            {"model":"gpt-4.1-mini","input":"x","stream":true,"store":false,"instructions":"Be brief.",
             "temperature":0.5,"top_p":0.9,"max_output_tokens":100,"reasoning":{"effort":"high"},
             "include":["reasoning.encrypted_content"],
             "tools":[{"type":"function","name":"weather","description":"Of a city.","parameters":{"type":"object"},"strict":false}],
             "tool_choice":{"type":"function","name":"weather"},
             "text":{"format":{"type":"json_schema","name":"answer","schema":{"type":"object"},"strict":false}},
             "truncation":"auto"}
            """#)
        let body = try await sent(request)
        #expect(body == expected)
    }

    @Test("Encrypted reasoning is requested from every model that reasons")
    func encryptedReasoning() async throws {
        let catalog = ModelCatalog([
            ModelInformation(vendor: "openai", id: "by-default", thinksByDefault: true),
            ModelInformation(vendor: "openai", id: "by-effort", efforts: ["none", "low"]),
            ModelInformation(vendor: "openai", id: "never", efforts: ["none"]),
            ModelInformation(vendor: "openai", id: "unknown"),
        ])
        func includes(_ model: String, _ parameters: [String: ParameterValue] = [:]) async throws -> Bool {
            let request = AIRequest(prompt: "x", model: model, parameters: parameters)
            let body = try await sent(request, catalog: catalog)
            return body[member: "include"] == ["reasoning.encrypted_content"]
        }
        for model in ["by-default", "by-effort"] {
            #expect(try await includes(model))
            #expect(try await includes(model, ["reasoning_effort": "low"]))
            #expect(try await !includes(model, ["reasoning_effort": "none"]))
            #expect(try await !includes(model, ["extra": ["reasoning": ["effort": "none"]]]))
            #expect(try await !includes(model, ["extra": ["include": []]]))
        }
        for model in ["never", "unknown", "gpt-4.1-mini"] {
            #expect(try await !includes(model))
            #expect(try await includes(model, ["extra": ["reasoning": ["effort": "low"]]]))
        }
        let request = AIRequest(prompt: "x", model: "gpt-6-luna")
        #expect(try await sent(request, catalog: .shipped)[member: "include"] == ["reasoning.encrypted_content"])
    }

    @Test("A conversation with pictures, tools and earlier thinking is sent")
    func conversation() async throws {
        let prompt = Prompt.messages([
            .init(role: .system, text: "Look."),
            .init(role: .user, parts: [.text("What?"), .image(Body(Data([0x89, 0x50])), .webp)]),
            .init(role: .assistant, parts: [.text("Wait."), .toolCall(id: "a", name: "look", arguments: ["at": 1])]),
            .init(role: .tool, parts: [.toolResult(id: "a", content: "a cat")]),
        ])
        let thought = #"[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"xyz"}]"#
        let expected = try ParameterValue.literal(
            #"""
            [{"role":"system","content":"Look."},
             {"role":"user","content":[{"type":"input_text","text":"What?"},
               {"type":"input_image","image_url":"data:image/webp;base64,iVA=","detail":"auto"}]},
             {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"xyz"},
             {"role":"assistant","content":"Wait."},
             {"type":"function_call","call_id":"a","name":"look","arguments":"{\"at\":1}"},
             {"type":"function_call_output","call_id":"a","output":"a cat"}]
            """#)
        for value in [.string(thought), try .literal(thought)] as [ParameterValue] {
            let body = try await sent(AIRequest(prompt: prompt, parameters: ["thinking_blocks": value]))
            #expect(body[member: "input"] == expected)
        }
    }

    @Test(
        "Parameters that this API does not have are refused",
        arguments: [
            ["stop": "x"], ["seed": 1], ["thinking_blocks": "x"], ["thinking_blocks": [["type": "reasoning"]]],
            ["extra": ["input": "x"]],
        ] as [[String: ParameterValue]])
    func refused(parameters: [String: ParameterValue]) async throws {
        let outcome = try await OpenAIBench().call(AIRequest(prompt: "x", parameters: parameters)) { _ in
            OpenAIBench.json("{}")
        } _: {
            OpenAIBench.responses()($0)
        }
        #expect(outcome.error?.code == .invalidRequest && outcome.calls.isEmpty)
    }
}
