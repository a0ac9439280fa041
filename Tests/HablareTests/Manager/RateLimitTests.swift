import Foundation
import Hablare
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

/// An account's rate limit in one process and several.
@Suite(.timeLimit(.minutes(5)))
struct RateLimitTests {
    private func provider(_ limit: RateLimit, units: Double = 0) -> ScriptedProvider {
        ScriptedProvider(limits: ProviderLimits(concurrency: 100, rate: limit))
    }

    @Test("Calls beyond the burst are sent at the limit's rate, and the wait reason shows when")
    func rate() async throws {
        let provider = provider(RateLimit(requestsPerMinute: 60, burst: 0.05))
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let requests = (0..<10).map { AIRequest(prompt: .text("\($0)")) }
            for request in requests { try await manager.submit(request, to: "scripted") }
            try await waitUntil { provider.record.calls.count >= 3 }
            for _ in 0..<50 { try await pause() }
            #expect(provider.record.calls.count == 3, "the burst")
            while try await manager.snapshot(for: requests[9].id).waiting != .rateLimited(until: StoreWorkbench.date(1))
            {
                try await pause()
            }
            for second in 1...4 {
                try await engine.pass(1)
                try await waitUntil { provider.record.calls.count >= 3 + second }
                for _ in 0..<50 { try await pause() }
                #expect(provider.record.calls.count == 3 + second)
            }
            try await engine.pass(4)
            for request in requests { _ = try await manager.execute(requestID: request.id) }
        }
    }

    @Test("Processes that share a store stay below the rate limit together")
    func shared() async throws {
        let machine = ProcessStore.Machine()
        let limit = RateLimit(requestsPerMinute: 120, burst: 0.05)
        let providers = (0..<3).map { _ in provider(limit) }
        let engines = try providers.map { try Engine([$0], store: ProcessStore(machine)) }
        let ids = (0..<30).map { AIRequest(prompt: .text("\($0)")) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            let done = Gate()
            for engine in engines { group.addTask { try await engine.run { try await done.pass() } } }
            for (index, request) in ids.enumerated() {
                try await engines[index % 3].manager.submit(request, to: "scripted")
            }
            func calls() -> Int { providers.reduce(0) { $0 + $1.record.calls.count } }
            try await waitUntil { calls() >= 6 }
            for second in 1...5 {
                for engine in engines {
                    engine.dates.advance(by: 1)
                    engine.clock.advance(by: .seconds(1))
                }
                try await waitUntil { calls() >= 6 + 2 * second }
                for _ in 0..<50 { try await pause() }
                #expect(calls() == 6 + 2 * second)
            }
            done.open()
            try await group.waitForAll()
        }
    }

    @Test("A call costs its units and waits while they are used up")
    func units() async throws {
        let provider = provider(RateLimit(requestsPerMinute: nil, unitsPerMinute: 600))
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            let fifty = Prompt.text(String(repeating: "x", count: 50))
            _ = try await manager.execute(AIRequest(prompt: fifty), with: "scripted")
            let next = AIRequest(prompt: fifty, sample: 1)
            try await manager.submit(next, to: "scripted")
            while try await manager.snapshot(for: next.id).waiting != .rateLimited(until: StoreWorkbench.date(4)) {
                try #require(provider.record.calls.count == 1, "it is sent as if the first call had cost nothing")
                try await pause()
            }
            #expect(provider.record.calls.count == 1)
            try await engine.pass(5)
            _ = try await manager.execute(requestID: next.id)
        }
    }

    @Test("The limits that a provider reports correct the configured one")
    func corrected() async throws {
        let reports = Locked<[ReportedLimits]>([
            ReportedLimits(requests: .init(perMinute: 60, remaining: 0, resetsAfter: .seconds(9)))
        ])
        let provider = ScriptedProvider(
            limits: ProviderLimits(concurrency: 1, rate: RateLimit(requestsPerMinute: 6000))
        ) { call in
            if let report = reports.withLock({ $0.popLast() }) { call.report(limits: report) }
            return .success(ProviderAnswer(.text(Body("x"))))
        }
        let engine = try Engine([provider])
        let manager = engine.manager
        try await engine.run {
            _ = try await manager.execute(AIRequest(prompt: "x"), with: "scripted")
            let next = AIRequest(prompt: "y")
            try await manager.submit(next, to: "scripted")
            while try await manager.snapshot(for: next.id).waiting != .rateLimited(until: StoreWorkbench.date(9)) {
                try await pause()
            }
            try await engine.pass(10)
            _ = try await manager.execute(requestID: next.id)
        }
    }

    /// Returns a provider that refuses its first call with an error and answers others.
    private func refusing(_ error: AIServiceError, rate: RateLimit? = nil) -> ScriptedProvider {
        let isFirst = Locked(true)
        return ScriptedProvider(limits: ProviderLimits(rate: rate)) { call in
            let refuses = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return refuses ? .failure(error) : .success(ProviderAnswer(.text(Body(call.request.prompt.plainText))))
        }
    }

    private static func tooMany(_ wait: Duration) -> AIServiceError {
        AIServiceError(.rateLimited, "Too many calls.", disposition: .retry(after: wait))
    }

    @Test("An overloaded error's Retry-After does not delay other requests")
    func overload() async throws {
        let wait = FailureDisposition.retry(after: .seconds(999_999_999))
        let engine = try Engine([refusing(AIServiceError(.overloaded, "Too busy.", disposition: wait))])
        let manager = engine.manager
        try await engine.run {
            let first = try await manager.submit(AIRequest(prompt: "1"), to: "scripted")
            _ = try await manager.outcome(of: first)
            #expect(try await manager.execute(AIRequest(prompt: "2"), with: "scripted").text() == "2")
        }
    }

    @Test(
        "All processes respect a reported pause, show it, and continue when one of them lifts it",
        arguments: [nil, RateLimit(requestsPerMinute: 6000)])
    func sharedPause(rate: RateLimit?) async throws {
        let machine = ProcessStore.Machine()
        let first = try Engine(
            [refusing(Self.tooMany(.seconds(999_999_999)), rate: rate)], store: ProcessStore(machine))
        let until = StoreWorkbench.date(900)
        try await first.run {
            let refused = try await first.manager.submit(AIRequest(prompt: "refused"), to: "scripted")
            _ = try await first.manager.outcome(of: refused)
            // The second process opens the store after the pause.
            let second = try Engine(
                [ScriptedProvider(limits: ProviderLimits(rate: rate))], store: ProcessStore(machine))
            try await second.run {
                let ids = [
                    try await first.manager.submit(AIRequest(prompt: "1"), to: "scripted"),
                    try await second.manager.submit(AIRequest(prompt: "2"), to: "scripted"),
                ]
                for engine in [first, second] {
                    for id in ids {
                        try await engine.expectSoon {
                            try await engine.manager.snapshot(for: id).waiting == .rateLimited(until: until)
                        }
                    }
                }
                for _ in 0..<50 { try await pause() }
                for id in ids { #expect(try await first.manager.attempts(for: id).isEmpty) }
                try await second.manager.resume("scripted")
                for id in ids { _ = try await first.soon { try await first.manager.execute(requestID: id) } }
            }
        }
    }

    @Test("A pause that is lifted while an engine begins to run is not put back")
    func liftedAtStart() async throws {
        let store = ProcessStore()
        let report = AccountReport(account: "scripted", pausedUntil: StoreWorkbench.date(900))
        _ = try store.commit([.report(report, at: StoreWorkbench.date(0))])
        let engine = try Engine(store: store)
        let manager = engine.manager
        let hold = ProcessStore.Hold()
        store.holdNextAccounts(hold)
        async let end: Void = engine.run {}
        try await waitUntil { hold.isReached }
        let isLifted = Locked(false)
        async let lift: Void = {
            try await manager.resume("scripted")
            isLifted.withLock { $0 = true }
        }()
        // Either it is written at once, or it waits for the reading.
        var looks = 0
        try await waitUntil {
            looks = manager.journal.waiting > 0 ? looks + 1 : 0
            return isLifted.withLock(\.self) || looks > 100
        }
        hold.letGo()
        try await lift
        try await end
        #expect(!manager.isPaused("scripted"))
    }

    @Test("A pause that is lifted elsewhere while no engine runs here is lifted for the next one")
    func liftedAtRest() async throws {
        // Its processes hear nothing of each other.
        let store = InMemoryStore()
        let engine = try Engine([refusing(Self.tooMany(.seconds(60)))], store: store)
        let manager = engine.manager
        try await engine.run {
            let refused = try await manager.submit(AIRequest(prompt: "refused"), to: "scripted")
            _ = try await manager.outcome(of: refused)
            #expect(manager.isPaused("scripted"))
        }
        try await Engine(store: store).manager.resume("scripted")
        #expect(manager.isPaused("scripted"))
        try await engine.run {
            _ = try await engine.soon { try await manager.execute(AIRequest(prompt: "1"), with: "scripted") }
        }
    }

    @Test("A running process receives a pause and its end")
    func heardPause() async throws {
        let machine = ProcessStore.Machine()
        let first = try Engine([refusing(Self.tooMany(.seconds(60)))], store: ProcessStore(machine))
        let second = try Engine(store: ProcessStore(machine))
        try await second.run {
            _ = try await second.manager.execute(AIRequest(prompt: "it runs"), with: "scripted")
            try await first.run {
                let refused = try await first.manager.submit(AIRequest(prompt: "refused"), to: "scripted")
                _ = try await first.manager.outcome(of: refused)
            }
            try await second.expectSoon { second.manager.isPaused("scripted") }
            let id = try await second.manager.submit(AIRequest(prompt: "2"), to: "scripted")
            for _ in 0..<50 { try await pause() }
            #expect(try await second.manager.attempts(for: id).isEmpty)
            try await first.manager.resume("scripted")
            _ = try await second.soon { try await second.manager.execute(requestID: id) }
            #expect(!second.manager.isPaused("scripted"))
        }
    }

    @Test(
        "An invalid rate limit is refused by the provider registry",
        arguments: [
            RateLimit(requestsPerMinute: 0), RateLimit(requestsPerMinute: -1), RateLimit(requestsPerMinute: .nan),
            RateLimit(unitsPerMinute: .infinity), RateLimit(burst: -0.1), RateLimit(burst: 2),
        ])
    func absurd(limit: RateLimit) {
        #expect(throws: AIServiceError.self) { _ = try ProviderRegistry([provider(limit)]) }
    }

    @Test("An invalid engine configuration is refused at the start")
    func absurdConfiguration() async throws {
        for configuration in [
            EngineConfiguration(attemptTimeout: .zero), EngineConfiguration(renewalInterval: .seconds(-1)),
            EngineConfiguration(renewalInterval: .seconds(30)), EngineConfiguration(cancellationGrace: .seconds(-1)),
            EngineConfiguration(longestPause: .seconds(-1)),
            EngineConfiguration(retry: RetryPolicy(maximumAttempts: 0)),
            EngineConfiguration(breaker: BreakerPolicy(threshold: 0)),
        ] {
            let engine = try Engine(configuration: configuration)
            #expect(await code { try await engine.run {} } == .invalidConfiguration)
        }
    }
}
