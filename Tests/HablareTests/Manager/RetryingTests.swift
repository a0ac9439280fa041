import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

@Suite(.timeLimit(.minutes(5)))
struct RetryingTests {
    @Test("A retry is a recorded new attempt under the same UUID, after a failure or a cancellation")
    func retries() async throws {
        let gate = Gate()
        let first = Locked(true)
        let provider = ScriptedProvider { call in
            if first.withLock({ first in
                defer { first = false }; return first
            }) {
                return .failure(StoreWorkbench.failure)
            }
            do { try await gate.pass() } catch { return .failure(StoreWorkbench.failure) }
            return .success(ProviderAnswer(.text(Body("attempt \(call.attempt)"))))
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x")
            #expect(await code { _ = try await manager.execute(request, with: "scripted") } == .providerFailed)
            try await manager.retry(request.id)
            await gate.arrivals(reach: 1)
            try await manager.cancelRequest(request.id)
            try await manager.retry(request.id)
            await gate.arrivals(reach: 2)
            gate.open()
            #expect(try await text(manager.execute(requestID: request.id)) == "attempt 3")
            let attempts = try await manager.attempts(for: request.id)
            #expect(attempts.map(\.outcome) == [.failed, .cancelled, .completed])
            #expect(attempts.map(\.attempt) == [1, 2, 3])
            #expect(try await manager.snapshot(for: request.id).attempts == 3)
        }
    }

    @Test("A live or completed request cannot be retried, and the error gives advice")
    func refused() async throws {
        let engine = try Engine()
        let manager = engine.manager
        let waiting = AIRequest(prompt: "x")
        try await manager.submit(waiting, to: "scripted")
        #expect(await code { try await manager.retry(waiting.id) } == .invalidState)
        try await engine.run {
            _ = try await manager.execute(requestID: waiting.id)
            let error = await #expect(throws: AIServiceError.self) { try await manager.retry(waiting.id) }
            #expect(error?.code == .invalidState && error?.message.contains("regenerate") == true)
            #expect(await code { try await manager.retry(UUID.timeOrdered()) } == .unknownRequest)
        }
    }

    @Test("Regenerating creates a new request with the same content that refers to the original, which stays")
    func regenerates() async throws {
        let provider = ScriptedProvider { call in .success(ProviderAnswer(.text(Body(call.request.id.uuidString)))) }
        let engine = try Engine([provider])
        let manager = engine.manager
        let original = AIRequest(
            prompt: "x", parameters: ["a": 1], sample: 2, tenant: "t", priority: .low, metadata: ["k": "v"])
        try await engine.run {
            let first = try await manager.execute(original, with: "scripted")
            let id = try await manager.regenerate(original.id)
            #expect(id != original.id)
            let second = try await manager.execute(requestID: id)
            #expect(try second.content != first.content)
            #expect(try await manager.execute(requestID: original.id) == first)
            #expect(try await manager.snapshot(for: id).supersedes == original.id)
            let copy = try #require(try engine.store.request(of: id)?.request)
            #expect(copy.parameters == original.parameters && copy.sample == 2 && copy.tenant == "t")
            #expect(copy.priority == .low && copy.metadata == ["k": "v"] && copy.prompt == "x")
        }
    }

    @Test("Only a completed request can be regenerated")
    func regenerationRefused() async throws {
        let manager = try Engine().manager
        let waiting = AIRequest(prompt: "x")
        try await manager.submit(waiting, to: "scripted")
        #expect(await code { try await manager.regenerate(waiting.id) } == .invalidState)
        try await manager.cancelRequest(waiting.id)
        #expect(await code { try await manager.regenerate(waiting.id) } == .invalidState)
        #expect(await code { try await manager.regenerate(UUID.timeOrdered()) } == .unknownRequest)
    }

    @Test("A request of an unregistered provider is not regenerated")
    func regenerationWithoutProvider() async throws {
        let store = InMemoryStore()
        let engine = try Engine(store: store)
        let request = AIRequest(prompt: "of a provider that is gone")
        _ = try await engine.run { try await engine.manager.execute(request, with: "scripted") }
        let manager = try Engine([ScriptedProvider(id: "other")], store: store).manager
        #expect(await code { try await manager.regenerate(request.id) } == .providerNotFound)
    }

    @Test("Deleting erases a request in any state, stops it if it runs, and notifies its waiters")
    func deletes() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 1)
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let running = AIRequest(prompt: "running")
            let waiting = AIRequest(prompt: "waiting")
            try await manager.submit(running, to: "scripted")
            try await manager.submit(waiting, to: "scripted")
            await gate.arrivals(reach: 1)
            let statuses = try await manager.statusUpdates(for: running.id)
            async let waited = code { _ = try await manager.execute(requestID: running.id) }
            try await waitUntil { manager.engine.read { $0.watched.watcherCount(of: running.id) } >= 2 }
            try await manager.delete(waiting.id)
            try await manager.delete(running.id)
            #expect(try await collect(statuses).last == .cancelled)
            #expect(await waited == .cancelled)
            for id in [running.id, waiting.id] {
                #expect(await code { _ = try await manager.status(for: id) } == .unknownRequest)
                #expect(await code { try await manager.delete(id) } == .unknownRequest)
            }
            gate.open()
            let again = AIRequest(id: running.id, prompt: "anew")
            #expect(try await text(manager.execute(again, with: "scripted")) == "anew")
        }
        #expect(provider.record.calls.map(\.request.prompt) == ["running", "anew"])
    }

    @Test("Deleting stops a call that another process cancelled without this one noticing")
    func deletesUnnoticed() async throws {
        let gate = Gate()
        let machine = ProcessStore.Machine()
        let other = ProcessStore(machine)
        let provider = gated(gate)
        let engine = try Engine([provider], store: ProcessStore(machine, hearsOthers: false))
        let request = AIRequest(prompt: "to be erased")
        try await engine.run {
            try await engine.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            _ = try other.commit([.cancel(request.id, at: StoreWorkbench.date(1))])
            #expect(provider.record.cancellations == 0)
            try await engine.manager.delete(request.id)
            try await engine.expectSoon { provider.record.cancellations > 0 }
        }
    }
}
