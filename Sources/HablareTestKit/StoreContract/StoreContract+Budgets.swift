import Foundation
import Hablare

extension StoreContract {
    static let budgets: [Rule] = [
        Rule("An attempt reserves its maximum cost at its start, and its end replaces it with the actual cost") {
            bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner, charging: [bench.charge(40)])
            try require("reserved", try bench.spent(), is: 40)
            try require("its end", try bench.write(.settle(attempt.reserved(attempt.completed()))), is: .done)
            try require("settled", try bench.spent(), is: 5)
        },
        Rule("An attempt that exceeds one budget does not start and charges no budget") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            _ = try bench.startNext(owner, charging: [bench.charge(40), bench.charge(40, of: "wide")])
            try bench.submit(2)
            let claimed = try bench.claimOne(owner)
            let charges = [bench.charge(20, of: "wide"), bench.charge(61)]
            try require(
                "the receipt", try bench.write(.start(bench.attemptStart(claimed, charges))),
                is: .started(overBudget: BudgetRefusal(budget: "b", left: 60)))
            try require("the flight", try bench.store.snapshot(of: claimed.request.id)?.phase, is: .executing)
            try require("the budgets", try bench.store.budgets().map(\.spent), is: [40, 40])
        },
        Rule("An attempt that fits a budget exactly starts, and a spent budget admits only free attempts") { bench in
            let owner = try bench.register()
            func refusal(_ number: Int, _ charge: BudgetCharge) throws -> BudgetRefusal? {
                try bench.submit(number)
                return try bench.refusal(ofNext: owner, [charge])
            }
            try require("all of it", try refusal(1, bench.charge(100)), is: nil)
            try require("one more", try refusal(2, bench.charge(1)), is: BudgetRefusal(budget: "b", left: 0))
            try require("an unknown cost", try refusal(3, bench.charge(nil)), is: BudgetRefusal(budget: "b", left: 0))
            try require("free", try refusal(4, bench.charge(0)), is: nil)
            var lowered = bench.charge(1)
            lowered.limit = 7
            try require("a lowered limit", try refusal(5, lowered), is: BudgetRefusal(budget: "b", left: 0))
            var raised = bench.charge(1)
            raised.limit = 101
            try require("a raised limit", try refusal(6, raised), is: nil)
        },
        Rule("A start that the flight refuses reserves nothing") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let claimed = try bench.claimOne(owner)
            _ = try bench.write(.cancel(claimed.request.id, at: StoreWorkbench.date(1)))
            try require(
                "the receipt", try bench.write(.start(bench.attemptStart(claimed, [bench.charge(40)]))),
                is: .refused(.settled(.cancelled)))
            try require("the budgets", try bench.store.budgets(), is: [])
        },
        Rule("An attempt of unknown cost counts as unknown until its cost is known") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner, charging: [bench.charge(nil)])
            let record = BudgetRecord(budget: "b", period: StoreWorkbench.date(0), spent: 0, unknown: 1)
            try require("reserved", try bench.store.budgets(), is: [record])
            _ = try bench.write(.settle(attempt.reserved(attempt.completed())))
            try require("settled", try bench.store.budgets().map(\.unknown), is: [0])
            try require("its cost", try bench.spent(), is: 5)
            try bench.submit(2)
            var strict = bench.charge(nil)
            strict.refusesUnknown = true
            try require(
                "a budget that takes none", try bench.refusal(ofNext: owner, [strict]),
                is: BudgetRefusal(budget: "b", left: 95))
        },
        Rule("An attempt that was never billed releases its reservation, and another keeps it") { bench in
            let owner = try bench.register()
            for number in 1...4 { try bench.submit(number) }
            let unsent = try bench.startNext(owner, charging: [bench.charge(10)])
            _ = try bench.write(.settle(unsent.reserved(unsent.failed(StoreWorkbench.failure))))
            try require("never billed", try bench.spent(), is: 0)
            let held = try bench.startNext(owner, charging: [bench.charge(10)])
            _ = try bench.write(.settle(held.reserved(held.held())))
            try require("maybe billed", try bench.spent(), is: 10)
            let cancelled = try bench.startNext(owner, charging: [bench.charge(10)])
            _ = try bench.write(.cancel(cancelled.request, at: StoreWorkbench.date(2)))
            try require("cancelled", try bench.spent(), is: 20)
            let lost = try bench.startNext(owner, charging: [bench.charge(10)])
            _ = try bench.write(.retireOwner(owner, at: StoreWorkbench.date(3)))
            try require("lost", try bench.spent(), is: 30)
            // Better information arrives late.
            _ = try bench.write(.settle(cancelled.reserved(cancelled.completed(at: 4))))
            try require("discarded at its cost", try bench.spent(), is: 25)
            _ = try bench.write(.settle(lost.reserved(lost.completed(at: 5))))
            try require("done after all", try bench.spent(), is: 20)
        },
        Rule("An end that the ledger refuses changes no budget") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner, charging: [bench.charge(10)])
            _ = try bench.write(.settle(attempt.reserved(attempt.completed())))
            var late = attempt.end(.failed(StoreWorkbench.failure), billing: .maybeBilled, at: 4)
            late.isReserved = true
            _ = try bench.write(.settle(late))
            try require("spent", try bench.spent(), is: 5)
        },
        Rule("Each budget period has its own sum, and an attempt counts in the period of its start") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            try bench.submit(2)
            let old = try bench.startNext(owner, charging: [bench.charge(90)])
            var next = bench.charge(90)
            next.period = StoreWorkbench.date(86_400)
            _ = try bench.startNext(owner, charging: [next])
            _ = try bench.write(.settle(old.reserved(old.completed(at: 90_000))))
            try require("the sums", try bench.store.budgets().map(\.spent), is: [5, 90])
            try require(
                "the periods", try bench.store.budgets().map(\.period),
                is: [StoreWorkbench.date(0), StoreWorkbench.date(86_400)])
        },
        Rule("A job's budget counts the attempts of that job, including requests that joined it later") { bench in
            let owner = try bench.register()
            try bench.submit(1, job: "j")
            try bench.submit(2, job: "k")
            try bench.submit(3)
            let alone = try StoreWorkbench.submission(4)
            try bench.submit(alone)
            var adopted = alone
            adopted.job = Submission.JobPosition(key: JobKey(rawValue: "j"), position: 1)
            _ = try bench.write(.submit(adopted))
            var charge = bench.charge(10)
            charge.job = JobKey(rawValue: "j")
            for expected in [10, 10, 10, 20] {
                _ = try bench.startNext(owner, charging: [charge])
                try require("spent", try bench.spent(), is: Int64(expected))
            }
        },
        Rule("An attempt above its maximum cost is charged its actual cost, and extreme sums do not overflow") {
            bench in
            let owner = try bench.register()
            for number in 1...3 { try bench.submit(number) }
            let attempt = try bench.startNext(owner, charging: [bench.charge(1)])
            _ = try bench.write(.settle(attempt.reserved(attempt.completed())))
            try require("spent", try bench.spent(), is: 5)
            for _ in 0..<2 {
                var charge = bench.charge(.max - 5)
                charge.limit = .max
                _ = try bench.refusal(ofNext: owner, [charge])
            }
            try require("spent", try bench.spent(), is: .max)
        },
    ]
}

extension StoreWorkbench {
    /// Returns a charge to a budget of 100 micro-dollars.
    func charge(_ bound: Int64?, of budget: String = "b") -> BudgetCharge {
        BudgetCharge(budget: budget, period: Self.date(0), limit: 100, bound: bound)
    }

    func attemptStart(_ claimed: ClaimedFlight, _ charges: [BudgetCharge]) throws -> AttemptStart {
        AttemptStart(
            flight: claimed.id, transition: try Self.start(claimed.lifecycle), startedAt: Self.date(1),
            charges: charges)
    }

    /// Starts an attempt of the next flight. If a budget refuses it, returns the refusal.
    fileprivate func refusal(ofNext owner: OwnerID, _ charges: [BudgetCharge]) throws -> BudgetRefusal? {
        let receipt = try write(.start(attemptStart(try claimOne(owner), charges)))
        guard case .started(let refusal) = receipt else {
            throw ContractViolation(message: "starting an attempt gave \(receipt)", location: #fileID)
        }
        return refusal
    }

    /// Starts an attempt of the next flight. Throws a violation if a budget refuses it.
    fileprivate func startNext(_ owner: OwnerID, charging charges: [BudgetCharge]) throws -> RunningAttempt {
        let claimed = try claimOne(owner)
        let start = try attemptStart(claimed, charges)
        try require("starting an attempt", try write(.start(start)), is: .started(overBudget: nil))
        return RunningAttempt(
            flight: claimed.id, request: claimed.request.id, lifecycle: start.transition.new, startedAt: Self.date(1))
    }

    /// Returns the amount spent of the first budget.
    func spent() throws -> Int64? { try store.budgets().first?.spent }
}

extension RunningAttempt {
    /// Returns the end of an attempt whose maximum cost was reserved.
    fileprivate func reserved(_ end: AttemptEnd) -> AttemptEnd {
        var end = end
        end.isReserved = true
        return end
    }
}
