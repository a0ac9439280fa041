import Foundation
import Testing

@testable import Hablare
@testable import HablareProviders

@Suite struct OpenAIImageTests {
    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2])
    private static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 1])
    private static let webp = Data("RIFF\u{1}\u{0}\u{0}\u{0}WEBPVP8 ".utf8)

    private static func made(_ bytes: Data) -> HTTPAnswer {
        OpenAIBench.json(
            #"{"created":1,"data":[{"b64_json":"\#(bytes.base64EncodedString())","revised_prompt":"A fine cat"}],"usage":{"input_tokens":7,"output_tokens":1000,"total_tokens":1007}}"#
        )
    }

    private func call(
        _ parameters: [String: ParameterValue] = [:], prompt: Prompt = "A cat", model: String? = nil,
        _ answer: HTTPAnswer = made(png)
    ) async throws -> OpenAIBench.Outcome {
        try await OpenAIBench().call(AIRequest(prompt: prompt, model: model, parameters: parameters)) { _ in
            answer
        } _: {
            OpenAIImageProvider("openai.image", service: $0, model: "gpt-image-1.5")
        }
    }

    @Test("A picture has the format of its bytes, and its usage is counted", arguments: [png, jpeg, webp])
    func made(bytes: Data) async throws {
        let outcome = try await call([:], Self.made(bytes))
        let answer = try outcome.result.get()
        let format: ImageFormat = bytes == Self.png ? .png : bytes == Self.jpeg ? .jpeg : .webp
        #expect(answer.content == .image(Body(bytes), format))
        #expect(answer.usage == Usage(inputTokens: 7, outputTokens: 1000, bytes: Int64(bytes.count)))
        #expect(answer.metadata == ["model": "gpt-image-1.5", "revised_prompt": "A fine cat"])
        #expect(outcome.calls.first?.url.absoluteString == "https://api.openai.com/v1/images/generations")
    }

    @Test func `The tokens of pictures in the prompt have a price of their own`() async throws {
        let outcome = try await call(
            [:], model: "gpt-image-2.6-flare",
            OpenAIBench.json(
                #"{"data":[{"b64_json":"\#(Self.png.base64EncodedString())"}],"usage":{"input_tokens":1100,"output_tokens":2000,"total_tokens":3100,"input_tokens_details":{"image_tokens":1000,"text_tokens":100},"output_tokens_details":{"image_tokens":2000,"text_tokens":0}}}"#
            ))
        let usage = try outcome.result.get().usage
        #expect(
            usage
                == Usage(
                    inputTokens: 1100, outputTokens: 2000, bytes: Int64(Self.png.count), imageInputTokens: 1000))
        // $5 and $8 a million tokens of text and pictures, $30 for those of the answer.
        let cost = CostModel(prices: .shipped).cost(
            of: usage, by: CostModel.Payee(names: ["openai.image", "openai"], model: "gpt-image-2.6-flare"),
            at: OpenAIBench.now)
        #expect(cost == 68_500)
    }

    @Test("All parameters are sent, and models that answer with a URL by default are asked for bytes")
    func bodies() async throws {
        let all = try await call([
            "size": "1024x1536", "quality": "high", "background": "transparent", "format": "webp",
            "extra": ["moderation": "low"],
        ])
        let expected = try ParameterValue.literal(
            #"{"model":"gpt-image-1.5","prompt":"A cat","n":1,"size":"1024x1536","quality":"high","background":"transparent","output_format":"webp","moderation":"low"}"#
        )
        #expect(all.calls.first?.json == expected)
        let old = try await call(["format": "png"], model: "dall-e-3")
        let other = try ParameterValue.literal(
            #"{"model":"dall-e-3","prompt":"A cat","n":1,"response_format":"b64_json"}"#)
        #expect(old.calls.first?.json == other)
    }

    @Test(
        "Invalid parameters are refused before any call",
        arguments: [
            (["background": "green"], "x", nil), (["format": "tiff"], "x", nil), (["format": "webp"], "x", "dall-e-3"),
            (["extra": ["n": 4]], "x", nil), (["voice": "y"], "x", nil), ([:], "", nil),
            ([:], .messages([.init(role: .user, parts: [.text("x"), .image("y", .png)])]), nil),
        ] as [([String: ParameterValue], Prompt, String?)])
    func refused(parameters: [String: ParameterValue], prompt: Prompt, model: String?) async throws {
        let outcome = try await call(parameters, prompt: prompt, model: model)
        #expect(outcome.error?.code == .invalidRequest && outcome.calls.isEmpty)
    }

    @Test(
        "Malformed metadata does not discard a billed picture",
        arguments: [
            (#"{"input_tokens":"7","output_tokens":12.5}"#, "null", Usage(inputTokens: 7, outputTokens: 12)),
            (#"{"input_tokens":-7,"output_tokens":"many"}"#, "5", Usage()), ("[]", #"{"a":1}"#, Usage()),
            (#""none""#, #"["x"]"#, Usage()), ("null", "true", Usage()),
        ])
    func tolerant(used: String, prompt: String, expected: Usage) async throws {
        let outcome = try await call(
            [:],
            OpenAIBench.json(
                #"{"data":[{"b64_json":"\#(Self.png.base64EncodedString())","revised_prompt":\#(prompt)}],"usage":\#(used)}"#
            ))
        var usage = expected
        usage.bytes = Int64(Self.png.count)
        let answer = try outcome.result.get()
        #expect(answer.content == .image(Body(Self.png), .png) && answer.usage == usage)
    }

    @Test(
        "Malformed pictures are refused",
        arguments: [
            "{}", #"{"data":[]}"#, #"{"data":[{"url":"https://example.com/x.png"}]}"#, #"{"data":[{"b64_json":"?"}]}"#,
            #"{"data":[{"b64_json":"PGh0bWw+"}]}"#, "[]", "rubbish", #"{"data":[{"b64_json":""}]}"#,
        ])
    func malformed(text: String) async throws {
        let outcome = try await call([:], OpenAIBench.json(text))
        #expect(outcome.error?.code == .invalidResponse && outcome.error?.billing == .maybeBilled)
    }

    @Test(
        "An answer without a picture is billed as it reports",
        arguments: [
            "", #""data":[],"#, #""data":[{"url":"https://example.com/x.png"}],"#, #""data":[{"b64_json":"?"}],"#,
        ])
    func useless(data: String) async throws {
        let answer = OpenAIBench.json(#"{\#(data)"usage":{"input_tokens":7,"output_tokens":1000}}"#)
        let error = try await call([:], answer).error
        #expect(error?.code == .invalidResponse && error?.disposition == .fail)
        #expect(error?.billing == .billed(Usage(inputTokens: 7, outputTokens: 1000)))
    }
}
