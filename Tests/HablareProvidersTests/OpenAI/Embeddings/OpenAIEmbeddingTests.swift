import Foundation
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

@Suite struct OpenAIEmbeddingTests {
    private static let vector: [Float] = [0.5, -1.25, 3.0e-20]

    private static var base64: String {
        Data(
            vector.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> UInt32(8 * $0)) } }
        )
        .base64EncodedString()
    }

    private static func list(_ vector: String) -> HTTPAnswer {
        OpenAIBench.json(
            #"{"object":"list","data":[{"object":"embedding","index":0,"embedding":\#(vector)}],"model":"m-1","usage":{"prompt_tokens":5,"total_tokens":5}}"#
        )
    }

    private func call(
        _ parameters: [String: ParameterValue] = [:], prompt: Prompt = "hello", at bench: OpenAIBench = OpenAIBench(),
        _ answer: HTTPAnswer
    ) async throws -> OpenAIBench.Outcome {
        try await bench.call(AIRequest(prompt: prompt, parameters: parameters)) { _ in
            answer
        } _: {
            OpenAIEmbeddingProvider("openai.embedding", service: $0, model: "text-embedding-3-small")
        }
    }

    @Test("Both forms of a vector have the same numbers", arguments: [#""\#(base64)""#, "[0.5, -1.25, 3.0e-20]"])
    func forms(text: String) async throws {
        let outcome = try await call([:], Self.list(text))
        let answer = try outcome.result.get()
        #expect(answer.content == .embedding(Self.vector) && answer.usage == Usage(inputTokens: 5))
        #expect(answer.metadata == ["model": "m-1"])
    }

    @Test("The body has the dimensions, and the encoding that the server supports")
    func bodies() async throws {
        let outcome = try await call(["dimensions": 3, "extra": ["user": "7"]], Self.list("[1,2,3]"))
        let expected = try ParameterValue.literal(
            #"{"model":"text-embedding-3-small","input":"hello","encoding_format":"base64","dimensions":3,"user":"7"}"#)
        #expect(outcome.calls.first?.json == expected)
        let other = try await call([:], at: OpenAIBench(baseURL: "http://localhost:8080/v1"), Self.list("[1]"))
        #expect(other.calls.first?.json?[member: "encoding_format"] == "float")
        #expect(try other.result.get().usage.costMicroDollars == 0)
    }

    @Test(
        "Malformed vectors are refused",
        arguments: ["[]", "\"\"", "\"AAA=\"", "\"?\"", "[\"x\"]", "null", #""AACAfw==""#, "{}"])
    func malformed(text: String) async throws {
        let error = try await call([:], Self.list(text)).error
        #expect(error?.code == .invalidResponse && error?.disposition == .fail)
        #expect(error?.billing == .billed(Usage(inputTokens: 5)))
    }

    @Test(
        "An answer without a vector is billed as reported or possibly billed, and is free on this machine",
        arguments: [
            #""data":[]"#, #""data":null"#, #""data":[{}]"#, #""data":[{"embedding":[1]},{"embedding":[2]}]"#,
        ])
    func useless(data: String) async throws {
        let local = OpenAIBench(baseURL: "http://localhost:8080/v1")
        let told = try await call([:], OpenAIBench.json(#"{\#(data),"usage":{"prompt_tokens":5}}"#)).error
        #expect(told?.code == .invalidResponse && told?.billing == .billed(Usage(inputTokens: 5)))
        let silent = try await call([:], OpenAIBench.json("{\(data)}")).error
        #expect(silent?.code == .invalidResponse && silent?.billing == .maybeBilled)
        let free = try await call([:], at: local, OpenAIBench.json("{\(data)}")).error
        #expect(free?.billing == .billed(Usage(costMicroDollars: 0)))
    }

    @Test("An unreadable answer is possibly billed", arguments: ["[1e999]", "[1", "x"])
    func unreadable(text: String) async throws {
        let error = try await call([:], Self.list(text)).error
        #expect(error?.code == .invalidResponse && error?.disposition == .fail && error?.billing == .maybeBilled)
    }

    @Test("A vector of another length than requested is billed as the answer reports")
    func otherLength() async throws {
        let error = try await call(["dimensions": 2], Self.list("[1,2,3]")).error
        #expect(error?.code == .invalidResponse && error?.billing == .billed(Usage(inputTokens: 5)))
    }

    @Test("A key in the model's name is hidden in the metadata")
    func key() async throws {
        let answer = try await call(
            [:], OpenAIBench.json(#"{"data":[{"embedding":[1]}],"model":"\#(OpenAIBench.key)"}"#)
        ).result.get()
        #expect(answer.metadata["model"]?.contains("…") == true && !"\(answer.metadata)".contains(OpenAIBench.key))
    }

    @Test("The maximum usage is known unless extra may raise it")
    func bound() throws {
        let provider = OpenAIEmbeddingProvider(
            "openai.embedding", service: try OpenAIBench().service(ScriptedTransport { _ in Self.list("[1]") }),
            model: "m")
        func most(_ parameters: [String: ParameterValue]) -> Usage? {
            provider.maximumUsage(of: AIRequest(prompt: "hello", parameters: parameters))
        }
        #expect((most([:])?.inputTokens ?? 0) >= 5 && most(["extra": ["user": "7"]]) == most([:]))
        #expect(most(["extra": ["instruction": "Name the topic."]]) == nil)
    }

    @Test(
        "Malformed metadata does not discard a billed vector",
        arguments: [
            (#""m","usage":{"prompt_tokens":"12"}"#, 12), (#"7,"usage":{"prompt_tokens":12.5}"#, 12),
            (#"[],"usage":[]"#, 0), (#"null,"usage":{"prompt_tokens":{}}"#, 0), (#"{},"usage":"x""#, 0),
        ] as [(String, Int64)])
    func tolerant(beside: String, tokens: Int64) async throws {
        let outcome = try await call([:], OpenAIBench.json(#"{"data":[{"embedding":[1]}],"model":\#(beside)}"#))
        let answer = try outcome.result.get()
        #expect(answer.content == .embedding([1]) && answer.usage == Usage(inputTokens: tokens))
    }

    @Test("Zero or several vectors, or one of another length than requested, are refused")
    func others() async throws {
        #expect(try await call([:], OpenAIBench.json(#"{"data":[]}"#)).error?.code == .invalidResponse)
        #expect(
            try await call([:], OpenAIBench.json(#"{"data":[{"embedding":[1]},{"embedding":[2]}]}"#)).error?.code
                == .invalidResponse)
        #expect(try await call(["dimensions": 2], Self.list("[1,2,3]")).error?.code == .invalidResponse)
        for count in 0..<40 {
            let cut = Data(#"{"data":[{"embedding":[0.25,0.5]}]}     "#.utf8.prefix(count))
            let outcome = try await call([:], OpenAIBench.answer(cut, "application/json"))
            #expect((outcome.error == nil) == (count >= 35))
        }
    }

    @Test(
        "Invalid parameters and an empty prompt are refused",
        arguments: [(["dimensions": 0], "x"), (["size": 1], "x"), ([:], "  ")] as [([String: ParameterValue], Prompt)])
    func refused(parameters: [String: ParameterValue], prompt: Prompt) async throws {
        let outcome = try await call(parameters, prompt: prompt, Self.list("[1]"))
        #expect(outcome.error?.code == .invalidRequest && outcome.calls.isEmpty)
    }
}
