import Foundation
import Hablare
import HablareTestKit
import Testing

/// The tests are deprecated like the API under test, which avoids deprecation warnings.
@Suite struct AIRequestExecutorTests {
    /// Stands in for a database context, which may not cross to another actor.
    private final class Context {
        var saved: [String] = []
    }

    @available(*, deprecated)
    @Test("A deprecated execute call is answered by the engine and does not touch its context")
    func forwards() async throws {
        let provider = ScriptedProvider()
        let engine = try Engine([provider])
        let request = AIRequest(prompt: "an old call")
        try await engine.run { [manager = engine.manager] in
            let context = Context()
            let executor = AIRequestExecutor(manager: manager)
            let response = try await executor.execute(request: request, provider: provider, context: context)
            #expect(try await response.text() == "an old call")
            #expect(context.saved == [])
            #expect(try await manager.status(for: request.id) == .completed(response))
        }
        #expect(provider.record.calls.map(\.request.id) == [request.id])
    }

    @available(*, deprecated)
    @Test("A deprecated execute call throws the request's failure or the reason for its refusal")
    func fails() async throws {
        let provider = failing(1)
        let engine = try Engine([provider])
        try await engine.run { [manager = engine.manager] in
            let executor = AIRequestExecutor(manager: manager)
            let failed = await code {
                _ = try await executor.execute(request: AIRequest(prompt: "f"), provider: provider)
            }
            #expect(failed == StoreWorkbench.failure.code)
            let stranger = ScriptedProvider(id: "stranger")
            let refused = await code {
                _ = try await executor.execute(request: AIRequest(prompt: "s"), provider: stranger)
            }
            #expect(refused == .providerNotFound)
        }
    }

    @available(*, deprecated)
    @Test("executeBatch runs requests concurrently and returns results and failures in order", .timeLimit(.minutes(5)))
    func batches() async throws {
        let gate = Gate()
        let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 4)) { call in
            do { try await gate.pass() } catch { return .failure(StoreWorkbench.failure) }
            let text = call.request.prompt.plainText
            return text.hasPrefix("bad")
                ? .failure(StoreWorkbench.failure) : .success(ProviderAnswer(.text(Body(text))))
        }
        let engine = try Engine([provider])
        let requests = ["one", "bad two", "three", "bad four"].map { AIRequest(prompt: .text($0)) }
        try await engine.run { [manager = engine.manager] in
            async let outcome = AIRequestExecutor(manager: manager).executeBatch(requests: requests, provider: provider)
            await gate.arrivals(reach: 4)
            gate.open()
            let batch = await outcome
            #expect(batch.successes.map(\.requestID) == [requests[0].id, requests[2].id])
            #expect(batch.failures.map(\.request) == [requests[1], requests[3]])
            #expect(batch.failures.map(\.error.code) == [StoreWorkbench.failure.code, StoreWorkbench.failure.code])
        }
        #expect(provider.record.maximumRunning == 4)
    }

    @available(*, deprecated)
    @Test("Cancelling executeBatch ends the waiting and leaves its requests running", .timeLimit(.minutes(5)))
    func cancelledBatch() async throws {
        let gate = Gate()
        let provider = gated(gate)
        let engine = try Engine([provider])
        let requests = ["five", "six"].map { AIRequest(prompt: .text($0)) }
        try await engine.run { [manager = engine.manager] in
            let batch = await withTaskGroup(of: AIBatchResponse.self) { group in
                group.addTask {
                    await AIRequestExecutor(manager: manager).executeBatch(requests: requests, provider: provider)
                }
                await gate.arrivals(reach: 2)
                group.cancelAll()
                return await group.next()
            }
            #expect(batch?.failures.map(\.error.code) == [.cancelled, .cancelled])
            gate.open()
            for request in requests { _ = try await manager.execute(requestID: request.id) }
        }
    }
}
