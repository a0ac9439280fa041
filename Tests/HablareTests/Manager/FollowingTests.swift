import Foundation
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

/// The followers of an engine's events.
@Suite(.timeLimit(.minutes(1))) struct FollowingTests {
    private func word(_ event: EngineEvent) -> String {
        switch event {
        case .submitted(_, _, let receipt): receipt.wasPresent ? "submitted before" : "submitted"
        case .rejected: "rejected"
        case .claimed: "claimed"
        case .released: "released"
        case .started(_, _, _, let attempt): "started \(attempt)"
        case .retried: "retried"
        case .settled: "settled"
        case .refused: "refused"
        case .suspended: "suspended"
        case .cancelled: "cancelled"
        case .registered: "registered"
        default: "other"
        }
    }

    private func manager(
        _ provider: ScriptedProvider, suspends: Bool = false, _ follower: @escaping @Sendable (EngineEvent) -> Void
    ) throws -> AIRequestManager {
        AIRequestManager(
            store: InMemoryStore(), providers: try ProviderRegistry([provider]),
            configuration: EngineConfiguration(
                retry: RetryPolicy(baseDelay: .zero), suspendsRefusingAccounts: suspends),
            seams: EngineSeams(follower: follower))
    }

    @Test func `A follower gets every event before the outcome's waiters`() async throws {
        let tries = Locked(0)
        let provider = ScriptedProvider(id: "p", limits: ProviderLimits(breaker: .never)) { _ in
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            if number == 1 { return .failure(AIServiceError(.overloaded, "Busy.", disposition: .retry(after: .zero))) }
            return .success(ProviderAnswer(.text("answer")))
        }
        let received = Locked<[String]>([])
        let manager = try manager(provider) { event in received.withLock { $0.append(word(event)) } }
        try await EngineService.run(manager) {
            let request = AIRequest(prompt: "x")
            let waiter = manager.engine.expectOutcome(of: request.id)
            try await manager.submit(request, to: "p")
            _ = try await waiter.value()
            #expect(
                received.withLock { $0 } == [
                    "registered", "submitted", "started 1", "retried", "claimed", "started 2", "settled",
                ])
            try await manager.submit(request, to: "p")
            await #expect(throws: AIServiceError.self) {
                try await manager.submit(AIRequest(id: request.id, prompt: "other"), to: "p")
            }
            #expect(received.withLock { Array($0.suffix(2)) } == ["submitted before", "rejected"])
        }
    }

    @Test func `No event is lost among many concurrent ones`() async throws {
        let count = 3_000
        let settled = Locked(0)
        let provider = ScriptedProvider(id: "p", limits: ProviderLimits(concurrency: 1_000))
        let manager = try manager(provider) { event in
            if case .settled = event { settled.withLock { $0 += 1 } }
        }
        try await EngineService.run(manager) {
            let ids = try await manager.submit(
                (0..<count).map { AIRequest(prompt: "\($0)") }, to: "p", jobKey: JobKey(rawValue: "job"))
            for id in ids { _ = try await manager.outcome(of: id) }
            await manager.eventsTold()
            #expect(settled.withLock { $0 } == count)
        }
    }

    @Test func `Requests of a refusing account run once it is resumed`() async throws {
        let isRight = Locked(false)
        let provider = ScriptedProvider(id: "p", limits: ProviderLimits(concurrency: 1, breaker: .never)) { _ in
            isRight.withLock { $0 }
                ? .success(ProviderAnswer(.text("answer"))) : .failure(AIServiceError(.unauthorized, "Wrong key."))
        }
        let suspended = Locked<[AccountID]>([])
        let manager = try manager(provider, suspends: true) { event in
            if case .suspended(let account, _) = event { suspended.withLock { $0.append(account) } }
        }
        try await EngineService.run(manager) {
            let first = try await manager.submit(AIRequest(prompt: "1"), to: "p")
            #expect(try await manager.outcome(of: first).phase == .failed)
            await manager.eventsTold()
            #expect(manager.isSuspended("p") && suspended.withLock { $0 } == [provider.account])
            let id = try await manager.submit(AIRequest(prompt: "2"), to: "p")
            #expect(try await manager.status(for: id) == .pending)
            isRight.withLock { $0 = true }
            try await manager.resume(provider.account)
            #expect(try await manager.outcome(of: id).phase == .completed)
            #expect(!manager.isSuspended("p"))
        }
    }
}
