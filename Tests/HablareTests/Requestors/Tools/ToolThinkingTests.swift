import Foundation
import HablareStores
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

/// A model's thinking is sent back with each later turn, also by another process after a crash.
@Suite(.timeLimit(.minutes(5)))
struct ToolThinkingTests {
    private let machine = ProcessStore.Machine()
    private let bench = ToolBench()

    /// Returns a model that thinks in each of two turns with a call, and then answers.
    private func thinker() -> ScriptedProvider {
        ScriptedProvider(id: "service") { call in
            let number = call.request.prompt.messages.count { $0.role == .assistant }
            guard number < 2 else { return .success(ProviderAnswer(.text("Fine."))) }
            do throws(AIServiceError) {
                let calls = [ToolBench.weather("call-\(number)", in: "Vigo")]
                return .success(
                    ProviderAnswer(
                        .text(""),
                        metadata: [
                            AnswerMetadata.toolCalls: try ToolCall.metadata(calls) ?? "",
                            AnswerMetadata.thinking: "[\(number)]",
                        ]))
            } catch {
                return .failure(error)
            }
        }
    }

    private func thoughts(_ service: ScriptedProvider) -> [ParameterValue?] {
        service.record.calls.map { $0.request.parameters["thinking_blocks"] }
    }

    private func run(
        _ service: ScriptedProvider, store: ProcessStore? = nil, _ request: (ToolLoop) throws -> AIRequest
    ) async throws -> ToolLoop.Output {
        let tools = try ToolProvider([bench.weather()])
        let engine = try Engine(service, tools, store: store ?? ProcessStore(machine), scope: .job(toolJob))
        let loop = try ToolLoop("service.text.default", tools: tools)
        let request = try request(loop)
        return try await engine.run {
            try await engine.soon { try await loop.run(request, manager: engine.manager, jobKey: toolJob) }
        }
    }

    @Test func `Each turn has the thinking of the turns before it, in their order`() async throws {
        let service = thinker()
        let output = try await run(service) { try $0.request("How is it?") }
        #expect(thoughts(service) == [nil, ["[0]"], ["[0]", "[1]"]])
        #expect(output.value == "Fine." && output.conversation.thinking == ["[0]", "[1]"])
    }

    @Test func `Another process sends back the thinking of all turns that it finds`() async throws {
        let store = ProcessStore(machine)
        store.fail { write in
            if case .submit(let submission) = write { submission.request.metadata["turn"] == "3" } else { false }
        }
        let first = thinker()
        #expect(await code { _ = try await run(first, store: store) { try $0.request("How is it?") } } == .storageFull)
        machine.killAll()
        let second = thinker()
        let output = try await run(second) { try $0.request("How is it?") }
        #expect(thoughts(first) == [nil, ["[0]"]])
        #expect(thoughts(second) == [["[0]", "[1]"]])
        #expect(output.turns == 3 && output.conversation.thinking == ["[0]", "[1]"])
    }

    @Test func `A loop continues a conversation with its thinking`() async throws {
        let service = thinker()
        let output = try await run(service) { loop in
            var conversation = Conversation(.text("Hello."), thinking: ["earlier"])
            conversation.say("How is it?")
            return try loop.request(conversation)
        }
        #expect(thoughts(service) == [["earlier"], ["earlier", "[0]"], ["earlier", "[0]", "[1]"]])
        #expect(output.conversation.thinking.count == 3)
    }

    @Test(
        arguments: [
            ("one text", "a", ["a"]), ("texts", ["a", "b"], ["a", "b"]),
            ("items", [["type": "reasoning"]], [#"[{"type":"reasoning"}]"#]),
        ] as [(String, ParameterValue, [String])])
    func `Thinking is continued in each form that a request may have`(
        name: String, value: ParameterValue, thinking: [String]
    ) throws {
        #expect(try Conversation("x", parameters: ["thinking_blocks": value]).thinking == thinking)
    }

    @Test func `Thinking that is no list is not sent back`() throws {
        func output(_ thinking: String) -> TextRequestor.Output {
            TextRequestor.Output(
                value: "Hm.", toolCalls: [],
                response: AIResponseData(
                    requestID: UUID(), providerID: "service", result: .success(.text("Hm.")),
                    metadata: [AnswerMetadata.thinking: thinking], receivedAt: Date()))
        }
        var conversation = Conversation()
        for thinking in ["Let me see.", "{}", "1", "", "[1"] { conversation.append(output(thinking)) }
        #expect(conversation.thinking.isEmpty && conversation.messages.count == 5)
        conversation.append(output("[]"))
        #expect(conversation.thinking == ["[]"])
    }

    @Test func `A requestor asks for the next turn with the thinking`() async throws {
        let service = thinker()
        let engine = try Engine([service])
        let requestor = try TextRequestor("service.text.small", TextConfiguration(tools: [ToolBench.cityDefinition]))
        try await engine.run { [manager = engine.manager] in
            var conversation = Conversation()
            conversation.say("How is it?")
            for _ in 0..<2 {
                let turn = try await requestor.ask(conversation, manager: manager)
                conversation.append(turn)
                for call in turn.toolCalls { conversation.append("sunny", of: call) }
            }
            _ = try requestor.request(conversation)
            for try await _ in try await requestor.stream(conversation, manager: manager) {}
        }
        #expect(thoughts(service) == [nil, ["[0]"], ["[0]", "[1]"]])
    }
}
