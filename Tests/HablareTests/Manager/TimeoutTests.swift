import Foundation
import Hablare
import HablareStores
import HablareTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TimeoutTests {
    @Test(
        "An attempt is ended by the request's limit, else the provider's, else the engine's",
        arguments: [
            (Duration?.some(.seconds(2)), Duration?.some(.seconds(4)), 2), (nil, .some(.seconds(4)), 4), (nil, nil, 6),
        ])
    func limits(request: Duration?, provider: Duration?, seconds: Int) async throws {
        let gate = Gate()
        let slow = ScriptedProvider(limits: ProviderLimits(attemptTimeout: provider)) { call in
            #expect(call.timeout == .seconds(seconds))
            do { try await gate.pass() } catch { return .failure(AIServiceError(.providerFailed, "Cut off.")) }
            return .success(ProviderAnswer(.text("in time")))
        }
        let engine = try Engine([slow], configuration: EngineConfiguration(attemptTimeout: .seconds(6), retry: .never))
        let manager = engine.manager
        let early = AIRequest(prompt: "early", attemptTimeout: request)
        let late = AIRequest(prompt: "late", attemptTimeout: request)
        try await engine.run {
            try await manager.submit(early, to: "scripted")
            await gate.arrivals(reach: 1)
            engine.clock.advance(by: .seconds(seconds) - .nanoseconds(1))
            gate.admitOne()
            #expect(try await text(manager.execute(requestID: early.id)) == "in time")
            try await manager.submit(late, to: "scripted")
            await gate.arrivals(reach: 2)
            engine.clock.advance(by: .seconds(seconds))
            #expect(await code { _ = try await manager.execute(requestID: late.id) } == .timeout)
        }
        let attempts = try await manager.attempts(for: late.id)
        #expect(attempts.map(\.outcome) == [.failed] && attempts.map(\.billing) == [.maybeBilled])
    }

    @Test("A provider that does not listen loses its place after the grace, and the next request runs")
    func hang() async throws {
        let latch = Latch()
        let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 1)) { call in
            if call.request.prompt == "hangs" { await latch.wait() }
            return .success(ProviderAnswer(.text("answer")))
        }
        let engine = try Engine(
            [provider],
            configuration: EngineConfiguration(
                attemptTimeout: .seconds(10), cancellationGrace: .seconds(5), retry: .never)
        )
        let manager = engine.manager
        defer { latch.open() }
        let stuck = AIRequest(prompt: "hangs")
        let next = AIRequest(prompt: "next", attemptTimeout: .seconds(1_000_000_000))
        try await engine.run {
            try await manager.submit(stuck, to: "scripted")
            try await manager.submit(next, to: "scripted")
            try await engine.advance { try await manager.status(for: stuck.id).isFinal }
            guard case .failed(let error) = try await manager.outcome(of: stuck.id) else {
                Issue.record("It did not fail")
                return
            }
            #expect(error.code == .timeout)
            #expect(engine.clock.now.offset >= .seconds(15), "the limit and the grace")
            #expect(try await engine.soon { try await text(manager.execute(requestID: next.id)) } == "answer")
            latch.open()
            try await engine.expectSoon {
                try await manager.attempts(for: stuck.id).first?.outcome == .discarded
            }
        }
        #expect(try await manager.status(for: stuck.id).phase == .failed, "its answer came too late")
        #expect(try await manager.attempts(for: stuck.id).map(\.billing) == [.billedDiscarded])
    }

    @Test("A cancelled call whose provider does not listen loses its place after the grace")
    func hangAfterCancellation() async throws {
        let latch = Latch()
        let started = Gate()
        started.open()
        let provider = ScriptedProvider(limits: ProviderLimits(concurrency: 1)) { call in
            do { try await started.pass() } catch {}
            if call.request.prompt == "hangs" { await latch.wait() }
            return .success(ProviderAnswer(.text("answer")))
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let stuck = AIRequest(prompt: "hangs", attemptTimeout: .seconds(1_000_000))
            try await manager.submit(stuck, to: "scripted")
            await started.arrivals(reach: 1)
            try await manager.cancelRequest(stuck.id)
            let next = AIRequest(prompt: "next", attemptTimeout: .seconds(1_000_000))
            try await manager.submit(next, to: "scripted")
            try await engine.advance { try await manager.status(for: next.id).isFinal }
            #expect(try await text(manager.execute(requestID: next.id)) == "answer")
            latch.open()
        }
    }

    @Test("The longest limit there is means no limit, and does not trap")
    func longest() async throws {
        let store = InMemoryStore()
        let manager = AIRequestManager(store: store, providers: try ProviderRegistry([ScriptedProvider()]))
        let response = try await EngineService.run(manager) {
            try await manager.execute(
                AIRequest(prompt: "x", attemptTimeout: .seconds(Int64.max)), with: "scripted")
        }
        #expect(try await text(response) == "x")
    }
}
