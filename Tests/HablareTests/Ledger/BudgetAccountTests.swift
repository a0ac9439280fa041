import Foundation
import Hablare
import HablareStores
import HablareTestKit
import Testing

@Suite struct BudgetAccountTests {
    private func charge(_ bound: Int64?, limit: Int64 = 100, refusesUnknown: Bool = false) -> BudgetCharge {
        BudgetCharge(
            budget: "b", period: StoreWorkbench.date(0), limit: limit, bound: bound, refusesUnknown: refusesUnknown)
    }

    @Test(
        "What is reserved and settled in any order never exceeds the limit by more than attempts exceeded their bounds",
        arguments: Seeds.choose(50))
    func histories(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var account = BudgetAccount()
        var open: [(bound: Int64, share: BudgetAccount.Share)] = []
        // The second bookkeeper: what every attempt counts for, by itself.
        var settled: [Int64] = []
        for _ in 0..<200 {
            if Bool.random(using: &random) {
                let bound = Int64.random(in: 0...30, using: &random)
                let total = settled.reduce(0, +) + open.reduce(0) { $0 + $1.bound }
                #expect(account.takes(charge(bound)) == (bound == 0 || total + bound <= 100))
                guard account.takes(charge(bound)) else { continue }
                let share = BudgetAccount.Share(reserving: bound)
                account.change(from: nil, to: share)
                open.append((bound, share))
            } else if !open.isEmpty {
                let attempt = open.remove(at: .random(in: 0..<open.count, using: &random))
                let cost: Int64? = Bool.random(using: &random) ? .random(in: 0...attempt.bound, using: &random) : nil
                let billing = BillingState.allCases.randomElement(using: &random) ?? .billed
                let record = AttemptRecord(
                    attempt: 1, token: 1, outcome: .completed, billing: billing, usage: Usage(costMicroDollars: cost),
                    startedAt: StoreWorkbench.date(0), endedAt: StoreWorkbench.date(1))
                account.change(
                    from: attempt.share, to: BudgetAccount.Share(settling: record, reserved: attempt.bound))
                settled.append(cost ?? (billing == .neverSent ? 0 : attempt.bound))
            }
            #expect(account.spent == settled.reduce(0, +) + open.reduce(0) { $0 + $1.bound })
            #expect(account.spent <= 100 && account.unknown == 0)
        }
    }

    @Test("A budget that is overspent, or lowered, has nothing left, and takes only what is free")
    func overspent() {
        let account = BudgetAccount(spent: 150)
        #expect(account.left(of: 100) == 0)
        #expect(!account.takes(charge(1)) && !account.takes(charge(nil)) && account.takes(charge(0)))
        #expect(account.takes(charge(50, limit: 200)) && !account.takes(charge(51, limit: 200)))
    }

    @Test("A cost that nobody knows is taken while anything is left, unless the budget takes none")
    func unknown() {
        #expect(BudgetAccount(spent: 99).takes(charge(nil)))
        #expect(!BudgetAccount(spent: 99).takes(charge(nil, refusesUnknown: true)))
        #expect(!BudgetAccount().takes(charge(nil, limit: 0)))
    }

    @Test("Damaged rows do not overflow")
    func damaged() {
        var account = BudgetAccount(spent: .min, unknown: .min)
        #expect(account.left(of: .max) == 0)
        account.change(
            from: BudgetAccount.Share(amount: .max, isUnknown: true), to: .init(amount: .max, isUnknown: true))
        account.change(from: nil, to: .init(amount: .max, isUnknown: false))
        #expect(account.spent == .max)
    }

    @Test("Days and months begin and end at midnight in UTC, all time has no end")
    func periods() throws {
        let date = try #require(UTCDay("2028-02-29")).start.addingTimeInterval(3600)
        func name(_ date: Date?) -> String? { date.map { UTCDay(containing: $0).name } }
        #expect(name(Budget.Period.day.start(containing: date)) == "2028-02-29")
        #expect(name(Budget.Period.day.end(containing: date)) == "2028-03-01")
        #expect(name(Budget.Period.month.start(containing: date)) == "2028-02-01")
        #expect(name(Budget.Period.month.end(containing: date)) == "2028-03-01")
        #expect(name(Budget.Period.total.start(containing: date)) == "1970-01-01")
        #expect(Budget.Period.total.end(containing: date) == nil)
    }

    @Test("Money is written with cents at least, and all its digits")
    func money() {
        let amounts: [Int64] = [0, 15, 120_000, 1_000_000, -2_500_000, 1_234_567, .min]
        #expect(
            amounts.map(MicroDollars.text) == [
                "$0.00", "$0.000015", "$0.12", "$1.00", "-$2.50", "$1.234567", "-$9223372036854.775808",
            ])
    }
}
