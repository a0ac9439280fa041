import Foundation
import HablareStores
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct AttemptTaskTests {
    /// Counts its calls.
    private actor CountingProvider: AIServiceProvider {
        nonisolated let id: ProviderID = "counting"
        nonisolated let responseType = ContentType.text
        nonisolated let limits = ProviderLimits()
        private(set) var count = 0

        func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
            count += 1
            return .success(ProviderAnswer(.text(Body("done"))))
        }
    }

    // The engine decides a stop under its lock and starts attempts after it, so another thread's stop may come first.
    @Test("An attempt that is cancelled before it starts calls no provider", arguments: [true, false])
    func cancelledBeforeStart(isCancelled: Bool) async throws {
        let provider = CountingProvider()
        let manager = AIRequestManager(store: InMemoryStore(), providers: try ProviderRegistry([provider]))
        let engine = manager.engine
        var lifecycle = FlightLifecycle(state: .leased(OwnerID(rawValue: 1)), token: 1, attempt: 0, generation: 0)
        try lifecycle.attemptStarted(token: 1)
        let flight = QueuedFlight(
            id: FlightID(rawValue: 1), lifecycle: lifecycle, request: AIRequest(prompt: "hello"), provider: provider.id)
        let task = AttemptTask(flight, parts: engine.parts, engine: engine)
        if isCancelled { task.cancel() }
        await task.start(isJournalled: true, with: engine.spawner).value
        #expect(await provider.count == (isCancelled ? 0 : 1))
    }
}
