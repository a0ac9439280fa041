import Hablare
import HablareStores
import HablareTestKit
import Testing

// snippet: a preview's model
extension Shouting {
    /// Returns a model whose provider always gives the same answer, and whose store is in memory.
    static func preview(answering answer: String) throws -> Shouting {
        let provider = ScriptedProvider(id: "shouter") { _ in .success(ProviderAnswer(.text(Body(answer)))) }
        return Shouting(
            manager: AIRequestManager(store: InMemoryStore(), providers: try ProviderRegistry([provider])))
    }
}
// end snippet

@Suite struct TestingSnippets {
    // snippet: a test with a clock of its own
    @Test("An overloaded provider is asked again after the back-off, and not before")
    func backsOff() async throws {
        let clock = ManualClock()
        let provider = ScriptedProvider { call in
            guard call.attempt > 1 else { return .failure(AIServiceError(.overloaded, "Try again later.")) }
            return .success(ProviderAnswer(.text("there you are")))
        }
        let manager = AIRequestManager(
            store: InMemoryStore(), providers: try ProviderRegistry([provider]),
            configuration: EngineConfiguration(retry: RetryPolicy(baseDelay: .seconds(10))),
            seams: .controlled(by: clock))
        try await EngineService.run(manager) {
            let id = try await manager.submit(AIRequest(prompt: "are you there?"), to: "scripted")
            while try await manager.attempts(for: id).isEmpty { await Task.yield() }
            #expect(provider.record.calls.count == 1)
            clock.advance(by: .seconds(10))
            #expect(try await manager.execute(requestID: id).text() == "there you are")
        }
    }
    // end snippet

    // snippet: a test of a model
    @Test("The model shows what the provider answers")
    func shows() async throws {
        let manager = AIRequestManager(
            store: InMemoryStore(), providers: try ProviderRegistry([ScriptedProvider(id: "shouter")]))
        let answer = try await EngineService.run(manager) { @MainActor in
            let shouting = Shouting(manager: manager)
            await shouting.shout("hello")
            return shouting.answer
        }
        #expect(answer == "hello")
    }
    // end snippet
}
