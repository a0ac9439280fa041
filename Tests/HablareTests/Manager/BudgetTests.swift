import Foundation
import Hablare
import HablareTestKit
import Testing

/// Budgets in one process and several, over crashes and days.
@Suite(.timeLimit(.minutes(5)))
struct BudgetTests {
    private static let perToken = PriceEntry(provider: "scripted", unit: .inputToken, microDollarsPerMillion: 1_000_000)

    /// Returns a provider with a cost bound of 10 micro-dollars per call, whose calls cost a given amount.
    private static func provider(
        costing cost: Int64? = 10, bound: Int64? = 10, id: ProviderID = "scripted", gate: Gate? = nil,
        concurrency: Int = 4
    ) -> ScriptedProvider {
        ScriptedProvider(id: id, limits: ProviderLimits(concurrency: concurrency)) { call in
            do {
                try await gate?.pass()
            } catch {
                return .failure(AIServiceError(.connectionLost, "Cut."))
            }
            return .success(
                ProviderAnswer(.text(Body(call.request.prompt.plainText)), usage: Usage(costMicroDollars: cost)))
        }.using { _ in bound.map { Usage(costMicroDollars: $0) } }
    }

    private static func configuration(_ budgets: [Budget]) throws -> EngineConfiguration {
        try LedgerTests.priced([], budgets: budgets)
    }

    private static func spent(_ manager: AIRequestManager) async throws -> [Int64] {
        try await manager.budgets().map(\.spent)
    }

    @Test("A call over budget is not sent, reports what is left, and can be retried in the next period")
    func refused() async throws {
        let provider = Self.provider()
        let engine = try Engine(
            [provider], configuration: try Self.configuration([Budget("daily", microDollars: 25, period: .day)]))
        let manager = engine.manager
        try await engine.run {
            for sample in 0..<2 {
                _ = try await manager.execute(AIRequest(prompt: "x", sample: sample), with: "scripted")
            }
            let third = AIRequest(prompt: "y")
            do {
                _ = try await manager.execute(third, with: "scripted")
                Issue.record("It was sent")
            } catch let error as AIServiceError {
                #expect(error.code == .budgetExceeded && error.disposition == .needsUser)
                #expect(
                    error.message
                        == "Budget daily has $0.000005 of $0.000025 left, and the call can cost $0.00001. Nothing was sent. Raise the budget, or retry after 2027-01-16 00:00 UTC, when its next period begins."
                )
            }
            #expect(provider.record.calls.count == 2)
            #expect(try await manager.attempts(for: third.id).map(\.billing) == [.neverSent])
            #expect(try await Self.spent(manager) == [20])
            engine.dates.advance(by: 86_400)
            try await manager.retry(third.id)
            #expect(try await text(manager.execute(requestID: third.id)) == "y")
            #expect(try await Self.spent(manager) == [20, 10])
        }
    }

    @Test("A running call counts with its bound, and a finished one with its cost")
    func reserved() async throws {
        let gate = Gate()
        let provider = Self.provider(costing: 1, gate: gate)
        let engine = try Engine([provider], configuration: try Self.configuration([Budget("b", microDollars: 20)]))
        let manager = engine.manager
        try await engine.run {
            let running = (0..<2).map { AIRequest(prompt: .text("\($0)")) }
            for request in running { try await manager.submit(request, to: "scripted") }
            await gate.arrivals(reach: 2)
            #expect(try await Self.spent(manager) == [20])
            #expect(
                await code { _ = try await manager.execute(AIRequest(prompt: "y"), with: "scripted") }
                    == .budgetExceeded)
            gate.open()
            for request in running { _ = try await manager.execute(requestID: request.id) }
            #expect(try await Self.spent(manager) == [2])
            _ = try await manager.execute(AIRequest(prompt: "z"), with: "scripted")
        }
    }

    @Test("Processes that share a store never exceed the budget together")
    func shared() async throws {
        let machine = ProcessStore.Machine()
        let providers = (0..<3).map { _ in Self.provider(costing: 7, bound: 10) }
        let configuration = try Self.configuration([Budget("b", microDollars: 100)])
        let engines = try providers.map { try Engine([$0], store: ProcessStore(machine), configuration: configuration) }
        let requests = (0..<30).map { AIRequest(prompt: .text("\($0)")) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            let done = Gate()
            for engine in engines { group.addTask { try await engine.run { try await done.pass() } } }
            for (index, request) in requests.enumerated() {
                try await engines[index % 3].manager.submit(request, to: "scripted")
            }
            for request in requests {
                while true {
                    let phase = try await engines[0].manager.snapshot(for: request.id).phase
                    if phase == .completed || phase == .failed { break }
                    try await pause()
                }
            }
            done.open()
            try await group.waitForAll()
        }
        let calls = providers.reduce(0) { $0 + $1.record.calls.count }
        #expect(calls * 7 <= 100 && calls >= 10, "\(calls) calls of 7, and each needed 10 to be left")
        #expect(try await Self.spent(engines[0].manager) == [Int64(calls * 7)])
    }

    @Test("A call in flight of a dead process stays charged at its bound")
    func crash() async throws {
        let machine = ProcessStore.Machine()
        let configuration = try Self.configuration([Budget("b", microDollars: 15)])
        let gate = Gate()
        let first = try Engine(
            [Self.provider(gate: gate)], store: ProcessStore(machine), configuration: configuration)
        let request = AIRequest(prompt: "x", maximumAttempts: 1)
        let store = ProcessStore(machine)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await first.run { try await Gate().pass() } }
            try await first.manager.submit(request, to: "scripted")
            await gate.arrivals(reach: 1)
            #expect(try store.budgets().map(\.spent) == [10])
            // Dead from the view of other processes.
            let owner = try #require(store.owners().first?.id)
            _ = try store.commit([.retireOwner(owner, at: StoreWorkbench.date(1))])
            #expect(try store.budgets().map(\.spent) == [10])
            let second = try Engine([Self.provider()], store: store, configuration: configuration)
            try await second.run {
                #expect(
                    await code { _ = try await second.manager.execute(requestID: request.id) } == .budgetExceeded)
            }
            group.cancelAll()
            do {
                try await group.waitForAll()
            } catch is CancellationError {}
        }
    }

    @Test("A budget counts only its scope: a provider, a tag or a job")
    func scopes() async throws {
        let budgets = [
            Budget("job", microDollars: 10, scope: .job(JobKey(rawValue: "j"))),
            Budget("provider", microDollars: 1000, scope: .provider("other")),
            Budget("tag", microDollars: 10, scope: .tag("t")),
        ]
        let engine = try Engine(
            [Self.provider(), Self.provider(id: "other")], configuration: try Self.configuration(budgets))
        let manager = engine.manager
        try await engine.run {
            _ = try await manager.execute(AIRequest(prompt: "x"), with: "scripted")
            #expect(try await manager.budgets() == [], "no budget counts it")
            _ = try await manager.execute(AIRequest(prompt: "x"), with: "other")
            #expect(try await manager.budgets().map(\.budget) == ["provider"])
            _ = try await manager.execute(AIRequest(prompt: "y", tags: ["s", "t"]), with: "scripted")
            #expect(
                await code { _ = try await manager.execute(AIRequest(prompt: "z", tags: ["t"]), with: "scripted") }
                    == .budgetExceeded)
            let job = JobKey(rawValue: "j")
            let ids = try await manager.submit(
                (0..<2).map { AIRequest(prompt: .text("\($0)")) }, to: "scripted", jobKey: job)
            var failures = 0
            for id in ids {
                do {
                    _ = try await manager.execute(requestID: id)
                } catch let error as AIServiceError {
                    #expect(error.code == .budgetExceeded)
                    failures += 1
                }
            }
            #expect(failures == 1)
            #expect(try await manager.budgets().map(\.spent) == [10, 10, 10])
        }
    }

    @Test("A call of unknown cost is counted as unknown or refused, as the budget says")
    func unknownCosts() async throws {
        let provider = Self.provider(costing: nil, bound: nil)
        let lenient = try Engine([provider], configuration: try Self.configuration([Budget("b", microDollars: 10)]))
        try await lenient.run {
            _ = try await lenient.manager.execute(AIRequest(prompt: "x"), with: "scripted")
            let record = try #require(try await lenient.manager.budgets().first)
            #expect(record.spent == 0 && record.unknown == 1)
        }
        let strict = try Engine(
            [provider], configuration: try Self.configuration([Budget("b", microDollars: 10, unknownCosts: .refuse)]))
        try await strict.run {
            #expect(
                await code { _ = try await strict.manager.execute(AIRequest(prompt: "x"), with: "scripted") }
                    == .budgetExceeded)
        }
        #expect(provider.record.calls.count == 1)
    }

    @Test("A budget of zero allows only free calls")
    func nothing() async throws {
        let free = PriceEntry(provider: "scripted", unit: .call, microDollarsPerMillion: 0)
        let engine = try Engine(
            [Self.provider(costing: nil, bound: nil), Self.provider(id: "dear")],
            configuration: try LedgerTests.priced([free], budgets: [Budget("b", microDollars: 0)]))
        let manager = engine.manager
        try await engine.run {
            _ = try await manager.execute(AIRequest(prompt: "x"), with: "scripted")
            #expect(
                await code { _ = try await manager.execute(AIRequest(prompt: "x"), with: "dear") } == .budgetExceeded)
        }
    }

    @Test("A submission to a free lane starts with its reservation and keeps its slot")
    func firstAttempt() async throws {
        let gate = Gate()
        let engine = try Engine(
            [Self.provider(gate: gate, concurrency: 1)],
            configuration: try Self.configuration([Budget("b", microDollars: 1000)]))
        let manager = engine.manager
        try await engine.run {
            // After the first answer nothing waits in the store, so the next submission finds a free lane.
            let early = AIRequest(prompt: "early")
            try await manager.submit(early, to: "scripted")
            await gate.arrivals(reach: 1)
            gate.admitOne()
            _ = try await manager.execute(requestID: early.id)
            let requests = (0..<3).map { AIRequest(prompt: .text("\($0)")) }
            for request in requests { try await manager.submit(request, to: "scripted") }
            await gate.arrivals(reach: 2)
            #expect(try await Self.spent(manager) == [20], "one call at once, one reservation")
            gate.open()
            for request in requests {
                _ = try await manager.execute(requestID: request.id)
                #expect(try await manager.attempts(for: request.id).count == 1)
            }
            #expect(try await Self.spent(manager) == [40])
        }
    }

    @Test(
        "A negative usage or cost does not refund a budget, and the reservation stays charged",
        arguments: [Usage(inputTokens: -1), Usage(outputTokens: -1, costMicroDollars: -100)])
    func negativeUsage(reported: Usage) async throws {
        let provider = ScriptedProvider { _ in .success(ProviderAnswer(.text(Body("x")), usage: reported)) }
            .using(atMost: { _ in Usage(costMicroDollars: 10) })
        let engine = try Engine([provider], configuration: try Self.configuration([Budget("b", microDollars: 25)]))
        let manager = engine.manager
        try await engine.run {
            for sample in 0..<2 {
                _ = try await manager.execute(AIRequest(prompt: "x", sample: sample), with: "scripted")
            }
            #expect(try await Self.spent(manager) == [20])
            #expect(
                await code { _ = try await manager.execute(AIRequest(prompt: "x", sample: 2), with: "scripted") }
                    == .budgetExceeded)
        }
    }

    @Test("A negative bound is unknown, so a budget that refuses unknown costs does not send the call")
    func negativeBound() async throws {
        let provider = ScriptedProvider().using(atMost: { _ in Usage(costMicroDollars: -1) })
        let budget = Budget("b", microDollars: 25, unknownCosts: .refuse)
        let engine = try Engine([provider], configuration: try Self.configuration([budget]))
        let manager = engine.manager
        try await engine.run {
            #expect(
                await code { _ = try await manager.execute(AIRequest(prompt: "x"), with: "scripted") }
                    == .budgetExceeded)
        }
        #expect(provider.record.calls.isEmpty)
    }

    @Test(
        "An invalid budget is refused when the engine starts",
        arguments: [
            [Budget("", microDollars: 1)], [Budget("b", microDollars: -1)],
            [Budget("b", microDollars: 1), Budget("b", microDollars: 2)],
            [Budget(String(repeating: "x", count: 65), microDollars: 1)],
            [Budget("b", microDollars: 1, scope: .provider("opnai"))],
            [Budget("b", microDollars: 1, scope: .tag(""))],
            [Budget("b", microDollars: 1, scope: .tag(String(repeating: "x", count: 129)))],
            [Budget("b", microDollars: 1, scope: .job(JobKey(rawValue: "")))],
            [Budget("b", microDollars: 1, scope: .job(JobKey(rawValue: String(repeating: "x", count: 257))))],
        ])
    func absurd(budgets: [Budget]) async throws {
        let engine = try Engine(configuration: try Self.configuration(budgets))
        #expect(await code { try await engine.run {} } == .invalidConfiguration)
    }
}
