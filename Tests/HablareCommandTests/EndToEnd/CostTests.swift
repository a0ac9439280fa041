import Foundation
import Hablare
import HablareSQLite
import HablareSupport
import HablareTestKit
import Testing

@testable import HablareCommand

/// Usage and costs as `hablare cost` reports them.
@Suite(.timeLimit(.minutes(5))) struct CostTests {
    /// Creates two attempts of known cost on one day, and one of unknown cost on the next.
    private func spent() throws -> Stage {
        let stage = try Stage()
        let store = try stage.store()
        let bench = StoreWorkbench(store: store)
        let owner = try bench.register()
        for (number, tags) in [["book"], ["book", "red"]].enumerated() {
            let request = AIRequest(id: StoreWorkbench.id(number), prompt: "x", model: "m", tags: tags)
            try bench.submit(StoreWorkbench.submission(of: request, job: "j", position: number))
            try bench.finishNext(owner)
        }
        try bench.submit(3)
        _ = try bench.startNext(owner, at: 86_400)
        _ = try bench.write(.retireOwner(owner, at: StoreWorkbench.date(86_403)))
        let last = try bench.register()
        try bench.submit(4)
        let claimed = try #require(try bench.claim(last, limit: 2).last)
        let charge = BudgetCharge(
            budget: "monthly", period: try parseDay("2027-01-01"), limit: 9_000_000, bound: 1_500_000)
        let start = AttemptStart(
            flight: claimed.id, transition: try StoreWorkbench.start(claimed.lifecycle),
            startedAt: StoreWorkbench.date(3),
            charges: [charge])
        #expect(try bench.write(.start(start)) == .started(overBudget: nil))
        try store.close()
        return stage
    }

    @Test func `The total shows usage, minimum cost, and attempts of unknown cost`() async throws {
        let stage = try spent()
        #expect(await stage.run("cost") == .success)
        #expect(
            stage.output == """
                ATTEMPTS  FAILED  BILLED  MAYBE  TOOK   TOKENS IN  OUT  CHARACTERS  BYTES  COST
                3         1       2       1      5.0 s  2          4    6           8      at least $0.00001
                Budget monthly, from 2027-01-01: $1.50 spent or reserved.

                """)
        #expect(
            stage.errors.hasPrefix("The cost of 1 attempt that was or may have been billed is unknown:"))
    }

    @Test(arguments: [42, nil] as [Int64?])
    func `generate and logs report an answer's cost in the same fields`(cost: Int64?) async throws {
        let failed = Locked(false)
        let writer = ScriptedProvider(
            id: "writer", limits: ProviderLimits(concurrency: 1, breaker: .never)
        ) { _ in
            let isFirst = failed.withLock { failed in
                defer { failed = true }
                return !failed
            }
            if isFirst { return .failure(AIServiceError(.overloaded, "Busy.", disposition: .retry(after: .zero))) }
            let usage = Usage(inputTokens: 9, costMicroDollars: cost, cachedInputTokens: 4)
            return .success(ProviderAnswer(.text("done"), usage: usage))
        }
        func objects(_ output: String) throws -> [String: Any] {
            let found = try JSONSerialization.jsonObject(with: Data(output.utf8))
            return try #require(found as? [String: Any] ?? (found as? [[String: Any]])?.last)
        }
        let stage = try Stage(provider: writer)
        #expect(await stage.run("generate", "--provider", "writer", "Whales?", "--json") == .success)
        let answer = try objects(stage.output)
        let id = try #require(answer["id"] as? String)
        stage.clearScreen()
        #expect(await stage.run("logs", id, "--json") == .success)
        let attempt = try objects(stage.output)
        for object in [answer, attempt] {
            #expect((object["costMicroDollars"] as? Int).map(Int64.init) == cost)
            #expect(object["costMicroDollars"] is NSNull == (cost == nil), "it is there")
            let usage = try #require(object["usage"] as? [String: Any])
            #expect(usage["inputTokens"] as? Int == 9 && usage["cachedInputTokens"] as? Int == 4)
        }
        #expect(attempt["billing"] as? String == "billed")
    }

    @Test func `Rows are grouped as requested, with the total below`() async throws {
        let stage = try spent()
        #expect(await stage.run("cost", "--by", "day") == .success)
        #expect(
            stage.output.split(separator: "\n").dropFirst().prefix(3).map {
                $0.split(separator: " ").prefix(2).joined(separator: " ")
            }
                == ["2027-01-15 2", "2027-01-16 1", "TOTAL 3"])
        stage.clearScreen()
        #expect(await stage.run("cost", "--by", "tag") == .success)
        #expect(
            stage.output.split(separator: "\n").dropFirst().prefix(4).map {
                $0.split(separator: " ").prefix(2).joined(separator: " ")
            }
                == ["book 2", "red 1", "(none) 1", "TOTAL 3"])
        for grouping in ["provider", "model", "job"] { #expect(await stage.run("cost", "--by", grouping) == .success) }
    }

    @Test func `The JSON has rows, total and budgets completely`() async throws {
        let stage = try spent()
        #expect(await stage.run("cost", "--by", "model", "--json") == .success)
        #expect(stage.errors.isEmpty)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
        let rows = try #require(object["rows"] as? [[String: Any]])
        #expect(rows.map { $0["key"] as? String } == ["m", nil])
        #expect(rows.map { $0["costMicroDollars"] as? Int } == [10, nil])
        #expect(rows[1]["key"] is NSNull && rows[1]["costMicroDollars"] is NSNull)
        let total = try #require(object["total"] as? [String: Any])
        #expect(total["attempts"] as? Int == 3 && total["withoutCost"] as? Int == 1 && total["seconds"] as? Double == 5)
        let budget = try #require((object["budgets"] as? [[String: Any]])?.first)
        #expect(budget["budget"] as? String == "monthly" && budget["spentMicroDollars"] as? Int == 1_500_000)
        #expect(budget["since"] as? String == "2027-01-01")
    }

    @Test func `The sum can be filtered by days, provider, job and tag`() async throws {
        let stage = try spent()
        func attempts(_ arguments: String...) async throws -> Int? {
            stage.clearScreen()
            #expect(await stage.run(["cost", "--json"] + arguments) == .success)
            let object = try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any]
            return (object?["total"] as? [String: Any])?["attempts"] as? Int
        }
        #expect(try await attempts("--since", "2027-01-16") == 1)
        #expect(try await attempts("--until", "2027-01-16") == 2)
        #expect(try await attempts("--since", "2027-01-15", "--until", "2027-01-17") == 3)
        #expect(try await attempts("--tag", "red") == 1)
        #expect(try await attempts("--job", "j") == 2)
        #expect(try await attempts("--provider", "other") == 0)
    }

    /// Creates one free answer, and an attempt of unknown cost.
    private func asked(isFree: Bool) async throws -> Stage {
        let calls = Locked(0)
        let provider = ScriptedProvider(id: "program", limits: ProviderLimits(breaker: .never)) { _ in
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            guard number == 1 else {
                return .failure(AIServiceError(.timeout, "It hung.", disposition: .outcomeUnknown))
            }
            return .success(ProviderAnswer(.text("done"), usage: Usage(costMicroDollars: 0)))
        }
        let stage = try Stage(provider: provider, isFree: isFree)
        let words = ["generate", "--provider", "program", "--quiet", "--attempts", "1"]
        #expect(await stage.run(words + ["first"]) == .success)
        #expect(await stage.run(words + ["second"]) == .incomplete)
        stage.clearScreen()
        return stage
    }

    @Test func `A free answer does not hide an attempt of unknown cost`() async throws {
        let stage = try await asked(isFree: false)
        #expect(await stage.run("cost", "--json") == .success)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
        let total = try #require(object["total"] as? [String: Any])
        #expect(total["maybeBilled"] as? Int == 1 && total["withoutCost"] as? Int == 1)
    }

    @Test func `An attempt without a price is not billed, completed or failed`() async throws {
        let stage = try await asked(isFree: true)
        #expect(await stage.run("cost", "--by", "provider") == .success)
        for line in stage.output.split(separator: "\n").dropFirst() {
            #expect(line.split(separator: " ").dropFirst().prefix(4) == ["2", "1", "0", "0"])
            #expect(line.hasSuffix("no price"))
        }
        #expect(stage.errors.isEmpty)
        stage.clearScreen()
        #expect(await stage.run("cost", "--json") == .success)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(stage.output.utf8)) as? [String: Any])
        let total = try #require(object["total"] as? [String: Any])
        #expect(total["billed"] as? Int == 0 && total["maybeBilled"] as? Int == 0)
        #expect(total["withoutPrice"] as? Int == 2 && total["withoutCost"] as? Int == 0)
    }

    @Test func `Unpriced attempts are not counted as billed beside priced ones`() async throws {
        let stage = try spent()
        // Its engine also ends the dead process's running attempt in the store.
        let free = ScriptedProvider(id: "free") { _ in
            .success(ProviderAnswer(.text("done"), usage: Usage(costMicroDollars: 0)))
        }
        let asking = try Stage(provider: free, folder: stage.folder)
        #expect(await asking.run("generate", "--provider", "free", "--quiet", "for nothing") == .success)
        asking.clearScreen()
        #expect(await asking.run("cost") == .success)
        #expect(asking.output.split(separator: "\n")[1].split(separator: " ").prefix(4) == ["5", "2", "2", "2"])
        #expect(asking.output.contains("at least $0.00001"))
        #expect(asking.errors.hasPrefix("The cost of 2 attempts that were or may have been billed is unknown:"))
    }

    @Test func `An empty ledger is reported`() async throws {
        let stage = try Stage()
        #expect(await stage.run("cost") == .success)
        #expect(stage.output.isEmpty && stage.errors.contains("There is no store in "))
        stage.clearScreen()
        #expect(await stage.run("cost", "--json") == .success)
        #expect(stage.output.contains("\"rows\" : [\n\n  ]") && stage.output.contains("\"costMicroDollars\" : null"))
        let filled = try spent()
        #expect(await filled.run("cost", "--provider", "other") == .success)
        #expect(filled.output.isEmpty && filled.errors == "No attempt matches.\n")
    }

    @Test(arguments: [
        ["--since", "yesterday"], ["--since", "2026-02-30"], ["--by", "colour"],
        ["--since", "2026-02-02", "--until", "2026-02-02"],
    ])
    func `Invalid options are refused`(arguments: [String]) async throws {
        let stage = try Stage()
        #expect(await stage.run(["cost"] + arguments) == .usage)
    }
}
