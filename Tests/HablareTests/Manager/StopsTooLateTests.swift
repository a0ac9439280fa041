import Dispatch
import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

/// A provider has returned and its chunks are still being journalled, so a stop comes too late.
@Suite(.timeLimit(.minutes(5)))
struct StopsTooLateTests {
    private let store = ProcessStore()
    private let request = AIRequest(prompt: "p", streaming: StreamingPolicy(allowsRestart: true))

    /// Blocks the commit of the first chunk from now on, until it is signalled.
    private func holdChunk() -> DispatchSemaphore {
        let release = DispatchSemaphore(value: 0)
        let isFirst = Locked(true)
        store.fail { write in
            guard case .append = write,
                isFirst.withLock({ first in
                    defer { first = false }
                    return first
                })
            else { return false }
            release.wait()
            return false
        }
        return release
    }

    private func isBack(_ engine: Engine) async throws {
        let isReturned: (EngineCore.Attempt) -> Bool = { if case .returned = $0.lifecycle { true } else { false } }
        while !engine.manager.engine.read({ $0.attempts.values.contains(where: isReturned) }) {
            try await pause()
        }
    }

    /// Waits until the engine was woken for all timers that are due.
    private func timersFired(_ engine: Engine) async throws {
        let inner = engine.manager.engine
        let now = inner.clock.now
        while inner.change({ state in state.timer.map { $0.fires <= now } ?? false }) {
            try await pause()
        }
    }

    @Test("A timeout during journalling does not replace a final failure")
    func timeout() async throws {
        let refusal = AIServiceError(.providerFailed, "That key is no good.", disposition: .needsUser)
        let provider = words(["a"], then: refusal)
        let configuration = EngineConfiguration(attemptTimeout: .seconds(10))
        let engine = try Engine([provider], store: store, configuration: configuration)
        let manager = engine.manager
        let release = holdChunk()
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            try await isBack(engine)
            engine.clock.advance(by: .seconds(99))
            try await timersFired(engine)
            release.signal()
            #expect(try await engine.soon { try await manager.outcome(of: request.id) } == .failed(refusal))
        }
        #expect(provider.record.calls.count == 1)
    }

    @Test("A success journalled after another call's failure does not close the breaker")
    func success() async throws {
        let gate = Gate()
        let provider = ScriptedProvider { call in
            do {
                if call.request.streaming != nil { try await call.yield("a") }
                if call.request.prompt == "fails" { try await gate.pass() }
            } catch {
                return .failure(AIServiceError(.connectionLost, "Cut off."))
            }
            return call.request.prompt == "fails"
                ? .failure(StoreWorkbench.overloaded)
                : .success(call.request.streaming == nil ? ProviderAnswer(.text("b")) : ProviderAnswer(streamed: .text))
        }
        let configuration = EngineConfiguration(
            retry: .never, breaker: BreakerPolicy(threshold: 1, pause: .seconds(60)))
        let engine = try Engine([provider], store: store, configuration: configuration)
        let manager = engine.manager
        let failing = AIRequest(prompt: "fails")
        let later = AIRequest(prompt: "later")
        try await engine.run {
            try await manager.submit(failing, to: "scripted")
            await gate.arrivals(reach: 1)
            let release = holdChunk()
            try await manager.submit(request, to: "scripted")
            try await isBack(engine)
            gate.open()
            try await waitUntil { provider.record.running <= 0 }
            try await waitUntil { manager.engine.read(\.underWay).count <= 1 }
            release.signal()
            #expect(try await manager.outcome(of: request.id).phase == .completed)
            #expect(try await manager.outcome(of: failing.id).phase == .failed)
            try await manager.submit(later, to: "scripted")
            for _ in 0..<100 { try await pause() }
            #expect(provider.record.calls.count == 2)
        }
    }

    @Test("A failure's rate limit counts even if its request is cancelled during journalling")
    func cancellation() async throws {
        let refusal = AIServiceError(.rateLimited, "Slower.", disposition: .retry(after: .seconds(60)))
        let engine = try Engine([words(["a"], then: refusal)], store: store)
        let manager = engine.manager
        let release = holdChunk()
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            try await isBack(engine)
            let attempt = try #require(manager.engine.read(\.underWay).first)
            manager.engine.apply { $0.stop(attempt, because: .cancelled) }
            release.signal()
            #expect(try await engine.soon { try await manager.outcome(of: request.id) } == .failed(refusal))
            try await waitUntil { store.shared.accounts().first?.budget.pausedUntil != nil }
            #expect(store.shared.accounts().map(\.budget.pausedUntil) == [StoreWorkbench.date(60)])
        }
    }
}
