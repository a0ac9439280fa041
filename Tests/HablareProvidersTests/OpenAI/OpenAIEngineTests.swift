import Foundation
import Hablare
import HablareProviders
import HablareStores
import HablareSupport
import Testing

/// OpenAI's providers in an engine.
@Suite(.timeLimit(.minutes(5))) struct OpenAIEngineTests {
    private static let events = [
        #"{"id":"c","model":"m-1","choices":[{"index":0,"delta":{"content":"Good "}}]}"#,
        #"{"choices":[{"index":0,"delta":{"content":"morning"},"finish_reason":"stop"}]}"#,
        #"{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500}}"#, "[DONE]",
    ]

    private func manager(
        _ answer: @escaping @Sendable (HTTPCall) async throws -> HTTPAnswer
    ) throws -> (AIRequestManager, ScriptedTransport) {
        let transport = ScriptedTransport(answer)
        let service = try OpenAIBench().service(transport)
        let manager = AIRequestManager(
            store: InMemoryStore(),
            providers: try ProviderRegistry([
                OpenAIChatProvider("openai", service: service, model: "gpt-4.1-mini"),
                OpenAIChatProvider("openai.structured", service: service, model: "gpt-4.1-mini", form: .structured),
                OpenAISpeechProvider("openai.speech", service: service, model: "tts-1"),
            ]), configuration: EngineConfiguration(retry: RetryPolicy(maximumAttempts: 2, baseDelay: .zero)))
        return (manager, transport)
    }

    @Test("A stream is journalled and read, and costs the price of the provider's default model")
    func streams() async throws {
        let (manager, _) = try manager { _ in OpenAIBench.stream(OpenAIBench.events(Self.events), pieces: 10) }
        let response = try await EngineService.run(manager) {
            let request = AIRequest(prompt: "Say good morning.", streaming: StreamingPolicy())
            try await manager.submit(request, to: "openai")
            var text = ""
            for try await element in try await manager.stream(for: request.id) {
                if case .chunk(let chunk) = element { text += chunk.text }
            }
            #expect(text == "Good morning")
            return try await manager.execute(requestID: request.id)
        }
        #expect(try await response.text() == "Good morning")
        // 1,000 tokens at $0.40 and 500 at $1.60 per million.
        #expect(response.usage == Usage(inputTokens: 1000, outputTokens: 500, costMicroDollars: 1200))
        #expect(response.metadata["model"] == "m-1")
    }

    @Test("A value tree and speech keep their kinds through the engine")
    func others() async throws {
        let (manager, _) = try manager { call in
            guard call.url.path.hasSuffix("speech") else {
                return OpenAIBench.json(#"{"choices":[{"message":{"content":"{\"a\":1}"},"finish_reason":"stop"}]}"#)
            }
            return OpenAIBench.answer(Data("sound".utf8), "audio/mpeg")
        }
        try await EngineService.run(manager) {
            let tree = try await manager.execute(AIRequest(prompt: "x"), with: "openai.structured")
            #expect(try tree.content == .structured(["a": 1]))
            let speech = try await manager.execute(AIRequest(prompt: "hello"), with: "openai.speech")
            #expect(try speech.content == .audio("sound", .mp3))
            #expect(speech.usage.costMicroDollars == 75)
        }
    }

    @Test("A temporary refusal is retried, and one that needs the user is not")
    func retries() async throws {
        let (manager, transport) = try manager { [turns = Locked(0)] call in
            let turn = turns.withLock { turns in
                turns += 1
                return turns
            }
            guard turn > 1 else { return OpenAIBench.json("{}", status: 503) }
            return OpenAIBench.json(#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}"#)
        }
        try await EngineService.run(manager) {
            _ = try await manager.execute(AIRequest(prompt: "x"), with: "openai")
            #expect(transport.calls.count == 2)
        }
        let (poor, asked) = try self.manager { _ in
            OpenAIBench.json(#"{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}"#, status: 429)
        }
        try await EngineService.run(poor) {
            await #expect(throws: AIServiceError.self) {
                try await poor.execute(AIRequest(prompt: "x"), with: "openai")
            }
            #expect(asked.calls.count == 1)
        }
    }

    @Test("An unusable answer costs what it reports, and without a report it is possibly billed")
    func uselessAnswers() async throws {
        let rows: [(HTTPAnswer, BillingState, Int64?)] = [
            (
                OpenAIBench.json(
                    #"{"choices":[{"message":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":500}}"#
                ), .billed, 1200
            ),
            (
                OpenAIBench.json(#"{"choices":[{"message":{"content":""},"finish_reason":"length"}]}"#), .maybeBilled,
                nil
            ),
            (OpenAIBench.json("[]"), .maybeBilled, nil),
            (OpenAIBench.answer(Data("<html>".utf8), "text/html"), .maybeBilled, nil),
            (OpenAIBench.json("{}", status: 400), .neverSent, nil),
        ]
        for (answer, billing, cost) in rows {
            let (manager, transport) = try manager { _ in answer }
            try await EngineService.run(manager) {
                let request = AIRequest(prompt: "x")
                await #expect(throws: AIServiceError.self) {
                    try await manager.execute(request, with: "openai.structured")
                }
                let attempts = try await manager.attempts(for: request.id)
                #expect(attempts.map(\.billing) == [billing] && transport.calls.count == 1)
                #expect(attempts.map(\.usage.costMicroDollars) == [cost])
            }
        }
    }
}
