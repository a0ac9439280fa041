import Foundation
import Hablare
import Testing

@testable import HablareProviders

/// The check of a request before it is stored has the same result as the call.
@Suite struct RequestCheckingTests {
    private static let providers: [any RequestChecking] = {
        do {
            let nowhere = ScriptedTransport { _ in HTTPAnswer(status: 500) }
            let openAI = try OpenAIBench().service(nowhere)
            let anthropic = try AnthropicBench { _ in HTTPAnswer(status: 500) }
            let eleven = try ElevenLabsBench { _ in HTTPAnswer(status: 500) }
            return [
                OpenAIChatProvider("chat", service: openAI, model: "m"),
                OpenAIChatProvider("chat.structured", service: openAI, model: "m", form: .structured),
                OpenAIResponsesProvider("responses", service: openAI, model: "m"),
                OpenAISpeechProvider("speech", service: openAI, model: "m"),
                OpenAIImageProvider("image", service: openAI, model: "m"),
                OpenAIEmbeddingProvider("embedding", service: openAI, model: "m"),
                anthropic.text, anthropic.structured, eleven.speech,
            ]
        } catch {
            Issue.record(error)
            return []
        }
    }()

    private static let picture = Prompt.Part.image(Body(Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])), .png)
    private static let requests = [
        AIRequest(prompt: "x"), AIRequest(prompt: ""), AIRequest(prompt: "x", parameters: ["extra": ["model": "y"]]),
        AIRequest(prompt: "x", parameters: ["extra": ["model_id": "y"]]),
        AIRequest(prompt: "x", parameters: ["extra": ["max_tokens": 1]]),
        AIRequest(prompt: "x", parameters: ["extra": ["n": 2]]), AIRequest(prompt: "x", parameters: ["unknown": 1]),
        AIRequest(prompt: "x", parameters: ["schema": ["type": "object"]]),
        AIRequest(prompt: "x", parameters: ["dimensions": 3, "extra": ["dimensions": 4]]),
        AIRequest(prompt: "x", parameters: ["mask": true]),
        AIRequest(prompt: .text(String(repeating: "x", count: 10_001))),
        AIRequest(prompt: .messages([])), AIRequest(prompt: .messages([.init(role: .user, parts: [picture])])),
        AIRequest(prompt: .messages([.init(role: .user, parts: [.text("x"), picture, picture])])),
        AIRequest(
            prompt: .messages([.init(role: .user, parts: [.text("x")] + Array(repeating: picture, count: 17))])),
        AIRequest(prompt: .messages([.init(role: .assistant, parts: [.toolResult(id: "1", content: "x")])])),
    ]

    @Test("A check refuses exactly the requests that the call refuses", arguments: providers.indices)
    func agrees(number: Int) async throws {
        let provider = Self.providers[number]
        for (place, request) in Self.requests.enumerated() {
            var refused: AIServiceError?
            do throws(AIServiceError) { try provider.check(request) } catch { refused = error }
            let called = await provider.answering(request).failure
            // The service refuses every call that is sent.
            let expected = called?.code == .overloaded ? nil : called
            #expect(refused == expected, "\(provider.id), request \(place)")
            #expect(refused == nil || refused?.code == .invalidRequest)
        }
    }

    @Test("Each provider refuses some of the requests and accepts others")
    func bites() {
        for provider in Self.providers {
            let taken = Self.requests.filter { request in
                do throws(AIServiceError) { try provider.check(request) } catch { return false }
                return true
            }
            #expect(!taken.isEmpty && taken.count < Self.requests.count, "\(provider.id)")
        }
    }
}
