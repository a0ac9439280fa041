import Foundation
import Hablare
import HablareProviders
import HablareStores
import Testing

/// Our OpenAI provider against a real language model behind a server that only looks like OpenAI's.
///
/// Serialized: the model runs on the processors that the tests run on, and one test asks whether it is idle.
@Suite(
    "Integration: a real language model", .serialized, .enabled(if: RealParts.modelServer != nil),
    .timeLimit(.minutes(5)))
struct RealPartsModelTests {
    private func withEngine<Result: Sendable>(
        _ form: AnswerForm = .text, _ body: @escaping @Sendable (AIRequestManager) async throws -> Result
    ) async throws -> Result {
        try await RealParts.withService { service in
            let provider = OpenAIChatProvider("local", service: service, model: "smollm2", form: form)
            let manager = AIRequestManager(store: InMemoryStore(), providers: try ProviderRegistry([provider]))
            return try await EngineService.run(manager) { try await body(manager) }
        }
    }

    @Test("A text is answered, and the ledger has the tokens that the server counted")
    func text() async throws {
        try await withEngine { manager in
            let request = AIRequest(
                prompt: "What is the capital of France? Answer in one word.",
                parameters: ["max_tokens": 16, "temperature": 0, "seed": 1])
            let response = try await manager.execute(request, with: "local")
            let text = try await response.text()
            #expect(text.contains("Paris"))
            #expect(response.usage.inputTokens > 5)
            #expect((1...16).contains(response.usage.outputTokens))
            let attempts = try await manager.attempts(for: request.id)
            #expect(attempts.map(\.usage.outputTokens) == [response.usage.outputTokens])
        }
    }

    @Test("The first piece of a stream is there while the model still writes, and the pieces are the answer")
    func streams() async throws {
        try await withEngine { manager in
            let request = AIRequest(
                prompt: "Tell a long story about a lighthouse.",
                parameters: ["max_tokens": 200, "temperature": 0, "seed": 1], streaming: StreamingPolicy())
            let id = try await manager.submit(request, to: "local")
            var text = ""
            var pieces = 0
            var wasAnswering = false
            var answer: AIResponseData?
            for try await element in try await manager.stream(for: id) {
                switch element {
                case .chunk(let chunk):
                    if pieces == 0 { wasAnswering = try await RealParts.isAnswering() }
                    pieces += 1
                    text += chunk.text
                case .restarted: Issue.record("Nothing was begun anew.")
                case .completed(let response): answer = response
                }
            }
            #expect(wasAnswering)
            #expect(pieces > 5)
            let whole = try await answer?.text()
            #expect(whole == text)
            #expect(text.count > 200)
        }
    }

    @Test("Cancelling in the middle of a stream stops the model itself")
    func cancels() async throws {
        try await withEngine { manager in
            let request = AIRequest(
                prompt: "Count from one to ten thousand in words.",
                parameters: ["max_tokens": 1800, "temperature": 0, "extra": ["ignore_eos": true]],
                streaming: StreamingPolicy())
            let id = try await manager.submit(request, to: "local")
            var pieces = 0
            do {
                for try await element in try await manager.stream(for: id) {
                    guard case .chunk = element else { continue }
                    pieces += 1
                    if pieces == 3 {
                        let outcome = try await manager.cancelRequest(id)
                        #expect(outcome == .cancelled)
                    }
                }
                Issue.record("A cancelled request's stream ended as if it were complete.")
            } catch let error as AIServiceError {
                #expect(error.code == .cancelled)
            }
            // 1,800 tokens would take it more than ten seconds.
            var answering = true
            for _ in 0..<30 where answering {
                answering = try await RealParts.isAnswering()
                if answering { try await Task.sleep(for: .milliseconds(100)) }
            }
            #expect(!answering)
        }
    }

    @Test("A structured answer has the form of its schema")
    func structured() async throws {
        try await withEngine(.structured) { manager in
            let schema: ParameterValue = [
                "type": "object",
                "properties": ["city": ["type": "string"], "population": ["type": "integer"]],
                "required": ["city", "population"], "additionalProperties": false,
            ]
            let request = AIRequest(
                prompt: "Name the capital of France and its population.",
                parameters: ["schema": schema, "max_tokens": 100, "temperature": 0])
            let response = try await manager.execute(request, with: "local")
            guard case .structured(.object(let members)) = try response.result.get() else {
                Issue.record("The answer is no object.")
                return
            }
            #expect(Set(members.keys) == ["city", "population"])
            guard case .int = members["population"] else {
                Issue.record("The population is no whole number.")
                return
            }
        }
    }

    @Test("A prompt that is too long is refused for good, with the numbers")
    func tooLong() async throws {
        try await withEngine { manager in
            let request = AIRequest(prompt: .text(String(repeating: "lighthouse ", count: 4000)))
            do {
                _ = try await manager.execute(request, with: "local")
                Issue.record("It was answered.")
            } catch let error as AIServiceError {
                #expect(error.code == .invalidRequest)
                #expect(!error.message.contains("lighthouse"))
                #expect(error.message.contains("2048"))
            }
        }
    }

    @Test("The server's models are listed")
    func models() async throws {
        let models = try await RealParts.withService { try await $0.models() }
        #expect(models.map(\.id).contains("smollm2"))
    }
}
