import Foundation
import Hablare
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

/// The fallback chain of a request whose provider cannot help.
@Suite(.timeLimit(.minutes(5)))
struct FallbackTests {
    private static func failing(_ id: ProviderID, with code: AIServiceError.Code) -> ScriptedProvider {
        ScriptedProvider(id: id) { _ in .failure(AIServiceError(code, "No.")) }
    }

    private static let quick = EngineConfiguration(
        attemptTimeout: .seconds(1_000_000), retry: RetryPolicy(maximumAttempts: 2, baseDelay: .zero), breaker: .never)

    private static func request(_ fallback: [FallbackTarget]) -> AIRequest {
        AIRequest(prompt: "x", model: "large", fallback: fallback)
    }

    @Test(
        "A permanent failure falls back to the next provider, and the answer names the provider",
        arguments: [
            AIServiceError.Code.quotaExceeded, .unauthorized, .invalidResponse, .providerFailed, .overloaded, .timeout,
            .connectionLost, .programMissing,
        ])
    func falls(code: AIServiceError.Code) async throws {
        let first = Self.failing("first", with: code)
        let second = Self.failing("second", with: .quotaExceeded)
        let third = ScriptedProvider(id: "third")
        let engine = try Engine([first, second, third], configuration: Self.quick)
        let manager = engine.manager
        try await engine.run {
            let request = Self.request([FallbackTarget("second", model: "small"), FallbackTarget("third")])
            try await manager.submit(request, to: "first")
            try await engine.pass { try await manager.snapshot(for: request.id).phase == .completed }
            let response = try await manager.execute(requestID: request.id)
            #expect(response.providerID == "third" && response.metadata["fallback"] == "first > second > third")
            #expect(second.record.calls.map(\.request.model) == ["small"])
            #expect(third.record.calls.map(\.request.model) == [nil])
            // A transient failure is retried before the next provider is called.
            let tries =
                AIServiceError(code, "").disposition == .fail || AIServiceError(code, "").disposition == .needsUser
                ? 1 : 2
            #expect(first.record.calls.count == tries)
            let attempts = try await manager.attempts(for: request.id)
            #expect(attempts.map(\.provider) == Array(repeating: "first", count: tries) + ["second", "third"])
        }
    }

    @Test("If the provider's pause exceeds the deadline the next provider is called at once")
    func noTimeToWait() async throws {
        let busy = AIServiceError(.rateLimited, "Later.", disposition: .retry(after: .seconds(120)))
        let first = ScriptedProvider(id: "first") { _ in .failure(busy) }
        let second = ScriptedProvider(id: "second")
        let engine = try Engine([first, second], configuration: Self.quick)
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(
                prompt: "x", deadline: StoreWorkbench.date(60), fallback: [FallbackTarget("second", model: "small")])
            let response = try await manager.execute(request, with: "first")
            #expect(response.providerID == "second" && response.metadata["fallback"] == "first > second")
            #expect(second.record.calls.map(\.request.model) == ["small"])
            let attempts = try await manager.attempts(for: request.id)
            #expect(attempts.map(\.provider) == ["first", "second"])
            #expect(attempts.map(\.error?.code) == [.rateLimited, nil])
            #expect(engine.clock.now.offset == .zero, "nobody waited")
        }
    }

    @Test("An invalid request does not fall back, and the last failure of the chain is the outcome")
    func ends() async throws {
        let first = ScriptedProvider(id: "first") { call in
            .failure(AIServiceError(call.request.model == "large" ? .invalidRequest : .quotaExceeded, "No."))
        }
        let second = Self.failing("second", with: .unauthorized)
        let engine = try Engine([first, second], configuration: Self.quick)
        let manager = engine.manager
        try await engine.run {
            #expect(
                await code { _ = try await manager.execute(Self.request([FallbackTarget("second")]), with: "first") }
                    == .invalidRequest)
            #expect(second.record.calls.isEmpty)
            let other = AIRequest(prompt: "x", fallback: [FallbackTarget("second")])
            #expect(await code { _ = try await manager.execute(other, with: "first") } == .unauthorized)
        }
    }

    @Test("A call over one provider's budget falls back to a provider outside of it")
    func overBudget() async throws {
        var configuration = Self.quick
        configuration.budgets = [Budget("b", microDollars: 0, scope: .provider("dear"), unknownCosts: .refuse)]
        let dear = ScriptedProvider(id: "dear")
        let engine = try Engine([dear, ScriptedProvider(id: "local")], configuration: configuration)
        let manager = engine.manager
        try await engine.run {
            let response = try await manager.execute(Self.request([FallbackTarget("local")]), with: "dear")
            #expect(response.providerID == "local" && dear.record.calls.isEmpty)
        }
    }

    @Test("A fallback chain continues after a restart")
    func survives() async throws {
        let store = InMemoryStore()
        let gate = Gate()
        let request = Self.request([FallbackTarget("second")])
        let first = try Engine(
            [Self.failing("first", with: .quotaExceeded), gated(gate, id: "second")], store: store,
            configuration: EngineConfiguration(shutdownGrace: .zero))
        try await first.run {
            try await first.manager.submit(request, to: "first")
            await gate.arrivals(reach: 1)
        }
        let asked = ScriptedProvider(id: "first")
        let second = try Engine([asked, ScriptedProvider(id: "second")], store: store, configuration: Self.quick)
        try await second.run {
            let response = try await second.manager.execute(requestID: request.id)
            #expect(response.providerID == "second" && response.metadata["fallback"] == "first > second")
        }
        #expect(asked.record.calls.isEmpty)
    }

    @Test("A regenerated request starts its chain again with its own model")
    func regenerated() async throws {
        let first = failingOnce("first")
        let engine = try Engine([first, ScriptedProvider(id: "second")], configuration: Self.quick)
        let manager = engine.manager
        try await engine.run {
            let request = Self.request([FallbackTarget("second", model: "small")])
            #expect(try await manager.execute(request, with: "first").providerID == "second")
            let again = try await manager.regenerate(request.id)
            #expect(try await manager.execute(requestID: again).providerID == "first")
            #expect(first.record.calls.map(\.request.model) == ["large", "large"])
        }
    }

    private func failingOnce(_ id: ProviderID) -> ScriptedProvider {
        let isFirst = Locked(true)
        return ScriptedProvider(id: id) { _ in
            let fails = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return fails ? .failure(AIServiceError(.quotaExceeded, "No.")) : .success(ProviderAnswer(.text(Body("x"))))
        }
    }

    @Test("A chain with an unknown or repeated provider, another content type or too many hops is refused")
    func badChains() async throws {
        let engine = try Engine([
            ScriptedProvider(id: "first"), ScriptedProvider(id: "image", responseType: .image),
            ScriptedProvider(id: "second"),
        ])
        func refusal(_ fallback: [FallbackTarget]) async -> AIServiceError.Code? {
            await code { try await engine.manager.submit(Self.request(fallback), to: "first") }
        }
        #expect(await refusal([FallbackTarget("nobody")]) == .providerNotFound)
        #expect(await refusal([FallbackTarget("first")]) == .invalidRequest)
        #expect(await refusal([FallbackTarget("second"), FallbackTarget("second")]) == .invalidRequest)
        #expect(await refusal([FallbackTarget("image")]) == .invalidRequest)
        #expect(await refusal((0..<9).map { FallbackTarget(ProviderID(rawValue: "p\($0)")) }) == .invalidRequest)
    }

    @Test("Only failures that another provider can help with lead to the next hop")
    func chain() {
        let chain = [FallbackTarget("b"), FallbackTarget("c")]
        func next(_ code: AIServiceError.Code, at provider: ProviderID) -> ProviderID? {
            FallbackChain.next(after: AIServiceError(code, ""), at: provider, of: chain)?.provider
        }
        #expect(next(.quotaExceeded, at: "a") == "b")
        #expect(next(.quotaExceeded, at: "b") == "c")
        #expect(next(.quotaExceeded, at: "c") == nil)
        for code in [AIServiceError.Code.invalidRequest, .cancelled, .deadlineExceeded, .suspended, .storageFull] {
            #expect(next(code, at: "a") == nil)
        }
        #expect(FallbackChain.next(after: AIServiceError(.timeout, ""), at: "a", of: []) == nil)
    }

    @Test("A request that joins an expired flight at a fallback provider runs at that provider")
    func joinsWhereItWasLed() async throws {
        let gate = Gate()
        let first = ScriptedProvider(id: "first") { _ in
            do {
                try await gate.pass()
            } catch {
                return .failure(AIServiceError(.cancelled, "The test was stopped."))
            }
            return .failure(AIServiceError(.quotaExceeded, "There is no money left."))
        }
        let second = ScriptedProvider(id: "second")
        let engine = try Engine([first, second])
        let manager = engine.manager
        let late = AIRequest(
            prompt: "led on", deadline: engine.dates.now.addingTimeInterval(60), fallback: [FallbackTarget("second")])
        try await engine.run {
            try await manager.submit(late, to: "first")
            await gate.arrivals(reach: 1)
            // The date passes the deadline before the clock wakes the sweep of expired requests.
            engine.dates.advance(by: 100)
            gate.open()
            try await engine.expectSoon { try await manager.attempts(for: late.id).first?.outcome == .failed }
            let twin = AIRequest(prompt: "led on", fallback: [FallbackTarget("second")])
            try await manager.submit(twin, to: "first")
            try await engine.expectSoon { try await manager.status(for: twin.id).phase == .completed }
            #expect(first.record.calls.count == 1)
        }
    }
}
