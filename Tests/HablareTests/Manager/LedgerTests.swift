import Foundation
import Hablare
import HablareStores
import HablareSupport
import HablareTestKit
import Testing

/// The costs and tags that the engine writes into its ledger.
@Suite(.timeLimit(.minutes(5)))
struct LedgerTests {
    static func priced(_ prices: [PriceEntry], budgets: [Budget] = []) throws -> EngineConfiguration {
        EngineConfiguration(
            attemptTimeout: .seconds(1_000_000_000), retry: .never, breaker: .never, prices: try PriceTable(prices),
            budgets: budgets)
    }

    private static func answering(_ usage: Usage) -> ScriptedProvider {
        ScriptedProvider { _ in .success(ProviderAnswer(.text(Body("x")), usage: usage)) }
    }

    private static let perToken = PriceEntry(provider: "scripted", unit: .inputToken, microDollarsPerMillion: 3_000_000)

    @Test("An answer has the price of its day, in the response and in the ledger")
    func cost() async throws {
        let change = StoreWorkbench.date(10)
        var (before, after) = (Self.perToken, Self.perToken)
        before.until = change
        after.from = change
        after.microDollarsPerMillion = 9_000_000
        let engine = try Engine(
            [Self.answering(Usage(inputTokens: 5))], configuration: try Self.priced([before, after]))
        let manager = engine.manager
        try await engine.run {
            let first = try await manager.execute(AIRequest(prompt: "x"), with: "scripted")
            #expect(first.usage == Usage(inputTokens: 5, costMicroDollars: 15))
            engine.dates.advance(by: 10)
            let second = try await manager.execute(AIRequest(prompt: "x", caching: .refresh), with: "scripted")
            #expect(second.usage.costMicroDollars == 45)
            #expect(try await manager.attempts(for: second.requestID).map(\.usage.costMicroDollars) == [45])
            #expect(try await manager.ledger().total.usage.costMicroDollars == 60)
        }
    }

    @Test("A cost reported by the provider wins, and an unknown cost is a gap, not zero")
    func gaps() async throws {
        let usages = Locked([Usage(inputTokens: 5, costMicroDollars: 7), Usage(bytes: 1)])
        let provider = ScriptedProvider { _ in
            .success(ProviderAnswer(.text(Body("x")), usage: usages.withLock { $0.removeFirst() }))
        }
        let engine = try Engine([provider], configuration: try Self.priced([Self.perToken]))
        let manager = engine.manager
        try await engine.run {
            for sample in 0..<2 {
                _ = try await manager.execute(AIRequest(prompt: "x", sample: sample), with: "scripted")
            }
            let total = try await manager.ledger().total
            #expect(total.usage.costMicroDollars == 7 && total.attempts == 2 && total.withoutCost == 1)
        }
    }

    @Test(
        "An answer with negative usage is kept without it, and an error is logged with the provider",
        arguments: [
            (Usage(inputTokens: -1, outputTokens: 9), Usage()),
            (Usage(inputTokens: 5, outputTokens: -9, costMicroDollars: 4), Usage(costMicroDollars: 4)),
            (Usage(inputTokens: 5, costMicroDollars: -1), Usage(inputTokens: 5, costMicroDollars: 15)),
            (Usage(costMicroDollars: .min, cacheWriteTokens: .min), Usage()),
        ])
    func negativeUsage(reported: Usage, recorded: Usage) async throws {
        let engine = try Engine([Self.answering(reported)], configuration: try Self.priced([Self.perToken]))
        let manager = engine.manager
        try await engine.run {
            let response = try await manager.execute(AIRequest(prompt: "x"), with: "scripted")
            #expect(try await text(response) == "x")
            #expect(response.usage == recorded)
            #expect(try await manager.attempts(for: response.requestID).map(\.usage) == [recorded])
            let total = try await manager.ledger().total
            #expect(total.billed == 1 && total.withoutCost == (recorded.costMicroDollars == nil ? 1 : 0))
        }
        #expect(engine.log.says("error: A provider reported a negative usage or cost"))
        #expect(engine.log.lines.contains { $0.contains("scripted") })
    }

    @Test("An answer that is refused is billed at its price")
    func refusedAnswer() async throws {
        let provider = ScriptedProvider(responseType: .image) { _ in
            .success(ProviderAnswer(.text(Body("x")), usage: Usage(inputTokens: 5)))
        }
        let engine = try Engine([provider], configuration: try Self.priced([Self.perToken]))
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x")
            #expect(await code { _ = try await manager.execute(request, with: "scripted") } == .invalidResponse)
            let attempt = try #require(try await manager.attempts(for: request.id).first)
            #expect(attempt.billing == .billed && attempt.usage.costMicroDollars == 15)
        }
    }

    @Test("An invalid answer is in the ledger with its cost, or as maybe billed")
    func uselessAnswer() async throws {
        let billings: [FailureBilling?] = [nil, .maybeBilled, .billed(Usage(inputTokens: 5))]
        let provider = ScriptedProvider { call in
            .failure(
                AIServiceError(
                    .invalidResponse, "No JSON: \(call.request.prompt.plainText)",
                    billing: billings[Int(call.request.sample)]))
        }
        let engine = try Engine([provider], configuration: try Self.priced([Self.perToken]))
        let manager = engine.manager
        try await engine.run {
            var attempts: [AttemptRecord] = []
            for sample in billings.indices {
                // Long enough to be redacted from the message, which must keep its billing.
                let request = AIRequest(prompt: "a prompt that the failure repeats", sample: sample)
                #expect(await code { _ = try await manager.execute(request, with: "scripted") } == .invalidResponse)
                attempts += try await manager.attempts(for: request.id)
            }
            #expect(attempts.map(\.billing) == [.neverSent, .maybeBilled, .billed])
            #expect(attempts.map(\.usage.costMicroDollars) == [nil, nil, 15])
            let total = try await manager.ledger().total
            #expect(total.usage.costMicroDollars == 15 && total.withoutCost == 1)
        }
    }

    @Test("A late unknown billing does not replace an attempt's known bill")
    func knownBill() throws {
        let bench = StoreWorkbench(store: InMemoryStore())
        let owner = try bench.register()
        try bench.submit(1)
        let attempt = try bench.startNext(owner)
        _ = try bench.write(.cancel(attempt.request, at: StoreWorkbench.date(2)))
        let givenUp = attempt.end(.failed(StoreWorkbench.lostTouch), billing: .maybeBilled, at: 3)
        for end in [attempt.completed(), givenUp] {
            #expect(try bench.write(.settle(end)) == .refused(.settled(.cancelled)))
        }
        let line = attempt.record(.discarded, .billedDiscarded, usage: RunningAttempt.usage)
        #expect(try bench.store.attempts(of: attempt.request) == [line])
    }

    @Test("Costs add up by the tags of requests, each tag once")
    func tags() async throws {
        let engine = try Engine(
            [Self.answering(Usage(inputTokens: 1))], configuration: try Self.priced([Self.perToken]))
        let manager = engine.manager
        try await engine.run {
            for tags in [["a", "b", "a"], ["a"], []] {
                _ = try await manager.execute(
                    AIRequest(prompt: "x", caching: .bypass, tags: tags), with: "scripted")
            }
            let report = try await manager.ledger(LedgerQuery(by: .tag))
            #expect(report.rows.map(\.key) == ["a", "b", nil])
            #expect(report.rows.map(\.sum.usage.costMicroDollars) == [6, 3, 3])
            #expect(report.total.usage.costMicroDollars == 9)
            #expect(
                try await manager.snapshots().map(\.tags).sorted { $0.count < $1.count } == [[], ["a"], ["a", "b"]])
        }
    }

    @Test(
        "Too many tags and tags that are empty or too long are refused",
        arguments: [
            (0..<33).map(String.init), [""], [String(repeating: "x", count: 129)], [String(repeating: "ü", count: 65)],
        ])
    func badTags(tags: [String]) async throws {
        let engine = try Engine()
        #expect(
            await code { try await engine.manager.submit(AIRequest(prompt: "x", tags: tags), to: "scripted") }
                == .invalidRequest)
    }

    @Test("The maximum number of tags of maximum length is accepted")
    func manyTags() async throws {
        let engine = try Engine()
        let tags = (10..<42).map { String(repeating: "x", count: 126) + String($0) }
        let request = AIRequest(prompt: "x", tags: tags)
        try await engine.manager.submit(request, to: "scripted")
        #expect(try await engine.manager.snapshot(for: request.id).tags == tags)
    }

    @Test("A regenerated request has the tags of the original")
    func regenerated() async throws {
        let engine = try Engine()
        let manager = engine.manager
        try await engine.run {
            let request = AIRequest(prompt: "x", tags: ["a"])
            _ = try await manager.execute(request, with: "scripted")
            let again = try await manager.regenerate(request.id)
            #expect(try await manager.snapshot(for: again).tags == ["a"])
        }
    }
}
