import Foundation
import Hablare
import HablareStores
import HablareTestKit
import Testing

/// What becomes of a request whose attempt failed, without anybody's word.
@Suite(.timeLimit(.minutes(5)))
struct AutomaticRetryTests {
    private static let overloaded = AIServiceError(.overloaded, "Overloaded.")

    private func configuration(_ retry: RetryPolicy = RetryPolicy()) -> EngineConfiguration {
        EngineConfiguration(attemptTimeout: .seconds(1_000_000), retry: retry)
    }

    @Test("A failure that may pass is tried again after its back-off, and not before")
    func backsOff() async throws {
        let provider = failing(1, with: Self.overloaded)
        let engine = try Engine([provider], configuration: configuration())
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x")
            try await manager.submit(request, to: "scripted")
            try await engine.reach(.pending, request.id)
            try await waitUntil { try await !manager.attempts(for: request.id).isEmpty }
            let snapshot = try await manager.snapshot(for: request.id)
            #expect(snapshot.waiting == .backingOff(until: StoreWorkbench.date(1)))
            try await engine.pass(0.9)
            #expect(provider.record.calls.count == 1)
            try await engine.pass(0.2)
            #expect(try await text(manager.execute(requestID: request.id)) == "x")
            #expect(provider.record.calls.map(\.attempt) == [1, 2])
            #expect(try await manager.attempts(for: request.id).map(\.outcome) == [.failed, .completed])
        }
    }

    @Test("After the last attempt nobody waits: the failure is the outcome, and the attempts are the policy's")
    func attemptsAreBounded() async throws {
        let provider = failing(100, with: Self.overloaded)
        let engine = try Engine([provider], configuration: configuration())
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x")
            try await manager.submit(request, to: "scripted")
            try await engine.pass { provider.record.calls.count == 3 }
            #expect(await code { _ = try await manager.execute(requestID: request.id) } == .overloaded)
            let own = AIRequest(prompt: "y", maximumAttempts: 1)
            #expect(await code { _ = try await manager.execute(own, with: "scripted") } == .overloaded)
            #expect(provider.record.calls.count == 4)
        }
    }

    @Test(
        "What trying again cannot help is not tried again",
        arguments: [
            AIServiceError.Code.quotaExceeded, .unauthorized, .invalidRequest, .providerFailed, .programMissing,
        ])
    func notRetried(code expected: AIServiceError.Code) async throws {
        let provider = failing(100, with: AIServiceError(expected, "No."))
        let engine = try Engine([provider], configuration: configuration())
        let manager = engine.manager
        try await engine.run {
            #expect(
                await code { _ = try await manager.execute(AIRequest(prompt: "x"), with: "scripted") } == expected)
            #expect(provider.record.calls.count == 1)
        }
    }

    @Test("The provider's Retry-After is a minimum, and everybody waits for it")
    func retryAfter() async throws {
        let provider = failing(
            1, with: AIServiceError(.rateLimited, "Slower.", disposition: .retry(after: .seconds(20))))
        let engine = try Engine([provider], configuration: configuration(), jitter: 0)
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x")
            try await manager.submit(request, to: "scripted")
            try await waitUntil { try await !manager.attempts(for: request.id).isEmpty }
            let other = AIRequest(prompt: "y")
            try await manager.submit(other, to: "scripted")
            try await engine.pass(19.5)
            #expect(provider.record.calls.count == 1, "also the other request waits")
            #expect(try await manager.snapshot(for: other.id).waiting == .rateLimited(until: StoreWorkbench.date(20)))
            try await engine.pass(1)
            _ = try await manager.execute(requestID: request.id)
            _ = try await manager.execute(requestID: other.id)
        }
    }

    @Test("A Retry-After that is longer than the policy waits fails at once")
    func absurdRetryAfter() async throws {
        let provider = failing(
            1, with: AIServiceError(.rateLimited, "Slower.", disposition: .retry(after: .seconds(Int64.max))))
        let engine = try Engine([provider], configuration: configuration())
        let manager = engine.manager
        try await engine.run {
            #expect(
                await code { _ = try await manager.execute(AIRequest(prompt: "x"), with: "scripted") } == .rateLimited)
        }
    }

    @Test("A retry that waits survives the engine: the next one makes it, with its attempts counted on")
    func survives() async throws {
        let store = InMemoryStore()
        let first = try Engine([failing(1, with: Self.overloaded)], store: store, configuration: configuration())
        let request = AIRequest(prompt: "x")
        try await first.run {
            try await first.manager.submit(request, to: "scripted")
            try await waitUntil { try await !first.manager.attempts(for: request.id).isEmpty }
        }
        let provider = failing(100, with: Self.overloaded)
        let second = try Engine([provider], store: store, configuration: configuration())
        try await second.run {
            #expect(try await second.manager.snapshot(for: request.id).phase == .pending)
            try await second.pass { provider.record.calls.count == 2 }
            #expect(await code { _ = try await second.manager.execute(requestID: request.id) } == .overloaded)
            #expect(provider.record.calls.map(\.attempt) == [2, 3])
        }
    }

    @Test("Cancelled while it backs off, a request is not tried again")
    func cancelled() async throws {
        let provider = failing(1, with: Self.overloaded)
        let engine = try Engine([provider], configuration: configuration())
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x")
            try await manager.submit(request, to: "scripted")
            try await waitUntil { try await !manager.attempts(for: request.id).isEmpty }
            #expect(try await manager.cancelRequest(request.id) == .cancelled)
            try await engine.pass(10)
            #expect(provider.record.calls.count == 1)
            #expect(try await manager.snapshot(for: request.id).phase == .cancelled)
        }
    }

    @Test("Whoever retries a request that backs off has it tried now")
    func retriedNow() async throws {
        let provider = failing(1, with: Self.overloaded)
        let engine = try Engine([provider], configuration: configuration())
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x")
            try await manager.submit(request, to: "scripted")
            try await waitUntil { try await !manager.attempts(for: request.id).isEmpty }
            try await manager.retry(request.id)
            #expect(try await text(manager.execute(requestID: request.id)) == "x")
        }
    }

    @Test("With an unknown outcome a request is tried again, or held until somebody's word, as it says")
    func unknownOutcome() async throws {
        let provider = failing(2, with: AIServiceError(.connectionLost, "The line is dead."))
        let engine = try Engine([provider], configuration: configuration())
        let manager = engine.manager
        try await engine.run {
            let held = AIRequest(prompt: "x", unknownOutcome: .hold)
            try await manager.submit(held, to: "scripted")
            try await waitUntil { try await manager.snapshot(for: held.id).waiting == .held }
            let again = AIRequest(prompt: "y")
            try await manager.submit(again, to: "scripted")
            try await engine.pass { provider.record.calls.count == 3 }
            #expect(try await text(manager.execute(requestID: again.id)) == "y")
            #expect(try await manager.snapshots(SnapshotFilter(isHeld: true)).map(\.id) == [held.id])
            try await engine.pass(100)
            #expect(try await manager.snapshot(for: held.id).waiting == .held)
            #expect(try await manager.attempts(for: held.id).map(\.billing) == [.maybeBilled])
            try await manager.retry(held.id)
            #expect(try await text(manager.execute(requestID: held.id)) == "x")
        }
    }

    @Test("Stopped by a shutdown, a request that says so is held, and another one runs again")
    func shutDown() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate)], configuration: EngineConfiguration(shutdownGrace: .zero))
        let manager = engine.manager
        let held = AIRequest(prompt: "x", unknownOutcome: .hold)
        let again = AIRequest(prompt: "y")
        try await engine.run {
            try await manager.submit(held, to: "scripted")
            try await manager.submit(again, to: "scripted")
            await gate.arrivals(reach: 2)
        }
        #expect(try await manager.snapshot(for: held.id).waiting == .held)
        #expect(try await manager.attempts(for: held.id).map(\.billing) == [.maybeBilled])
        #expect(try await manager.snapshot(for: again.id).waiting == .unclaimed(ahead: 0))
    }

    @Test("A provider that fails again and again is left alone; the reason says until when")
    func breaker() async throws {
        let provider = failing(2, with: Self.overloaded)
        let engine = try Engine(
            [provider],
            configuration: EngineConfiguration(
                attemptTimeout: .seconds(1_000_000), retry: .never, breaker: BreakerPolicy(threshold: 2)))
        let manager = engine.manager
        try await engine.run {
            for prompt in ["a", "b"] {
                #expect(
                    await code { _ = try await manager.execute(AIRequest(prompt: .text(prompt)), with: "scripted") }
                        == .overloaded)
            }
            let third = AIRequest(prompt: "c")
            try await manager.submit(third, to: "scripted")
            var waiting = try await manager.snapshot(for: third.id).waiting
            while waiting != .providerFailing(until: StoreWorkbench.date(5)) {
                try await pause()
                waiting = try await manager.snapshot(for: third.id).waiting
            }
            #expect(provider.record.calls.count == 2)
            try await engine.pass(5)
            #expect(try await text(manager.execute(requestID: third.id)) == "c")
        }
    }
}
