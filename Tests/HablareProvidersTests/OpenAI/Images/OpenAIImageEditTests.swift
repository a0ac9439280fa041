import Foundation
import HTTPTypes
import Hablare
import HablareTestServers
import Testing

@testable import HablareProviders

/// Pictures that are made from pictures.
@Suite struct OpenAIImageEditTests {
    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3, 4, 5])
    private static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 1])
    private static let webp = Data("RIFF\u{1}\u{0}\u{0}\u{0}WEBPVP8 ".utf8)
    private static let made = #"{"data":[{"b64_json":"\#(png.base64EncodedString())"}]}"#

    private static func prompt(_ pictures: [Data], saying text: String = "Add a hat.") -> Prompt {
        .messages([.init(role: .user, parts: [.text(text)] + pictures.map { .image(Body($0), .png) })])
    }

    private func call(
        _ prompt: Prompt, _ parameters: [String: ParameterValue] = [:], model: String? = nil
    ) async throws -> OpenAIBench.Outcome {
        let request = AIRequest(prompt: prompt, model: model, parameters: parameters)
        return try await OpenAIBench().call(request) { _ in
            OpenAIBench.json(Self.made)
        } _: {
            OpenAIImageProvider("openai.image", service: $0, model: "gpt-image-1.5")
        }
    }

    private func form(of outcome: OpenAIBench.Outcome) throws -> MultipartReading {
        let call = try #require(outcome.calls.first, "\(String(describing: outcome.error))")
        #expect(call.url.absoluteString == "https://api.openai.com/v1/images/edits")
        let type = try #require(call.fields[.contentType])
        return try MultipartReading((type, call.body))
    }

    private static func field(_ name: String, _ value: String) -> MultipartReading.Part {
        .init(head: ["Content-Disposition: form-data; name=\"\(name)\""], content: Data(value.utf8))
    }

    private static func file(_ name: String, _ file: String, _ type: String, _ data: Data) -> MultipartReading.Part {
        .init(
            head: [
                "Content-Disposition: form-data; name=\"\(name)\"; filename=\"\(file)\"", "Content-Type: \(type)",
            ], content: data)
    }

    @Test("One picture is sent with all other parameters")
    func one() async throws {
        let outcome = try await call(
            Self.prompt([Self.png]),
            [
                "size": "1024x1024", "quality": "high", "background": "opaque", "format": "webp",
                "extra": ["input_fidelity": "high", "output_compression": 50],
            ])
        #expect(try outcome.result.get().content == .image(Body(Self.png), .png))
        let parts = try form(of: outcome).parts
        #expect(
            parts == [
                Self.field("background", "opaque"), Self.field("input_fidelity", "high"),
                Self.field("model", "gpt-image-1.5"), Self.field("n", "1"), Self.field("output_compression", "50"),
                Self.field("output_format", "webp"), Self.field("prompt", "Add a hat."),
                Self.field("quality", "high"), Self.field("size", "1024x1024"),
                Self.file("image", "image-1.png", "image/png", Self.png),
            ])
    }

    @Test("Several pictures are sent as a list with the formats of their bytes, and the last may be a mask")
    func several() async throws {
        let outcome = try await call(Self.prompt([Self.jpeg, Self.webp, Self.png]), ["mask": true])
        let files = try form(of: outcome).parts.suffix(3)
        #expect(
            Array(files) == [
                Self.file("image[]", "image-1.jpg", "image/jpeg", Self.jpeg),
                Self.file("image[]", "image-2.webp", "image/webp", Self.webp),
                Self.file("mask", "mask.png", "image/png", Self.png),
            ])
        let old = try await call(Self.prompt([Self.png, Self.png]), ["mask": true], model: "local-diffusion")
        let parts = try form(of: old).parts
        #expect(parts.contains(Self.field("response_format", "b64_json")))
        #expect(parts.suffix(2).map { $0.head[0].contains("name=\"image\"") } == [true, false])
    }

    private struct Refusal: CustomTestStringConvertible {
        let pictures: [Data]
        var parameters: [String: ParameterValue] = [:]
        var model: String?
        /// The words that the message must contain.
        let names: [String]
        var testDescription: String { "\(names)" }
    }

    @Test("Pictures that the model does not accept are refused with their numbers before any call")
    func refused() async throws {
        func sized(_ count: Int) -> Data { Self.png + Data(count: count - Self.png.count) }
        let rows = [
            Refusal(pictures: Array(repeating: Self.png, count: 17), names: ["17", "16"]),
            Refusal(pictures: [Self.png, sized(50 << 20)], names: ["picture 2", "52428800"]),
            Refusal(pictures: [Data("GIF89a".utf8)], names: ["picture 1", "PNG, JPEG or WebP"]),
            Refusal(pictures: [Data()], names: ["picture 1"]),
            Refusal(pictures: [Self.png, Self.jpeg], parameters: ["mask": true], names: ["mask", "PNG"]),
            Refusal(pictures: [Self.png, sized(4 << 20)], parameters: ["mask": true], names: ["mask", "4194304"]),
            Refusal(pictures: [Self.png], parameters: ["mask": true], names: ["mask"]),
            Refusal(pictures: [], parameters: ["mask": true], names: ["mask"]),
        ]
        for row in rows {
            let outcome = try await call(Self.prompt(row.pictures), row.parameters, model: row.model)
            let error = try #require(outcome.error)
            #expect(error.code == .invalidRequest && outcome.calls.isEmpty)
            #expect(row.names.allSatisfy { error.message.contains($0) }, "\(error.message)")
        }
        let largest = try await call(Self.prompt([sized((50 << 20) - 1)]))
        #expect(largest.error == nil)
    }

    @Test(
        "Messages other than a user's text and pictures are refused",
        arguments: [
            [.init(role: .system, text: "x"), .init(role: .user, parts: [.image(Body(png), .png)])],
            [.init(role: .user, parts: [.image(Body(png), .png)])],
            [.init(role: .user, parts: [.text("x"), .toolResult(id: "a", content: "b")])],
            [.init(role: .user, text: "x"), .init(role: .assistant, parts: [.image(Body(png), .png)])],
        ] as [[Prompt.Message]])
    func misplaced(messages: [Prompt.Message]) async throws {
        let outcome = try await call(.messages(messages))
        #expect(outcome.error?.code == .invalidRequest && outcome.calls.isEmpty)
    }

    @Test("Every attempt sends the same bytes, other pictures have another boundary, and the server gets all bytes")
    func sameBytes() async throws {
        let picture = Self.png + Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await LoopbackServer.withServer { call in
            call.number == 0 ? try .json(503, [:]) : .text(200, Self.made, type: "application/json")
        } _: { server in
            try await withTransport { transport in
                let service = OpenAIService(
                    try ServiceAddress(server.base), transport: transport,
                    key: { () throws(AIServiceError) in try APIKey(OpenAIBench.key) })
                let provider = OpenAIImageProvider("openai.image", service: service, model: "gpt-image-1.5")
                for pictures in [[picture, Self.jpeg], [picture, Self.jpeg], [Self.jpeg, picture]] {
                    _ = await provider.generate(ProviderCall(request: AIRequest(prompt: Self.prompt(pictures))))
                }
                let calls = try await server.calls(atLeast: 3).map(\.call)
                #expect(calls[0].body == calls[1].body && calls[0].body.count > picture.count)
                #expect(calls[0].field("content-type") == calls[1].field("content-type"))
                #expect(calls[0].field("content-type") != calls[2].field("content-type"))
                #expect(calls[0].field("content-length") == String(calls[0].body.count))
                let type = try #require(calls[0].field("content-type"))
                let form = try MultipartReading((type, .bytes(calls[0].body)))
                #expect(form.parts.suffix(2).map(\.content) == [picture, Self.jpeg])
            }
        }
    }
}
