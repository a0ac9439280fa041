import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// The differences of compatible servers in what is sent, and their reasoning in what is read.
@Suite struct OpenAIQuirksTests {
    private func outcome(
        _ request: AIRequest, _ form: AnswerForm = .text, _ change: (inout OpenAICompatibility) -> Void
    ) async throws -> OpenAIBench.Outcome {
        var bench = OpenAIBench()
        var compatibility = OpenAICompatibility()
        change(&compatibility)
        bench.compatibility = compatibility
        return try await bench.call(request) { _ in
            OpenAIBench.json("{}", status: 500)
        } _: {
            OpenAIBench.chat(form)($0)
        }
    }

    private func sent(
        _ request: AIRequest, _ form: AnswerForm = .text, _ change: (inout OpenAICompatibility) -> Void
    ) async throws -> ParameterValue {
        try #require(try await outcome(request, form, change).calls.first?.json)
    }

    // MARK: Models that take tools only without reasoning

    private func tools(_ parameters: [String: ParameterValue], model: String = "gpt-6-luna") async throws
        -> OpenAIBench.Outcome
    {
        var model = ModelInformation(vendor: "openai", id: model)
        model.refusedWhileReasoning = ["temperature", "chat.tools"]
        let bench = OpenAIBench(catalog: ModelCatalog([model]))
        let tools = ToolDefinition.parameter([ToolDefinition(name: "look")])
        return try await bench.call(
            AIRequest(
                prompt: "Go.", model: "gpt-6-luna", parameters: parameters.merging(["tools": tools]) { own, _ in own })
        ) { _ in
            OpenAIBench.json("{}", status: 500)
        } _: {
            OpenAIBench.chat()($0)
        }
    }

    @Test func `Tools turn the reasoning of such a model off, and of no other`() async throws {
        #expect(try await tools([:]).calls.first?.json?[member: "reasoning_effort"] == "none")
        #expect(try await tools(["reasoning_effort": "none"]).calls.first?.json?[member: "reasoning_effort"] == "none")
        let inExtra: [String: ParameterValue] = ["extra": ["reasoning_effort": "none"]]
        #expect(try await tools(inExtra).calls.first?.json?[member: "reasoning_effort"] == "none")
        let other = try await tools(["reasoning_effort": "low"], model: "gpt-other")
        #expect(other.calls.first?.json?[member: "reasoning_effort"] == "low")
        let alone = try await tools(["tools": []])
        #expect(alone.calls.first?.json?[member: "reasoning_effort"] == nil && alone.calls.count == 1)
    }

    @Test(
        arguments: [["reasoning_effort": "low"], ["extra": ["reasoning_effort": "low"]]] as [[String: ParameterValue]])
    func `Tools and reasoning of such a model are refused before the call, with advice`(
        parameters: [String: ParameterValue]
    ) async throws {
        let outcome = try await tools(parameters)
        #expect(outcome.error?.code == .invalidRequest && outcome.calls.isEmpty)
        #expect(outcome.error?.message.contains("Responses API") == true)
    }

    @Test func `The shipped list names the models that take tools only without reasoning`() {
        for id in ["gpt-6-luna", "gpt-6-sol", "gpt-5.6-luna"] {
            let model = ModelCatalog.shipped.model(id, of: "openai")
            #expect(model?.refusedWhileReasoning.contains("chat.tools") == true, "\(id)")
        }
    }

    private static let schema: ParameterValue = ["type": "object", "properties": ["a": ["type": "string"]]]

    @Test(arguments: [OpenAICompatibility.Structure.object, .none])
    func `A server without JSON schemas gets the schema in its instructions`(
        structure: OpenAICompatibility.Structure
    ) async throws {
        let request = AIRequest(prompt: "Go.", parameters: ["schema": Self.schema, "instructions": "Be brief."])
        let body = try await sent(request, .structured) { $0.structure = structure }
        #expect(body[member: "response_format"] == (structure == .object ? ["type": "json_object"] : nil))
        let system = body[member: "messages"]?.elements.first?[member: "content"]?.string ?? ""
        #expect(system.hasPrefix("Be brief.\n\nAnswer with JSON alone"))
        #expect(system.contains(#""properties":{"a":{"type":"string"}}"#))
        let plain = try await sent(AIRequest(prompt: "Go."), .structured) { $0.structure = structure }
        #expect(plain[member: "response_format"] == (structure == .object ? ["type": "json_object"] : nil))
    }

    @Test func `Instructions have the server's role, or begin the user's message`() async throws {
        let messages = Prompt.messages([
            Prompt.Message(role: .system, text: "Be kind."), Prompt.Message(role: .user, text: "Hello."),
        ])
        let request = AIRequest(prompt: messages, parameters: ["instructions": "Be brief."])
        let developer = try await sent(request) { $0.systemRole = .developer }
        #expect(
            developer[member: "messages"]
                == [
                    ["role": "developer", "content": "Be brief."], ["role": "developer", "content": "Be kind."],
                    ["role": "user", "content": "Hello."],
                ])
        let user = try await sent(request) { $0.systemRole = .user }
        #expect(user[member: "messages"] == [["role": "user", "content": "Be brief.\n\nBe kind.\n\nHello."]])
    }

    @Test func `The seed has the server's name`() async throws {
        let body = try await sent(AIRequest(prompt: "Go.", parameters: ["seed": 7])) { $0.seedName = .randomSeed }
        #expect(body[member: "random_seed"] == 7 && body[member: "seed"] == nil)
    }

    @Test func `Tools are refused before they are sent to a server that takes none`() async throws {
        let tool = ToolDefinition(name: "f", description: "d", parameters: ["type": "object"])
        let request = AIRequest(prompt: "Go.", parameters: ["tools": ToolDefinition.parameter([tool])])
        let outcome = try await outcome(request) { $0.takesTools = false }
        #expect(outcome.calls.isEmpty && outcome.error?.code == .invalidRequest)
    }

    @Test func `A key in another field and further secrets are among the secrets alone`() async throws {
        let transport = ScriptedTransport { _ in OpenAIBench.json(#"{"data":[]}"#) }
        let service = OpenAIService(
            try ServiceAddress("https://name.openai.azure.com/openai/v1"), transport: transport,
            key: { () throws(AIServiceError) in try APIKey(OpenAIBench.key) }, keyField: "api-key",
            secrets: { () throws(AIServiceError) in ["x-gateway-key": try APIKey("gateway-0123456789")] })
        _ = try await service.models()
        let call = try #require(transport.calls.first)
        #expect(call.secrets[named: "api-key"] == OpenAIBench.key && call.secrets[.authorization] == nil)
        #expect(call.secrets[named: "x-gateway-key"] == "gateway-0123456789")
        #expect(call.fields[named: "x-gateway-key"] == nil)
    }

    // MARK: Reasoning

    private func answer(_ answer: HTTPAnswer, streaming: Bool = false) async throws -> OpenAIBench.Outcome {
        try await OpenAIBench().call(AIRequest(prompt: "Go.", streaming: streaming ? StreamingPolicy() : nil)) { _ in
            answer
        } _: {
            OpenAIBench.chat()($0)
        }
    }

    @Test(
        arguments: [
            #"{"reasoning_content":"hm, yes","content":"Hello."}"#, #"{"reasoning":"hm, yes","content":"Hello."}"#,
            #"{"reasoning":"hm, yes","reasoning_content":"hm, yes","content":"Hello."}"#,
            #"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm, yes"}]},{"type":"text","text":"Hello."}]}"#,
        ])
    func `The reasoning of a whole answer is kept apart from its text`(message: String) async throws {
        let body = #"{"choices":[{"message":\#(message),"finish_reason":"stop"}]}"#
        let answer = try await answer(OpenAIBench.json(body)).result.get()
        #expect(answer.content == .text("Hello."))
        #expect(answer.metadata["thinking"] == #"[{"reasoning_content":"hm, yes"}]"#)
    }

    @Test(arguments: ["reasoning_content", "reasoning"])
    func `The reasoning of a stream is kept apart from its text`(member: String) async throws {
        let text = OpenAIBench.events([
            #"{"choices":[{"delta":{"role":"assistant","\#(member)":"hm, "}}]}"#,
            #"{"choices":[{"delta":{"\#(member)":"yes","content":""}}]}"#,
            #"{"choices":[{"delta":{"content":"Hello."}}]}"#, #"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
            "[DONE]",
        ])
        let outcome = try await answer(OpenAIBench.stream(text), streaming: true)
        #expect(outcome.text == "Hello.")
        #expect(try outcome.result.get().metadata["thinking"] == #"[{"reasoning_content":"hm, yes"}]"#)
    }

    @Test func `Reasoning belongs to the turn with the same calls, and a turn without any has an empty one`()
        async throws
    {
        var compatibility = OpenAICompatibility.others
        compatibility.returnsReasoning = true
        func turn(_ id: String) -> [Prompt.Message] {
            [
                .init(role: .assistant, parts: [.toolCall(id: id, name: "f", arguments: [:])]),
                .init(role: .tool, parts: [.toolResult(id: id, content: "1")]),
            ]
        }
        var messages: [Prompt.Message] = [.init(role: .user, text: "x")]
        for id in ["a", "b", "c"] { messages += turn(id) }
        messages += [.init(role: .assistant, text: "Done."), .init(role: .user, text: "y")]
        let kept: [ParameterValue] = [
            #"[{"reasoning_content":"of c","calls":["c"]}]"#, #"[{"reasoning_content":"of a","calls":["a"]}]"#,
            #"[{"reasoning_content":"of the text"}]"#,
        ]
        let request = AIRequest(prompt: .messages(messages), parameters: ["thinking_blocks": .array(kept)])
        let outcome = try await OpenAIBench(compatibility: compatibility).call(request) { _ in
            OpenAIBench.json("{}", status: 500)
        } _: {
            OpenAIBench.chat()($0)
        }
        let turns = (outcome.calls.first?.json?[member: "messages"]?.elements ?? []).filter {
            $0[member: "role"] == "assistant"
        }
        let sent = turns.map { $0[member: "reasoning_content"]?.string ?? "none" }
        #expect(sent == ["of a", "", "of c", "none"])
    }
}
