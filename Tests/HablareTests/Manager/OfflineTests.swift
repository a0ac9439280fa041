import Foundation
import HablareSupport
import HablareTestKit
import Testing

@testable import Hablare

@Suite(.timeLimit(.minutes(5)))
struct OfflineTests {
    private static let connectionFailed = AIServiceError(.connectionFailed, "No route.")
    private static let connectionLost = AIServiceError(.connectionLost, "Cut off.")

    /// Returns a provider that waits at a gate and then fails.
    private func failing(_ gate: Gate, with error: AIServiceError, isCancellable: Bool = true) -> ScriptedProvider {
        ScriptedProvider { call in
            guard call.attempt == 1 else {
                return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
            }
            do { try await gate.pass() } catch {}
            return .failure(error)
        }
    }

    @Test("Offline, only providers that need the network are suspended, and requests show why they wait")
    func lanes() async throws {
        let far = ScriptedProvider(id: "far")
        let near = ScriptedProvider(id: "near", needsNetwork: false)
        let engine = try Engine([far, near])
        let manager = engine.manager
        let request = AIRequest(prompt: "far")
        try await engine.run {
            await manager.suspend(for: .offline)
            try await manager.submit(request, to: "far")
            let statuses = try await manager.statusUpdates(for: request.id)
            #expect(try await text(manager.execute(AIRequest(prompt: "near"), with: "near")) == "near")
            #expect(try await manager.snapshot(for: request.id).waiting == .offline)
            #expect(far.record.calls.isEmpty)
            #expect(try engine.store.owners().count == 1)
            manager.resume(from: .offline)
            #expect(try await collect(statuses).last?.phase == .completed)
        }
    }

    @Test(
        "A network failure while offline is no try, does not open the breaker, and is retried online",
        arguments: [connectionFailed, connectionLost])
    func networkFailures(error: AIServiceError) async throws {
        let gate = Gate()
        let engine = try Engine(
            [failing(gate, with: error)],
            configuration: EngineConfiguration(
                attemptTimeout: .seconds(1_000_000_000), retry: .never, breaker: BreakerPolicy(threshold: 1)))
        let manager = engine.manager
        let request = AIRequest(prompt: "network")
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            async let rested: Void = manager.suspend(for: .offline, grace: .seconds(10))
            try await waitUntil { !manager.suspensions.isEmpty }
            gate.open()
            await rested
            #expect(try await manager.snapshot(for: request.id).waiting == .offline)
            manager.resume(from: .offline)
            _ = try await manager.execute(requestID: request.id)
            let attempts = try await manager.attempts(for: request.id)
            #expect(attempts.map(\.outcome) == [.interrupted, .completed])
            #expect(attempts.first?.billing == (error.code == .connectionLost ? .maybeBilled : .neverSent))
        }
    }

    @Test("A refusal by the provider while offline is the outcome")
    func otherFailures() async throws {
        let gate = Gate()
        let refusal = AIServiceError(.unauthorized, "No.")
        let engine = try Engine([failing(gate, with: refusal)])
        let manager = engine.manager
        let request = AIRequest(prompt: "refused")
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            async let rested: Void = manager.suspend(for: .offline, grace: .seconds(10))
            try await waitUntil { !manager.suspensions.isEmpty }
            gate.open()
            await rested
            #expect(try await manager.outcome(of: request.id) == .failed(refusal))
        }
    }

    @Test(
        "While offline a request with the hold policy is held, unless nothing was sent",
        arguments: [connectionFailed, connectionLost])
    func held(error: AIServiceError) async throws {
        let gate = Gate()
        let engine = try Engine([failing(gate, with: error)])
        let manager = engine.manager
        let request = AIRequest(prompt: "held", unknownOutcome: .hold)
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            async let rested: Void = manager.suspend(for: .offline, grace: .seconds(10))
            try await waitUntil { !manager.suspensions.isEmpty }
            gate.open()
            await rested
            let waiting = try await manager.snapshot(for: request.id).waiting
            #expect(waiting == (error.code == .connectionLost ? .held : .offline))
        }
    }

    @Test("Offline, a call past the grace or its timeout is stopped and does not count as a try")
    func silence() async throws {
        for timeout in [Duration.seconds(5), .seconds(1_000_000)] {
            let gate = Gate()
            let provider = gated(gate)
            let engine = try Engine([provider], configuration: EngineConfiguration(retry: .never))
            let manager = engine.manager
            let request = AIRequest(prompt: "silent", attemptTimeout: timeout)
            try await engine.run {
                try await manager.submit(request, to: "scripted")
                await gate.arrivals(reach: 1)
                let isOver = Locked(false)
                async let rested: Void = {
                    await manager.suspend(for: .offline, grace: .seconds(10))
                    isOver.withLock { $0 = true }
                }()
                try await waitUntil { !manager.suspensions.isEmpty }
                try await engine.advance { isOver.withLock { $0 } }
                await rested
                #expect(provider.record.running == 0)
                #expect(try await manager.snapshot(for: request.id).holder == nil)
                #expect(try await manager.attempts(for: request.id).map(\.outcome) == [.interrupted])
                gate.open()
                manager.resume(from: .offline)
                _ = try await manager.execute(requestID: request.id)
            }
        }
    }

    @Test("A provider that ignores cancellation keeps no lease")
    func deaf() async throws {
        let latch = Latch()
        let provider = ScriptedProvider { _ in
            await latch.wait()
            return .failure(Self.connectionLost)
        }
        let engine = try Engine(
            [provider], configuration: EngineConfiguration(attemptTimeout: .seconds(1_000_000_000), retry: .never))
        let manager = engine.manager
        let request = AIRequest(prompt: "deaf and offline")
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            try await waitUntil { provider.record.running >= 1 }
            let isOver = Locked(false)
            async let rested: Void = {
                await manager.suspend(for: .offline, grace: .zero)
                isOver.withLock { $0 = true }
            }()
            try await engine.advance { isOver.withLock { $0 } }
            await rested
            #expect(try engine.store.snapshot(of: request.id)?.phase == .pending)
            #expect(try engine.store.snapshot(of: request.id)?.holder == nil)
            latch.open()
        }
    }

    @Test("A stopped call is repeated at once if the network returns before its provider")
    func deafWhenResumed() async throws {
        let latch = Latch()
        let provider = ScriptedProvider { call in
            if call.attempt == 1 { await latch.wait() }
            return .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "deaf")
            try await manager.submit(request, to: "scripted")
            try await engine.expectSoon { !provider.record.calls.isEmpty }
            async let rested: Void = manager.suspend(for: .offline, grace: .zero)
            defer { latch.open() }
            try await waitUntil { !manager.suspensions.isEmpty }
            for _ in 0..<50 { try await pause() }
            manager.resume(from: .offline)
            // The attempt is abandoned after the cancellation grace, and no other process looks for it.
            try await engine.pass { try await manager.snapshot(for: request.id).phase == .completed }
            await rested
        }
    }

    @Test("Leases that could not be released are released when the store is writable again")
    func storeFails() async throws {
        let gate = Gate()
        let store = ProcessStore()
        let engine = try Engine([gated(gate, concurrency: 1)], store: store)
        let manager = engine.manager
        let requests = [AIRequest(prompt: "under way"), AIRequest(prompt: "queued")]
        try await engine.run {
            try await engine.warmUp()
            for request in requests { try await manager.submit(request, to: "scripted") }
            await gate.arrivals(reach: 1)
            try await engine.expectSoon { try await manager.snapshot(for: requests[1].id).holder != nil }
            store.fail()
            await manager.suspend(for: .offline, grace: .zero)
            #expect(try engine.store.snapshot(of: requests[1].id)?.holder != nil)
            store.recover()
            try await engine.advance {
                try requests.allSatisfy { try engine.store.snapshot(of: $0.id)?.holder == nil }
            }
            gate.open()
            manager.resume(from: .offline)
            for request in requests { _ = try await manager.execute(requestID: request.id) }
        }
    }

    @Test("Leases of a claim that ends after the suspension began are released before suspend returns")
    func claimUnderWay() async throws {
        let (claim, commit) = (ProcessStore.Hold(), ProcessStore.Hold())
        let store = ProcessStore()
        let engine = try Engine(store: store)
        let manager = engine.manager
        let request = AIRequest(prompt: "claimed late")
        try await manager.submit(request, to: "scripted")
        store.holdNextClaim(claim)
        try await engine.run {
            try await waitUntil { claim.isReached }
            #expect(try engine.store.snapshot(of: request.id)?.holder != nil)
            store.holdNextCommit(commit)
            let isOver = Locked(false)
            async let rested: Void = {
                await manager.suspend(for: .offline, grace: .zero)
                isOver.withLock { $0 = true }
            }()
            try await waitUntil { !manager.suspensions.isEmpty }
            for _ in 0..<50 { try await pause() }
            claim.letGo()
            try await waitUntil { commit.isReached }
            for _ in 0..<50 { try await pause() }
            #expect(!isOver.withLock { $0 })
            commit.letGo()
            await rested
            #expect(try engine.store.snapshot(of: request.id)?.holder == nil)
        }
    }

    @Test(
        "suspend does not wait for claims of other providers, nor after its reason has ended")
    func claimOfOthers() async throws {
        for needsNetwork in [false, true] {
            let claim = ProcessStore.Hold()
            let store = ProcessStore()
            let engine = try Engine([ScriptedProvider(needsNetwork: needsNetwork)], store: store)
            let manager = engine.manager
            let request = AIRequest(prompt: "claimed by others")
            try await manager.submit(request, to: "scripted")
            store.holdNextClaim(claim)
            try await engine.run {
                try await waitUntil { claim.isReached }
                async let rested: Void = manager.suspend(for: .offline, grace: .zero)
                if needsNetwork {
                    try await waitUntil { !manager.suspensions.isEmpty }
                    manager.resume(from: .offline)
                }
                await rested
                claim.letGo()
                _ = try await manager.execute(requestID: request.id)
            }
        }
    }

    @Test("Resuming while suspend waits lets the call continue")
    func resumed() async throws {
        let gate = Gate()
        let provider = gated(gate)
        let engine = try Engine([provider])
        let manager = engine.manager
        let request = AIRequest(prompt: "back soon")
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            async let rested: Void = manager.suspend(for: .offline, grace: .seconds(10))
            try await waitUntil { !manager.suspensions.isEmpty }
            manager.resume(from: .offline)
            await rested
            gate.open()
            _ = try await manager.execute(requestID: request.id)
            #expect(provider.record.calls.count == 1 && provider.record.cancellations == 0)
        }
    }

    @Test(
        "Of two suspension reasons each ends separately, and offline holds back only network providers"
    )
    func bothReasons() async throws {
        for first in SuspensionReason.allCases {
            let (far, near) = (ScriptedProvider(id: "far"), ScriptedProvider(id: "near", needsNetwork: false))
            let engine = try Engine([far, near])
            let manager = engine.manager
            let (distant, local) = (AIRequest(prompt: "distant"), AIRequest(prompt: "local"))
            try await engine.run {
                await manager.suspend(for: first)
                await manager.suspend(for: first == .offline ? .background : .offline)
                try await manager.submit(distant, to: "far")
                try await manager.submit(local, to: "near")
                #expect(try await manager.snapshot(for: distant.id).waiting == .suspended)
                manager.resume(from: .background)
                #expect(try await text(manager.execute(requestID: local.id)) == "local")
                #expect(try await manager.snapshot(for: distant.id).waiting == .offline)
                #expect(far.record.calls.isEmpty && manager.suspensions == [.offline])
                manager.resume(from: .offline)
                #expect(try await text(manager.execute(requestID: distant.id)) == "distant")
            }
        }
    }

    @Test("A deadline while offline is met exactly")
    func deadline() async throws {
        let engine = try Engine([ScriptedProvider()])
        let manager = engine.manager
        try await engine.run {
            await manager.suspend(for: .offline)
            let request = AIRequest(prompt: "in time", deadline: engine.dates.now.addingTimeInterval(62))
            try await manager.submit(request, to: "scripted")
            try await engine.pass(62)
            // No more time passes, so no renewal can end it.
            try await engine.reach(.failed, request.id)
            #expect(try engine.store.snapshot(of: request.id)?.error?.code == .deadlineExceeded)
        }
    }

    @Test("A backoff continues while offline and is not shortened by the network's return")
    func backOff() async throws {
        let provider = ScriptedProvider { call in
            call.attempt == 1
                ? .failure(AIServiceError(.overloaded, "Later.", disposition: .retry(after: .seconds(30))))
                : .success(ProviderAnswer(.text("done")))
        }
        let engine = try Engine([provider], configuration: EngineConfiguration(breaker: .never))
        let manager = engine.manager
        let request = AIRequest(prompt: "backs off")
        try await engine.run {
            try await manager.submit(request, to: "scripted")
            try await waitUntil { try await !manager.attempts(for: request.id).isEmpty }
            await manager.suspend(for: .offline)
            guard case .backingOff = try await manager.snapshot(for: request.id).waiting else {
                return #expect(Bool(false))
            }
            manager.resume(from: .offline)
            try await engine.pass(10)
            #expect(provider.record.calls.count == 1)
            await manager.suspend(for: .offline)
            try await engine.pass(60)
            #expect(provider.record.calls.count == 1)
            #expect(try await manager.snapshot(for: request.id).waiting == .offline)
            manager.resume(from: .offline)
            _ = try await manager.execute(requestID: request.id)
        }
    }
}
