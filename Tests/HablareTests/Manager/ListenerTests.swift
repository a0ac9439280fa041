import Foundation
import Hablare
import HablareTestKit
import Testing

/// Processes that wait, watch and read without executing requests.
@Suite(.timeLimit(.minutes(5)))
struct ListenerTests {
    private let machine = ProcessStore.Machine()

    private static func configuration(_ scope: ClaimScope) -> EngineConfiguration {
        EngineConfiguration(scope: scope, attemptTimeout: .seconds(1_000_000_000), retry: .never, breaker: .never)
    }

    @Test("Without an engine a waiter, a subscriber and a reader receive another process's progress")
    func withoutEngine() async throws {
        let gate = Gate()
        let worker = try Engine(
            [
                ScriptedProvider { call in
                    do {
                        try await call.yield("one ")
                        try await gate.pass()
                        try await call.yield("two")
                    } catch {
                        return .failure(StoreWorkbench.failure)
                    }
                    return .success(ProviderAnswer(streamed: .text))
                }
            ], store: ProcessStore(machine))
        let listener = try Engine(store: ProcessStore(machine))
        let manager = listener.manager
        let id = try await manager.submit(AIRequest(prompt: "x", streaming: StreamingPolicy()), to: "scripted")
        async let outcome = manager.outcome(of: id)
        async let statuses = collect(manager.statusUpdates(for: id))
        async let text = read(manager, id)
        try await worker.run {
            try await listener.expectSoon { try await manager.snapshot(for: id).phase == .executing }
            gate.open()
            _ = try await worker.manager.outcome(of: id)
        }
        #expect(try await outcome.phase == .completed)
        #expect(try await statuses.map(\.phase).last == .completed)
        #expect(try await text == "one two")
    }

    private func read(_ manager: AIRequestManager, _ id: UUID) async throws -> String {
        var text = ""
        for try await element in try await manager.stream(for: id) {
            if case .chunk(let chunk) = element { text += chunk.text }
        }
        return text
    }

    @Test("Without an engine a waiter receives a cancellation by another manager")
    func cancelledElsewhere() async throws {
        let listener = try Engine(store: ProcessStore(machine)).manager
        let other = try Engine(store: ProcessStore(machine)).manager
        let id = try await listener.submit(AIRequest(prompt: "x"), to: "scripted")
        async let outcome = listener.outcome(of: id)
        try await waitUntil { listener.watchedCount == 1 }
        _ = try await other.cancelRequest(id)
        #expect(try await outcome == .cancelled)
    }

    @Test("A process with the scope `nothing` calls no provider, waits for others, and expires requests")
    func nothing() async throws {
        let provider = ScriptedProvider()
        let listener = try Engine(
            [provider], store: ProcessStore(machine), configuration: Self.configuration(.nothing))
        let worker = try Engine(store: ProcessStore(machine))
        let manager = listener.manager
        try await listener.run {
            let ids = [
                try await manager.submit(AIRequest(prompt: "1"), to: "scripted"),
                try await manager.submit([AIRequest(prompt: "2")], to: "scripted", jobKey: JobKey(rawValue: "j"))[0],
            ]
            for _ in 0..<50 { try await pause() }
            for id in ids { #expect(try await manager.snapshot(for: id).waiting?.isUnclaimed == true) }
            let late = AIRequest(prompt: "3", deadline: StoreWorkbench.date(5))
            try await manager.submit(late, to: "scripted")
            listener.dates.advance(by: 6)
            listener.clock.advance(by: .seconds(6))
            #expect(try await listener.soon { try await manager.outcome(of: late.id).phase } == .failed)
            async let outcomes = [manager.outcome(of: ids[0]), manager.outcome(of: ids[1])]
            try await worker.run {
                for id in ids { _ = try await worker.manager.outcome(of: id) }
            }
            #expect(try await outcomes.map(\.phase) == [.completed, .completed])
        }
        #expect(provider.record.calls.isEmpty)
    }
}

extension RequestSnapshot.WaitReason {
    fileprivate var isUnclaimed: Bool { if case .unclaimed = self { true } else { false } }
}
