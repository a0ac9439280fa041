import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// Checks what holds for any sequence of reservations. The store contract checks single cases.
@Suite struct AccountBudgetTests {
    private static let rates: [Double] = [0.5, 6, 60]
    /// Rates at which the precision of a date is worth more than a millionth of a unit.
    private static let fastRates: [Double] = [500, 6_000, 100_000, 2_000_000, 90_000_000]

    private struct Spent {
        var date: Date
        var cost: Double
    }

    private static func limit(_ rate: Double, _ burst: Double) -> RateLimit {
        RateLimit(requestsPerMinute: nil, unitsPerMinute: rate, burst: burst)
    }

    /// Checks every window that begins and ends with a reservation.
    private static func check(_ spent: [Spent], rate: Double, burst: Double, _ what: String) {
        let capacity = max(1, rate * burst)
        for first in spent.indices {
            var sum = 0.0
            var oversized = 0.0
            for last in first..<spent.count {
                sum += spent[last].cost
                oversized = max(oversized, spent[last].cost - capacity)
                let window = spent[last].date.timeIntervalSince(spent[first].date)
                let allowed = capacity + window * rate / 60 + oversized
                // The precision of the dates: two microseconds are tolerated.
                let grain = 1e-5 + 3e-6 * rate / 60
                if sum > allowed + grain {
                    Issue.record("\(what): \(sum) were spent within \(window) s, where \(allowed) are allowed")
                    return
                }
            }
        }
    }

    @Test(
        "Any period spends at most the burst, its refill and one cost above the burst",
        arguments: Seeds.choose(150))
    func spending(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rate = (Self.rates + Self.fastRates).randomElement(using: &random) ?? 60
        let bursts: [Double] = [0, 0.1, 1]
        let burst = bursts.randomElement(using: &random) ?? 0.1
        let limit = Self.limit(rate, burst)
        let capacity = max(1, rate * burst)
        var budget = AccountBudget()
        var now = StoreWorkbench.date(0)
        var spent: [Spent] = []
        for _ in 0..<150 {
            let pauses: [Double] = [0, 0.001, 0.3, 1, 7, 60, 600]
            let shares: [Double] = [0, 0.01, 0.2, 0.9, 1, 3]
            now.addTimeInterval((pauses.randomElement(using: &random) ?? 0) * Double.random(in: 0...1, using: &random))
            let costs = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                capacity * (shares.randomElement(using: &random) ?? 1)
            }
            let grant = budget.reserve(costs, of: limit, now: now)
            #expect(grant.costs == Array(costs.prefix(grant.costs.count)), "HABLARE_SEED=\(seed)")
            #expect((grant.next == nil) == (grant.costs.count == costs.count), "HABLARE_SEED=\(seed)")
            spent += grant.costs.map { Spent(date: now, cost: $0) }
        }
        Self.check(spent, rate: rate, burst: burst, "HABLARE_SEED=\(seed)")
    }

    @Test("Without a known rate the provider's reported pauses and rates limit the account")
    func reported() {
        let start = StoreWorkbench.date(0)
        var budget = AccountBudget()
        #expect(
            budget.reserve([1, 1, 1], of: .asReported, now: start)
                == PermitGrant(costs: [1, 1, 1], next: nil, isUnlimited: true))
        #expect(
            budget.reserve([.nan, -1, 2], of: .asReported, now: start).costs == [0, 0, 2], "no cost is none, or less")
        budget.note(AccountReport(account: "a", pausedUntil: StoreWorkbench.date(6)), now: start)
        #expect(
            budget.reserve([1], of: .asReported, now: start) == PermitGrant(costs: [], next: StoreWorkbench.date(6)))
        let limits = ReportedLimits(requests: ReportedLimits.Quota(perMinute: 60))
        budget.note(AccountReport(account: "a", limits: limits), now: StoreWorkbench.date(6))
        // Six seconds' worth at once, and then one a second.
        let grant = budget.reserve(Array(repeating: 1, count: 20), of: .asReported, now: StoreWorkbench.date(6))
        #expect(grant.costs.count == 6 && grant.next == StoreWorkbench.date(7) && !grant.isUnlimited)
        let units = ReportedLimits(units: ReportedLimits.Quota(perMinute: 600))
        budget.note(AccountReport(account: "a", limits: units), now: StoreWorkbench.date(60))
        let large = budget.reserve([50, 50], of: .asReported, now: StoreWorkbench.date(60))
        #expect(large.costs == [50] && large.next == StoreWorkbench.date(64))
    }

    @Test("Calls are limited like units", arguments: Seeds.choose(30))
    func calls(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rate = Self.rates.randomElement(using: &random) ?? 60
        let limit = RateLimit(requestsPerMinute: rate, unitsPerMinute: 1e9, burst: 0.1)
        var budget = AccountBudget()
        var now = StoreWorkbench.date(0)
        var spent: [Spent] = []
        for _ in 0..<150 {
            now.addTimeInterval(Double.random(in: 0...(180 / rate), using: &random))
            let grant = budget.reserve([5, 0, 1e6], of: limit, now: now)
            spent += grant.costs.map { _ in Spent(date: now, cost: 1) }
        }
        Self.check(spent, rate: rate, burst: 0.1, "HABLARE_SEED=\(seed)")
    }

    /// Waits for the dates that grants name, like an engine whose clock wakes it exactly. Returns the number of calls
    /// that were not granted on their date.
    private static func disappointments(rate: Double, seed: UInt64) -> Int {
        var random = SeededGenerator(seed: seed)
        let limit = limit(rate, 0.1)
        let capacity = max(1, rate * 0.1)
        var budget = AccountBudget()
        var now = StoreWorkbench.date(0).addingTimeInterval(Double.random(in: 0...1, using: &random))
        var disappointments = 0
        for _ in 0..<100 {
            let cost = capacity * Double.random(in: 0.1...2, using: &random)
            guard let next = budget.reserve([cost], of: limit, now: now).next else { continue }
            now = max(now, next)
            if budget.reserve([cost], of: limit, now: now).costs.isEmpty { disappointments += 1 }
        }
        return disappointments
    }

    @Test("A call is granted at the date that the refusal named", arguments: Seeds.choose(50))
    func progress(seed: UInt64) {
        for rate in Self.rates { #expect(Self.disappointments(rate: rate, seed: seed) == 0, "HABLARE_SEED=\(seed)") }
    }

    @Test(
        "A call is granted at the date that the refusal named, even with a high limit", arguments: Seeds.choose(20)
    )
    func fastProgress(seed: UInt64) {
        for rate in Self.fastRates { #expect(Self.disappointments(rate: rate, seed: seed) == 0) }
    }

    @Test("Reservations that arrive slightly out of order do not refill the same time twice")
    func outOfOrder() {
        // Two processes read the clock and then queue for the store, so the later date may be written first.
        let limit = Self.limit(600, 0.1)
        var budget = AccountBudget()
        let start = StoreWorkbench.date(0)
        var spent = 0.0
        for turn in 0..<100 {
            let now = start.addingTimeInterval(turn.isMultiple(of: 2) ? 1 : 0.5)
            spent += budget.reserve(Array(repeating: 1, count: 99), of: limit, now: now).costs.reduce(0, +)
        }
        // 60 at once, then 10 a second.
        #expect(spent <= 60 + 5)
    }

    @Test("A cost that is not a finite number breaks neither the account nor its limit")
    func senselessCosts() {
        for cost in [Double.nan, .infinity, -.infinity, -1e9] {
            var budget = AccountBudget()
            let limit = Self.limit(600, 0.1)
            _ = budget.reserve([cost], of: limit, now: StoreWorkbench.date(0))
            let later = budget.reserve(Array(repeating: 1, count: 99), of: limit, now: StoreWorkbench.date(3600))
            #expect(later.costs.count == 60, "after \(cost)")
        }
    }

    @Test("A new pause counts even if an older one is ignored after the clock was set back")
    func pauseAfterSetBack() {
        var budget = AccountBudget()
        let late = StoreWorkbench.date(100_000_000)
        budget.note(AccountReport(account: "a", pausedUntil: late.addingTimeInterval(60)), now: late)
        // The clock is set back by three years.
        let now = StoreWorkbench.date(0)
        budget.note(AccountReport(account: "a", pausedUntil: now.addingTimeInterval(30)), now: now)
        #expect(budget.pause(now: now.addingTimeInterval(1)) == now.addingTimeInterval(30))
    }

    @Test("The longest accepted pause is also accepted by a process whose clock is slightly behind")
    func longestPause() {
        var budget = AccountBudget()
        let now = StoreWorkbench.date(10)
        budget.note(AccountReport(account: "a", pausedUntil: .distantFuture), now: now)
        #expect(budget.pause(now: now.addingTimeInterval(-0.01)) != nil)
    }

    @Test("A partial grant sets the wait reason, and a full grant removes it")
    func nextCall() {
        var budget = AccountBudget()
        let limit = RateLimit(requestsPerMinute: 60)
        let now = StoreWorkbench.date(0)
        let grant = budget.reserve(Array(repeating: 1, count: 7), of: limit, now: now)
        #expect(budget.nextCall == grant.next && grant.next != nil)
        #expect(budget.waitReason(now: now) == grant.next.map { .rateLimited(until: $0) })
        #expect(budget.waitReason(now: now.addingTimeInterval(1)) == nil)
        _ = budget.reserve([1], of: limit, now: now.addingTimeInterval(5))
        #expect(budget.nextCall == nil)
    }

    @Test("The wait reason prefers a failing provider to a pause, and a pause to a rate limit")
    func reasons() {
        var budget = AccountBudget()
        let now = StoreWorkbench.date(0)
        func later(_ seconds: Double) -> Date { now.addingTimeInterval(seconds) }
        #expect(budget.waitReason(now: now) == nil)
        budget.nextCall = later(10)
        #expect(budget.waitReason(now: now) == .rateLimited(until: later(10)))
        budget.note(AccountReport(account: "a", pausedUntil: later(20)), now: now)
        #expect(budget.waitReason(now: now) == .rateLimited(until: later(20)))
        budget.note(AccountReport(account: "a", failing: .until(later(30))), now: now)
        #expect(budget.waitReason(now: now) == .providerFailing(until: later(30)))
        #expect(budget.waitReason(now: later(30)) == nil)
    }
}
