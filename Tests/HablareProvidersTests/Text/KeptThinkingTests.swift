import Foundation
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// The thinking of a turn at another service, as a fallback finds it in a conversation.
@Suite struct KeptThinkingTests {
    private static let blocks = #"[{"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"text","bytes":3}]"#
    private static let reasoning = #"[{"reasoning_content":"Hm."}]"#
    private static let items = #"[{"type":"reasoning","id":"rs_1","summary":[]},{"type":"message","content":[]}]"#

    @Test(
        arguments: [
            (blocks, KeptThinking.blocks), (items, .items), (reasoning, .reasoning), ("[]", nil), ("{}", nil),
            ("x", nil), (#"[{"type":"image"}]"#, nil), (#"[{"type":"text"},{"type":"image"}]"#, nil), ("[1]", nil),
        ] as [(String, KeptThinking?)])
    func `A text is recognized by the types of its entries`(text: String, form: KeptThinking?) {
        #expect(KeptThinking(text) == form)
    }

    private func request(_ thinking: String) -> AIRequest {
        AIRequest(
            prompt: .messages([
                .init(role: .user, text: "Go."), .init(role: .assistant, text: "Yes"), .init(role: .user, text: "And?"),
            ]), parameters: ["thinking_blocks": [.string(thinking)]])
    }

    @Test(arguments: [items, reasoning])
    func `Anthropic gets no thinking of another service`(thinking: String) async throws {
        let bench = try AnthropicBench(stream: AnthropicStreams.hello)
        _ = try await bench.text.answering(request(thinking)).result.get()
        let sent = try #require(bench.transport.calls.first?.json)
        #expect(sent[member: "messages"]?[element: 1]?[member: "content"] == [["type": "text", "text": "Yes"]])
    }

    @Test(arguments: [blocks, reasoning])
    func `OpenAI's APIs get no thinking of another service`(thinking: String) async throws {
        for provider in [OpenAIBench.chat(), OpenAIBench.responses()] {
            let outcome = try await OpenAIBench().call(request(thinking)) { _ in
                OpenAIBench.json("{}", status: 500)
            } _: {
                provider($0)
            }
            let text = try #require(outcome.calls.first).text
            #expect(text.contains("Yes") && !text.contains("Hm.") && !text.contains("thinking_blocks"))
        }
    }

    @Test func `The chat API has no place for OpenAI's items either, and refuses any other text`() async throws {
        for (thinking, code) in [(Self.items, AIServiceError.Code.overloaded), ("x", .invalidRequest)] {
            let outcome = try await OpenAIBench().call(request(thinking)) { _ in
                OpenAIBench.json("{}", status: 500)
            } _: {
                OpenAIBench.chat()($0)
            }
            #expect(outcome.error?.code == code)
        }
    }
}
