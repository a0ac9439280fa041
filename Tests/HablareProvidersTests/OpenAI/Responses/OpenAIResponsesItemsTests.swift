import Foundation
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// Output items: the phases of messages, and what is sent back in the next turn.
@Suite struct OpenAIResponsesItemsTests {
    private static let items = [
        #"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"abc","status":null}"#,
        #"{"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"I look first.","annotations":[]}]}"#,
        #"{"type":"reasoning","id":"rs_2","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"def"}"#,
        #"{"type":"message","id":"msg_2","role":"assistant","status":"completed","phase":"final_answer","content":[{"type":"output_text","text":"It is ","annotations":[]},{"type":"output_text","text":"blue.","annotations":[]}]}"#,
    ]

    private static func response(_ items: [String], status: String = "completed") -> String {
        #"{"id":"resp_1","model":"m-1","status":"\#(status)","output":[\#(items.joined(separator: ","))]}"#
    }

    /// The events of a response in the order in which the service sends them.
    private static func stream(_ items: [String], endsWithList: Bool = true) throws -> String {
        var data = [#"{"type":"response.created","response":{"id":"resp_1","status":"in_progress"}}"#]
        for (place, text) in items.enumerated() {
            let item = try ParameterValue.literal(text)
            var begun = item
            if case .object(var members) = item, members["content"] != nil {
                members["content"] = []
                begun = .object(members)
            }
            data.append(
                #"{"type":"response.output_item.added","output_index":\#(place),"item":\#(try begun.jsonText())}"#)
            for (index, part) in (item[member: "content"]?.elements ?? []).enumerated() {
                for character in part[member: "text"]?.string ?? "" {
                    data.append(
                        #"{"type":"response.output_text.delta","output_index":\#(place),"content_index":\#(index),"delta":"\#(character)"}"#
                    )
                }
            }
            data.append(#"{"type":"response.output_item.done","output_index":\#(place),"item":\#(text)}"#)
        }
        data.append(#"{"type":"response.completed","response":\#(response(endsWithList ? items : []))}"#)
        return OpenAIBench.events(data)
    }

    private func call(_ answer: HTTPAnswer, streams: Bool) async throws -> OpenAIBench.Outcome {
        try await OpenAIBench().call(AIRequest(prompt: "x", streaming: streams ? StreamingPolicy() : nil)) { _ in
            answer
        } _: {
            OpenAIBench.responses()($0)
        }
    }

    @Test("The final message is the answer, and commentary is metadata", arguments: [true, false])
    func phases(endsWithList: Bool) async throws {
        let whole = try await call(OpenAIBench.json(Self.response(Self.items)), streams: false)
        let text = try Self.stream(Self.items, endsWithList: endsWithList)
        let streamed = try await call(OpenAIBench.stream(text), streams: true)
        #expect(try whole.result.get().content == .text("It is blue.") && streamed.text == "It is blue.")
        for outcome in [whole, streamed] {
            let metadata = try outcome.result.get().metadata
            #expect(metadata["commentary"] == "I look first." && metadata["finish_reason"] == "stop")
            let kept = try ParameterValue.literal(try #require(metadata["thinking"]))
            let expected = try Self.items.map { try ParameterValue.literal($0) }
            #expect(kept == .array(expected))
        }
    }

    @Test("Commentary is the answer if there is no other text and no call")
    func onlyCommentary() async throws {
        let items = Array(Self.items[0...1])
        let whole = try await call(OpenAIBench.json(Self.response(items)), streams: false)
        #expect(try whole.result.get().content == .text("I look first."))
        let streamed = try await call(OpenAIBench.stream(try Self.stream(items)), streams: true)
        #expect(streamed.text == "I look first.")
        #expect(try streamed.result.get().metadata["commentary"] == nil)
        let tool = #"{"type":"function_call","id":"fc_1","call_id":"a","name":"look","arguments":"{}"}"#
        let calling = try await call(OpenAIBench.json(Self.response(items + [tool])), streams: false).result.get()
        #expect(calling.content == .text("") && calling.metadata["commentary"] == "I look first.")
    }

    @Test("A plain answer keeps no items, because its text says all of them")
    func plain() async throws {
        let message = #"{"type":"message","id":"m","content":[{"type":"output_text","text":"Hi."}]}"#
        let answer = try await call(OpenAIBench.json(Self.response([message])), streams: false).result.get()
        #expect(answer.content == .text("Hi.") && answer.metadata["thinking"] == nil)
    }

    @Test("The items of each turn are sent back unchanged and in their order, in place of the turn")
    func sentBack() async throws {
        let tool = #"{"type":"function_call","id":"fc_1","call_id":"a","name":"look","arguments":"{\"at\": 1}"}"#
        let first = try await call(OpenAIBench.json(Self.response(Self.items[0...1] + [tool])), streams: false)
        let second = try await call(OpenAIBench.json(Self.response(Self.items)), streams: false)
        let kept = try [first, second].map { try #require($0.result.get().metadata["thinking"]) }
        let prompt = Prompt.messages([
            .init(role: .user, text: "What colour?"),
            .init(role: .assistant, parts: [.toolCall(id: "a", name: "look", arguments: ["at": 1])]),
            .init(role: .tool, parts: [.toolResult(id: "a", content: "blue")]),
            .init(role: .assistant, text: "It is blue."), .init(role: .user, text: "Sure?"),
        ])
        let outcome = try await OpenAIBench().call(
            AIRequest(prompt: prompt, parameters: ["thinking_blocks": .array(kept.map { .string($0) })])
        ) { _ in
            OpenAIBench.json("{}", status: 500)
        } _: {
            OpenAIBench.responses()($0)
        }
        let middle = #"{"type":"function_call_output","call_id":"a","output":"blue"}"#
        let expected = try ParameterValue.literal(
            """
            [{"role":"user","content":[{"type":"input_text","text":"What colour?"}]},
             \((Self.items[0...1] + [tool, middle] + Self.items).joined(separator: ",")),
             {"role":"user","content":[{"type":"input_text","text":"Sure?"}]}]
            """)
        #expect(outcome.calls.first?.json?[member: "input"] == expected)
    }

    @Test(
        "Reasoning without encrypted content is not sent back to a service that stores nothing",
        arguments: ["null", "\"\"", nil] as [String?])
    func unencrypted(content: String?) async throws {
        let member = content.map { #","encrypted_content":\#($0)"# } ?? ""
        let reasoning = #"{"type":"reasoning","id":"rs_1","summary":[]\#(member)}"#
        let (encrypted, message) = (Self.items[2], Self.items[3])
        let prompt = Prompt.messages([
            .init(role: .user, text: "What colour?"), .init(role: .assistant, text: "It is blue."),
            .init(role: .user, text: "Sure?"),
        ])
        func input(_ items: [String], stored: Bool) async throws -> [ParameterValue] {
            let request = AIRequest(
                prompt: prompt,
                parameters: [
                    "thinking_blocks": [.string("[\(items.joined(separator: ","))]")],
                    "extra": stored ? ["store": true] : [:],
                ])
            let outcome = try await OpenAIBench().call(request) { _ in
                OpenAIBench.json("{}", status: 500)
            } _: {
                OpenAIBench.responses()($0)
            }
            return Array(
                try #require(outcome.calls.first?.json?[member: "input"]?.elements).dropFirst().dropLast())
        }
        var unnamed = try ParameterValue.literal(message)
        if case .object(var members) = unnamed {
            members["id"] = nil
            unnamed = .object(members)
        }
        #expect(try await input([reasoning, message], stored: false) == [unnamed])
        #expect(
            try await input([reasoning, encrypted, message], stored: false) == [try .literal(encrypted), unnamed])
        let all = try [reasoning, message].map { try ParameterValue.literal($0) }
        #expect(try await input([reasoning, message], stored: true) == all)
        #expect(try await input([reasoning], stored: false).count == 1)
    }

    @Test("Items that are no turn of the conversation are refused")
    func strange() async throws {
        let kept = "[\(Self.items.joined(separator: ","))]"
        for (text, blocks) in [("It is red.", .string(kept)), ("It is blue.", [.string(kept), .string(kept)])]
            as [(String, ParameterValue)]
        {
            let prompt = Prompt.messages([
                .init(role: .user, text: "x"), .init(role: .assistant, text: text), .init(role: .user, text: "y"),
            ])
            let outcome = try await OpenAIBench().call(
                AIRequest(prompt: prompt, parameters: ["thinking_blocks": blocks])
            ) { _ in
                OpenAIBench.json("{}")
            } _: {
                OpenAIBench.responses()($0)
            }
            #expect(outcome.error?.code == .invalidRequest && outcome.calls.isEmpty)
            #expect(outcome.error?.message.contains("blue") == false)
        }
    }
}
