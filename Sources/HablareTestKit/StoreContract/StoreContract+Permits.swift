import Foundation
import Hablare

extension StoreContract {
    /// A rate limit of one call a second. After a quiet time, six calls may start at the same time.
    private static let sixty = RateLimit(requestsPerMinute: 60)

    private static func calls(_ count: Int) -> [Double] { Array(repeating: 1, count: count) }

    static let permits: [Rule] = [
        Rule("An unknown account has exactly its burst of permits") { bench in
            let all = try bench.reserve(calls(6), of: sixty, at: 0)
            try require("six", all, is: PermitGrant(costs: calls(6), next: nil))
            let none = try bench.reserve(calls(1), of: sixty, at: 0)
            try require("a seventh", none, is: PermitGrant(costs: [], next: StoreWorkbench.date(1)))
        },
        Rule("A request for too many permits gets the first ones and the date of the next one") { bench in
            let limit = RateLimit(requestsPerMinute: nil, unitsPerMinute: 600)
            let grant = try bench.reserve([10, 20, 25, 30], of: limit, at: 0)
            try require("the grant", grant, is: PermitGrant(costs: [10, 20, 25], next: StoreWorkbench.date(3) - 0.5))
        },
        Rule("A call that does not fit is not overtaken by a smaller one") { bench in
            let limit = RateLimit(requestsPerMinute: nil, unitsPerMinute: 600)
            let grant = try bench.reserve([50, 20, 5], of: limit, at: 0)
            try require("the grant", grant, is: PermitGrant(costs: [50], next: StoreWorkbench.date(1)))
        },
        Rule("Permits refill one by one, up to the burst") { bench in
            _ = try bench.reserve(calls(6), of: sixty, at: 0)
            for (at, granted) in [(3, 3), (4, 1), (4, 0), (1000, 6)] {
                let grant = try bench.reserve(calls(9), of: sixty, at: at)
                try require("after \(at) s", grant.costs.count, is: granted)
                try require("the next", grant.next?.rounded, is: StoreWorkbench.date(at + 1))
            }
        },
        Rule("The next permit is granted at the reported date and not before") { bench in
            let slow = RateLimit(requestsPerMinute: 6)  // one at once, one in ten seconds
            let grant = try bench.reserve(calls(2), of: slow, at: 0)
            try require("the grant", grant, is: PermitGrant(costs: [1], next: StoreWorkbench.date(10)))
            try require("just before", try bench.reserve([1], of: slow, at: 9).costs, is: [])
            try require("at the date", try bench.reserve([1], of: slow, at: 10).costs, is: [1])
        },
        Rule("Permits are shared by all processes") { bench in
            var granted = 0
            for _ in 1...4 { granted += try bench.reserve(calls(2), of: sixty, at: 0).costs.count }
            try require("granted together", granted, is: 6)
        },
        Rule("Accounts do not share permits") { bench in
            try require("a's", try bench.reserve(calls(6), of: sixty, account: "a", at: 0).costs.count, is: 6)
            try require("b's", try bench.reserve(calls(6), of: sixty, account: "b", at: 0).costs.count, is: 6)
            let pause = AccountReport(
                account: "a", pausedUntil: StoreWorkbench.date(60), failing: .until(.distantFuture))
            try bench.report(pause, at: 1)
            try require("a's then", try bench.reserve([1], of: sixty, account: "a", at: 9).costs.count, is: 0)
            try require("b's then", try bench.reserve([1], of: sixty, account: "b", at: 9).costs.count, is: 1)
            let accounts = try bench.store.accounts()
            try require("the accounts", accounts.map(\.id), is: ["a", "b"])
            try require("who fails", accounts.map(\.budget.failingUntil), is: [.distantFuture, nil])
        },
        Rule("With two limited quantities the scarcer one decides, and a waiting call spends neither") {
            bench in
            let limit = RateLimit(requestsPerMinute: 60, unitsPerMinute: 600)
            let units = try bench.reserve([30, 30, 30], of: limit, at: 0)
            try require("by units", units, is: PermitGrant(costs: [30, 30], next: StoreWorkbench.date(3)))
            let level = try bench.store.accounts().first?.budget.requests?.level
            try require("calls left", level, is: 4)
            let requests = try bench.reserve([1, 1, 1, 1, 1, 1, 1, 1], of: limit, at: 60)
            try require("by calls", requests, is: PermitGrant(costs: calls(6), next: StoreWorkbench.date(61)))
        },
        Rule("A cost above the burst is granted when the bucket is full, and later calls wait for it") { bench in
            let limit = RateLimit(requestsPerMinute: nil, unitsPerMinute: 600)  // 60 at once, 10 a second
            _ = try bench.reserve([1], of: limit, at: 0)
            try require("not yet", try bench.reserve([500], of: limit, at: 0).costs, is: [])
            try require("when it is full", try bench.reserve([500], of: limit, at: 1).costs, is: [500])
            let after = try bench.reserve([10], of: limit, at: 1)
            try require("afterwards", after, is: PermitGrant(costs: [], next: StoreWorkbench.date(46)))
            try require("just before", try bench.reserve([10], of: limit, at: 45).costs, is: [])
            try require("paid off", try bench.reserve([10], of: limit, at: 46).costs, is: [10])
        },
        Rule("An account without a limit is granted everything and is reported as unlimited") { bench in
            let limit = RateLimit.asReported
            let unlimited = PermitGrant(costs: [1e12, 1, 0], next: nil, isUnlimited: true)
            try require("the grant", try bench.reserve([1e12, 1, 0], of: limit, at: 0), is: unlimited)
            try bench.report(AccountReport(account: "a", pausedUntil: StoreWorkbench.date(9)), at: 0)
            let paused = PermitGrant(costs: [], next: StoreWorkbench.date(9))
            try require("in a pause", try bench.reserve([1], of: limit, at: 5), is: paused)
            try require("after it", try bench.reserve([1e12, 1, 0], of: limit, at: 9), is: unlimited)
            try bench.report(limits(perMinute: 60), at: 9)
            try require("with a rate", try bench.reserve([1], of: limit, at: 9), is: PermitGrant(costs: [1], next: nil))
        },
        Rule("A request for no permits is granted") { bench in
            try require("the grant", try bench.reserve([], of: sixty, at: 0), is: PermitGrant(costs: [], next: nil))
        },
        Rule("A clock that is set back refills nothing and takes no permits") { bench in
            _ = try bench.reserve(calls(6), of: sixty, at: 100_000)
            try require("set back", try bench.reserve([1], of: sixty, at: 0).costs, is: [])
            try require("afterwards", try bench.reserve(calls(9), of: sixty, at: 2).costs.count, is: 2)
        },
        Rule("Later writes of a commit see the permits that earlier ones spent, and a refused write spends none") {
            bench in
            let permit = PermitRequest(account: "a", limit: sixty, costs: calls(4))
            let receipts = try bench.store.commit([
                .reserve(permit, at: StoreWorkbench.date(0)),
                .cancel(StoreWorkbench.id(77), at: StoreWorkbench.date(0)),
                .reserve(permit, at: StoreWorkbench.date(0)),
                .report(AccountReport(account: "a", pausedUntil: StoreWorkbench.date(9)), at: StoreWorkbench.date(0)),
                .reserve(permit, at: StoreWorkbench.date(5)),
            ]).receipts
            let expected: [WriteReceipt] = [
                .permits(PermitGrant(costs: calls(4), next: nil)), .unknownRequest,
                .permits(PermitGrant(costs: calls(2), next: StoreWorkbench.date(1))), .done,
                .permits(PermitGrant(costs: [], next: StoreWorkbench.date(9))),
            ]
            for (receipt, expected) in zip(receipts, expected) {
                if case .permits(let grant) = receipt, case .permits(let expected) = expected {
                    try require("the grant", grant, is: expected)
                } else {
                    try require("the receipt", receipt, is: expected)
                }
            }
        },
    ]

    static let accounts: [Rule] = [
        Rule("A paused account grants nothing before its date, and the longest pause counts") { bench in
            for until in [60, 30] {
                try bench.report(AccountReport(account: "a", pausedUntil: StoreWorkbench.date(until)), at: 0)
            }
            let paused = try bench.reserve([1], of: sixty, at: 59)
            try require("before", paused, is: PermitGrant(costs: [], next: StoreWorkbench.date(60)))
            try require("at the date", try bench.reserve([1], of: sixty, at: 60).costs, is: [1])
            try bench.report(AccountReport(account: "a", pausedUntil: StoreWorkbench.date(10)), at: 61)
            try require("a pause that is over", try bench.reserve([1], of: sixty, at: 61).costs, is: [1])
        },
        Rule("A pause is limited to one day") { bench in
            for date in [Date.distantFuture, Date(timeIntervalSince1970: 1e300), StoreWorkbench.date(100_000_000)] {
                try bench.report(AccountReport(account: "a", pausedUntil: date), at: 0)
            }
            let day = Int(AccountBudget.longestPause)
            let paused = try bench.reserve([1], of: sixty, at: 1)
            try require("paused", paused, is: PermitGrant(costs: [], next: StoreWorkbench.date(day)))
            try require("a day later", try bench.reserve([1], of: sixty, at: day).costs, is: [1])
        },
        Rule("A lifted pause ends at once, whether a date or a used-up limit caused it") {
            bench in
            let limits = ReportedLimits(units: .init(remaining: 0, resetsAfter: .seconds(60)))
            for report in [
                AccountReport(account: "a", pausedUntil: StoreWorkbench.date(60)),
                AccountReport(account: "a", limits: limits),
            ] {
                try bench.report(report, at: 0)
                try require("paused", try bench.reserve([1], of: sixty, at: 1).costs, is: [])
                try bench.report(AccountReport(account: "a", liftsPause: true), at: 2)
                let reason = try bench.store.accounts().first?.budget.waitReason(now: StoreWorkbench.date(2))
                try require("why a request waits", reason, is: nil)
                try require("lifted", try bench.reserve([1], of: sixty, at: 2).costs, is: [1])
            }
        },
        Rule("A changed pause and its end are reported as changes") { bench in
            func changes(_ report: AccountReport) throws -> [ChangeSummary] {
                let commit = try bench.store.commit([.report(report, at: StoreWorkbench.date(0))])
                return commit.summary
            }
            let (short, long) = (StoreWorkbench.date(5), StoreWorkbench.date(9))
            func paused(_ date: Date?) -> [ChangeSummary] { [.account("a", pausedUntil: date)] }
            let pause = AccountReport(account: "a", pausedUntil: long)
            try require("a pause", try changes(pause), is: paused(long))
            try require("the same pause", try changes(pause), is: [])
            try require("a shorter one", try changes(AccountReport(account: "a", pausedUntil: short)), is: [])
            try require("a failure", try changes(AccountReport(account: "a", failing: .until(long))), is: [])
            let lift = AccountReport(account: "a", liftsPause: true)
            try require("its end", try changes(lift), is: paused(nil))
            try require("the end of none", try changes(lift), is: [])
        },
        Rule("A pause does not outlive a clock that is set back by years") { bench in
            try bench.report(
                AccountReport(account: "a", pausedUntil: StoreWorkbench.date(100_000_060)), at: 100_000_000)
            try require("set back", try bench.reserve([1], of: sixty, at: 0).costs, is: [1])
        },
        Rule("A reported remainder applies if it is lower than the known one") { bench in
            _ = try bench.reserve([1], of: sixty, at: 0)
            func remaining(_ count: Double) -> AccountReport {
                AccountReport(account: "a", limits: ReportedLimits(requests: .init(remaining: count)))
            }
            try bench.report(remaining(2), at: 0)
            try bench.report(remaining(100), at: 0)
            try bench.report(remaining(.nan), at: 0)
            try require("left", try bench.reserve(calls(9), of: sixty, at: 0).costs.count, is: 2)
        },
        Rule("A reported remainder of zero until a date is a pause") { bench in
            let limits = ReportedLimits(units: .init(remaining: 0, resetsAfter: .seconds(20)))
            try bench.report(AccountReport(account: "a", limits: limits), at: 5)
            let grant = try bench.reserve([1], of: sixty, at: 6)
            try require("the grant", grant, is: PermitGrant(costs: [], next: StoreWorkbench.date(25)))
        },
        Rule("A lower limit that the provider reports applies at once") { bench in
            try bench.report(limits(perMinute: 30), at: 0)
            try require("at once", try bench.reserve(calls(9), of: sixty, at: 0).costs.count, is: 3)
            try require("in a minute", try bench.reserve(calls(2), of: sixty, at: 2).costs.count, is: 1)
        },
        Rule("A higher limit that the provider reports applies where the configured one is an estimate") { bench in
            try bench.report(limits(perMinute: 120), at: 0)
            try require("a limit", try bench.reserve(calls(99), of: sixty, at: 0).costs.count, is: 6)
            var estimate = sixty
            estimate.isEstimate = true
            try bench.report(limits(perMinute: 120, of: "b"), at: 0)
            let grant = try bench.reserve(calls(99), of: estimate, account: "b", at: 0)
            try require("an estimate", grant.costs.count, is: 12)
            try bench.report(limits(perMinute: 30, of: "b"), at: 60)
            let lower = try bench.reserve(calls(99), of: estimate, account: "b", at: 60)
            try require("an estimate too high", lower.costs.count, is: 3)
        },
        Rule("Invalid reported limits are ignored") { bench in
            for nonsense in [0, -1, Double.nan, .infinity, -.infinity] {
                try bench.report(limits(perMinute: nonsense), at: 0)
            }
            try require("the burst", try bench.reserve(calls(9), of: sixty, at: 0).costs.count, is: 6)
        },
        Rule("A failing provider is reported until its date or its next success") { bench in
            func failing() throws -> Date? {
                let accounts = try bench.store.accounts()
                return accounts.first?.budget.failingUntil
            }
            let reports: [(AccountReport.Failing, Date?)] = [
                (.unchanged, nil), (.until(StoreWorkbench.date(60)), StoreWorkbench.date(60)),
                (.unchanged, StoreWorkbench.date(60)), (.until(StoreWorkbench.date(90)), StoreWorkbench.date(90)),
                (.over, nil), (.unchanged, nil),
            ]
            for (report, expected) in reports {
                try bench.report(AccountReport(account: "a", failing: report), at: 1)
                try require("after \(report)", try failing(), is: expected)
            }
        },
        Rule("A provider's account is that of its last new submission") { bench in
            try require("the accounts", try bench.store.accounts(), is: [])
            func submit(_ number: Int, _ provider: ProviderID, _ account: AccountID?) throws {
                var submission = try StoreWorkbench.submission(number, provider: provider)
                if let account { submission.account = account }
                _ = try bench.write(.submit(submission))
            }
            try submit(1, "p", nil)
            try submit(2, "q", "shared")
            try submit(3, "o", "shared")
            for account in ["p", "shared", "unused"] as [AccountID] {
                _ = try bench.reserve([1], of: sixty, account: account, at: 0)
            }
            func providers() throws -> [[ProviderID]] { try bench.store.accounts().map(\.providers) }
            try require("the providers", try providers(), is: [["p"], ["o", "q"], []])
            try submit(4, "p", "shared")
            try submit(2, "q", "unused")  // already existed
            try require("the providers then", try providers(), is: [[], ["o", "p", "q"], []])
        },
        Rule("The state of accounts explains why requests wait") { bench in
            try bench.submit(1)
            _ = try bench.reserve(calls(7), of: sixty, account: "p", at: 0)
            func waiting(at seconds: Int) throws -> RequestSnapshot.WaitReason? {
                let snapshots = try bench.store.snapshots(SnapshotFilter())
                let explained = try bench.store.explaining(snapshots, now: StoreWorkbench.date(seconds))
                return explained.first?.waiting
            }
            guard case .rateLimited(let until) = try waiting(at: 0), until.rounded == StoreWorkbench.date(1) else {
                throw ContractViolation(message: "a used-up limit is no reason", location: #fileID)
            }
            try require("later", try waiting(at: 1), is: .unclaimed(ahead: nil))
            try bench.report(AccountReport(account: "p", pausedUntil: StoreWorkbench.date(60)), at: 2)
            try require("a pause", try waiting(at: 3), is: .rateLimited(until: StoreWorkbench.date(60)))
            try bench.report(AccountReport(account: "p", failing: .until(StoreWorkbench.date(30))), at: 4)
            try require("failing", try waiting(at: 5), is: .providerFailing(until: StoreWorkbench.date(30)))
        },
    ]

    private static func limits(perMinute: Double, of account: AccountID = "a") -> AccountReport {
        AccountReport(account: account, limits: ReportedLimits(requests: .init(perMinute: perMinute)))
    }
}

extension Date {
    fileprivate var rounded: Date {
        Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded() / 1000)
    }
}

extension PermitGrant {
    fileprivate var rounded: PermitGrant {
        PermitGrant(costs: costs, next: next?.rounded, isUnlimited: isUnlimited)
    }
}

/// Compares two grants. Dates are compared to the millisecond, because they are computed.
private func require(
    _ what: String, _ grant: PermitGrant, is expected: PermitGrant, file: String = #fileID, line: Int = #line
) throws {
    guard grant.rounded != expected.rounded else { return }
    throw ContractViolation(message: "\(what): expected \(expected), found \(grant)", location: "\(file):\(line)")
}
