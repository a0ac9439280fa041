import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// Documents, audio and addresses in prompts, as each API gets them.
@Suite struct PromptPartsTests {
    private static let pdf = Prompt.Part.document("%PDF-1.7", .pdf, name: "report.pdf")
    private static let audio = Prompt.Part.audio("RIFFsound", .wav)
    private static let picture = Prompt.Part.link("https://example.com/whale.jpg", .image)
    private static let paper = Prompt.Part.link("https://example.com/whale.pdf", .document)

    private static func asking(_ parts: [Prompt.Part]) -> AIRequest {
        AIRequest(prompt: .messages([.init(role: .user, parts: parts + [.text("What is it?")])]))
    }

    private func openAI(
        _ request: AIRequest, _ provider: @escaping (OpenAIService) -> any AIServiceProvider
    ) async throws -> OpenAIBench.Outcome {
        try await OpenAIBench().call(request) { call in
            OpenAIBench.json(
                call.url.path.hasSuffix("responses")
                    ? #"{"id":"r","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]}]}"#
                    : #"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}"#)
        } _: {
            provider($0)
        }
    }

    private static let rules = AnthropicModelRules(id: "claude", known: nil, defaultTokens: 100, time: nil)

    @Test func `The chat API gets documents, audio and pictures behind an address`() async throws {
        let outcome = try await openAI(Self.asking([Self.pdf, Self.audio, Self.picture]), OpenAIBench.chat())
        #expect(outcome.error == nil)
        let expected = try ParameterValue.literal(
            #"""
            [{"type":"file","file":{"filename":"report.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjc="}},
            {"type":"input_audio","input_audio":{"data":"UklGRnNvdW5k","format":"wav"}},
            {"type":"image_url","image_url":{"url":"https://example.com/whale.jpg"}},
            {"type":"text","text":"What is it?"}]
            """#)
        #expect(outcome.calls.first?.json?[member: "messages"]?.elements.first?[member: "content"] == expected)
    }

    @Test func `The responses API gets documents, and pictures and documents behind an address`() async throws {
        let outcome = try await openAI(Self.asking([Self.pdf, Self.paper, Self.picture]), OpenAIBench.responses())
        #expect(outcome.error == nil)
        let expected = try ParameterValue.literal(
            #"""
            [{"type":"input_file","filename":"report.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjc="},
            {"type":"input_file","file_url":"https://example.com/whale.pdf"},
            {"type":"input_image","image_url":"https://example.com/whale.jpg","detail":"auto"},
            {"type":"input_text","text":"What is it?"}]
            """#)
        #expect(outcome.calls.first?.json?[member: "input"]?.elements.first?[member: "content"] == expected)
    }

    @Test func `The messages API gets blocks of documents and pictures`() async throws {
        let request = Self.asking([Self.pdf, Self.paper, Self.picture])
        var body = try AnthropicMessagesRequest(
            request, form: .text, rules: Self.rules, of: "anthropic")
        body.conversation = try await body.conversation.loaded()
        let expected = try ParameterValue.literal(
            #"""
            [{"type":"document","title":"report.pdf","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjc="}},
            {"type":"document","source":{"type":"url","url":"https://example.com/whale.pdf"}},
            {"type":"image","source":{"type":"url","url":"https://example.com/whale.jpg"}},
            {"type":"text","text":"What is it?"}]
            """#)
        #expect(try body.body()[member: "messages"]?.elements.first?[member: "content"] == expected)
    }

    @Test(
        "A kind that an API does not take is refused before the call, by its name",
        arguments: [
            ("chat", paper, "does not accept addresses of documents"), ("responses", audio, "does not accept audio"),
            ("speech", pdf, "no documents"), ("speech", audio, "no audio"), ("images", audio, "no audio"),
            ("embedding", pdf, "no documents"),
        ] as [(String, Prompt.Part, String)])
    func refused(api: String, part: Prompt.Part, problem: String) async throws {
        let outcome = try await openAI(Self.asking([part])) { service in
            switch api {
            case "chat": OpenAIBench.chat()(service)
            case "responses": OpenAIBench.responses()(service)
            case "speech": OpenAISpeechProvider("openai.speech", service: service, model: "tts-1")
            case "images": OpenAIImageProvider("openai.image", service: service, model: "gpt-image-1")
            default: OpenAIEmbeddingProvider("openai.embedding", service: service, model: "text-embedding-3-small")
            }
        }
        #expect(outcome.error?.code == .invalidRequest && outcome.calls.isEmpty)
        #expect(outcome.error?.message.contains(problem) == true, "\(outcome.error?.message ?? "")")
    }

    @Test func `Anthropic hears no audio`() throws {
        #expect {
            _ = try AnthropicMessagesRequest(
                Self.asking([Self.audio]), form: .text, rules: Self.rules, of: "anthropic")
        } throws: {
            ($0 as? AIServiceError)?.message.contains("The provider anthropic does not accept audio") == true
        }
    }

    @Test(
        "Formats that no model reads, addresses that are none, and parts of a wrong role are refused",
        arguments: [
            .init(role: .user, parts: [.document("x", DocumentFormat(rawValue: "docx"), name: "x.docx")]),
            .init(role: .user, parts: [.audio("x", AudioFormat(rawValue: "ogg"))]),
            .init(role: .user, parts: [.link("file:///etc/passwd", .image)]),
            .init(role: .user, parts: [.link("whale.jpg", .image)]),
            .init(role: .user, parts: [.link("https://", .image)]),
            .init(role: .assistant, parts: [pdf]), .init(role: .system, parts: [picture]),
        ] as [Prompt.Message])
    func invalid(message: Prompt.Message) async throws {
        let outcome = try await openAI(AIRequest(prompt: .messages([message])), OpenAIBench.chat())
        #expect(outcome.error?.code == .invalidRequest && outcome.calls.isEmpty)
        #expect(outcome.error?.message.contains("passwd") != true)
    }

    @Test func `The usage of documents and audio has no upper bound`() throws {
        let service = try OpenAIBench().service(ScriptedTransport { _ in OpenAIBench.json("{}") })
        let provider = OpenAIBench.chat()(service)
        for part in [Self.pdf, Self.audio] {
            var request = Self.asking([part])
            request.parameters = ["max_tokens": 10]
            #expect(provider.maximumUsage(of: request) == nil)
        }
        var request = Self.asking([Self.picture])
        request.parameters = ["max_tokens": 10]
        #expect(provider.maximumUsage(of: request)?.outputTokens == 10)
        #expect(TokenEstimate.tokens(of: Self.asking([Self.paper]).prompt) > 10_000)
    }
}
