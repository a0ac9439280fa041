import Foundation
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

@Suite struct TokenEstimateTests {
    private static let prompts: [Prompt] = [
        "", "hello", "你好，世界", "🌍🌍🌍", .messages([]),
        .messages([
            .init(role: .user, parts: [.text("a"), .image(Body(Data(count: 5000)), .png)]),
            .init(role: .assistant, parts: [.toolCall(id: "a", name: "b", arguments: ["x": "yyyyyyyyyy"])]),
            .init(role: .tool, parts: [.toolResult(id: "a", content: "zzzzzzzzz")]),
        ]),
    ]

    @Test("The upper bound is never below the estimate, nor below the bytes of the text", arguments: prompts)
    func ordered(prompt: Prompt) {
        #expect(TokenEstimate.mostTokens(of: prompt) >= TokenEstimate.tokens(of: prompt))
        #expect(TokenEstimate.mostTokens(of: prompt) >= Int64(prompt.plainText.utf8.count))
        #expect(TokenEstimate.tokens(of: prompt) > 0)
    }

    @Test("Text, pictures, tool calls and results all count")
    func counts() {
        func message(_ part: Prompt.Part) -> Prompt { .messages([.init(role: .user, parts: [part])]) }
        let empty = TokenEstimate.tokens(of: message(.text("")))
        #expect(TokenEstimate.tokens(of: message(.text(String(repeating: "x", count: 300)))) == empty + 100)
        #expect(TokenEstimate.tokens(of: message(.image("", .png))) == empty + 1600)
        #expect(TokenEstimate.mostTokens(of: message(.image("", .png))) >= 48_169)
        #expect(
            TokenEstimate.tokens(of: message(.toolResult(id: "", content: String(repeating: "x", count: 30)))) == empty
                + 10)
        #expect(
            TokenEstimate.tokens(
                of: message(.toolCall(id: "", name: "", arguments: .string(String(repeating: "x", count: 300)))))
                > empty + 100)
    }

    @Test(
        "Content beside the prompt counts at least one token per byte",
        arguments: [
            "text", 7, 0.123456789012345, true, nil, ["a", [1, 2]], ["name": ["type": "string"]],
        ] as [ParameterValue])
    func values(value: ParameterValue) throws {
        #expect(TokenEstimate.mostTokens(of: value) >= Int64(try value.jsonData().count))
    }
}
