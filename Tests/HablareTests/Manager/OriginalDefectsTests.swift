import Foundation
import Hablare
import HablareTestKit
import Testing

/// The ten defects of the original (requirements §1.2). Each test has the number of the defect that it rules out.
@Suite(.timeLimit(.minutes(5)))
struct OriginalDefectsTests {
    @Test("1. A failed response is not cached, and the same id can be retried")
    func failureIsNotForEver() async throws {
        let engine = try Engine([failing(1)])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "again")
            #expect(await code { _ = try await manager.execute(request, with: "scripted") } == .providerFailed)
            try await manager.retry(request.id)
            let response = try await manager.execute(requestID: request.id)
            #expect(try await text(response) == "again")
            #expect(try await manager.attempts(for: request.id).map(\.outcome) == [.failed, .completed])
        }
    }

    @Test("2. A cancellation is not reported as a network error, and is not retried")
    func cancellationIsNoError() async throws {
        let gate = Gate()
        let provider = gated(gate)
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "stop me")
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            #expect(try await manager.cancelRequest(request.id) == .cancelled)
            #expect(try await manager.outcome(of: request.id) == .cancelled)
        }
        #expect(provider.record.calls.count == 1)
        #expect(provider.record.cancellations == 1)
        let id = try #require(provider.record.calls.first?.request.id)
        #expect(try await manager.status(for: id) == .cancelled)
        let attempts = try await manager.attempts(for: id)
        #expect(attempts.map(\.outcome) == [.cancelled])
        #expect(attempts.first?.error == nil)
    }

    @Test("3. A request cancelled before it starts is cancelled, not executing")
    func cancelledBeforeStart() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate, concurrency: 1)])
        let manager = engine.manager
        try await engine.run {
            let ids = try await manager.submit(
                (0..<2).map { AIRequest(prompt: .text("\($0)")) }, to: "scripted", jobKey: JobKey(rawValue: "j"))
            await gate.arrivals(reach: 1)
            let statuses = try await manager.statusUpdates(for: ids[1])
            try await manager.cancelRequest(ids[1])
            #expect(try await collect(statuses).last == .cancelled)
            #expect(try await manager.status(for: ids[1]) == .cancelled)
            gate.open()
            _ = try await manager.execute(requestID: ids[0])
        }
    }

    @Test("4. A cancelled pending request does not run")
    func cancelledPendingNeverRuns() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 1)
        let engine = try Engine([provider])
        let manager = engine.manager
        let ids = try await engine.run {
            let ids = try await manager.submit(
                (0..<20).map { AIRequest(prompt: .text("\($0)")) }, to: "scripted", jobKey: JobKey(rawValue: "j"))
            await gate.arrivals(reach: 1)
            for id in ids.dropFirst().dropLast() { #expect(try await manager.cancelRequest(id) == .cancelled) }
            gate.open()
            _ = try await manager.execute(requestID: ids[0])
            _ = try await manager.execute(requestID: ids[19])
            return ids
        }
        #expect(provider.record.calls.map(\.request.id) == [ids[0], ids[19]])
    }

    @Test("5. The status stream of a finished or unknown id ends")
    func streamsEnd() async throws {
        let engine = try Engine([failing(1)])
        let manager = engine.manager
        try await engine.run {
            let failed = AIRequest(prompt: "1")
            let completed = AIRequest(prompt: "2")
            let cancelled = AIRequest(prompt: "3")
            _ = await code { _ = try await manager.execute(failed, with: "scripted") }
            let response = try await manager.execute(completed, with: "scripted")
            #expect(try await collect(manager.statusUpdates(for: failed.id)) == [.failed(StoreWorkbench.failure)])
            #expect(try await collect(manager.statusUpdates(for: completed.id)) == [.completed(response)])
            #expect(await code { _ = try await manager.statusUpdates(for: cancelled.id) } == .unknownRequest)
        }
    }

    @Test("6. Removing one observer ends only that observer")
    func observersAreRemoved() async throws {
        let gate = Gate()
        let engine = try Engine([gated(gate)])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "watched")
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            let kept = try await manager.statusUpdates(for: request.id)
            let removed = try await manager.statusUpdates(for: request.id)
            let count = try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask { try await collect(removed).count { $0.isFinal } }
                group.cancelAll()
                return try await group.next()
            }
            #expect(count == 0, "the removed observer is told nothing more")
            gate.open()
            #expect(try await collect(kept).last?.phase == .completed, "the other one still is")
        }
    }

    @Test("7. Expiry is checked on read")
    func expiryOnRead() async throws {
        let provider = ScriptedProvider()
        let engine = try Engine([provider], configuration: EngineConfiguration(retention: Retention(maximumAge: 100)))
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "old")
            _ = try await manager.execute(request, with: "scripted")
            engine.dates.advance(by: 99)
            #expect(try await manager.response(for: request.id)?.content == .text("old"))
            engine.dates.advance(by: 1)
            #expect(try await manager.response(for: request.id)?.result == .failure(expired))
            #expect(await code { _ = try await manager.execute(requestID: request.id) } == .responseExpired)
            #expect(try await manager.snapshot(for: request.id).phase == .completed)
        }
        #expect(provider.record.calls.count == 1)
    }

    private var expired: AIServiceError {
        AIServiceError(
            .responseExpired,
            """
            The response is no longer kept. Nothing was called or billed for reading it. To make it again, regenerate \
            the request.
            """
        )
    }

    @Test("8. Evicting a response frees its payload, which the status does not hold")
    func evictionFrees() async throws {
        let engine = try Engine()
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "large")
            _ = try await manager.execute(request, with: "scripted")
            try await manager.evict(request.id)
            guard case .completed(let response) = try await manager.status(for: request.id) else {
                Issue.record("It is not completed any more")
                return
            }
            #expect(response.result == .failure(expired))
            let statuses = try await collect(manager.statusUpdates(for: request.id))
            #expect(statuses == [.completed(response)])
            #expect(try engine.store.response(of: request.id)?.result == .failure(expired))
        }
    }

    @Test("9. Executing an evicted id does not call or bill the provider again")
    func evictedIsNotBilledAgain() async throws {
        let provider = ScriptedProvider()
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "once")
            _ = try await manager.execute(request, with: "scripted")
            try await manager.evict(request.id)
            #expect(await code { _ = try await manager.execute(request, with: "scripted") } == .responseExpired)
            #expect(await code { _ = try await manager.execute(requestID: request.id) } == .responseExpired)
            try await manager.submit(request, to: "scripted")
            #expect(provider.record.calls.count == 1)
            let again = try await manager.regenerate(request.id)
            #expect(try await text(manager.execute(requestID: again)) == "once")
        }
        #expect(provider.record.calls.count == 2)
    }

    @Test("10. A batch runs its requests concurrently")
    func batchesRunSideBySide() async throws {
        let gate = Gate()
        let provider = gated(gate, concurrency: 8)
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let ids = try await manager.submit(
                (0..<8).map { AIRequest(prompt: .text("\($0)")) }, to: "scripted", jobKey: JobKey(rawValue: "j"))
            await gate.arrivals(reach: 8)
            gate.open()
            for (number, id) in ids.enumerated() {
                #expect(try await text(manager.execute(requestID: id)) == "\(number)")
            }
        }
        #expect(provider.record.maximumRunning == 8)
    }
}
