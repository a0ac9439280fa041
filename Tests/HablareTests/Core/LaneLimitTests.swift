import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// Limits, pauses, failing providers and backoffs in one core.
@Suite struct LaneLimitTests {
    private func bench(
        _ concurrency: Int = 8, rate: RateLimit? = RateLimit(requestsPerMinute: 60), providers: [ProviderID] = ["p"]
    ) -> CoreHarness {
        CoreHarness(
            providers.map {
                LaneDescription(
                    provider: $0, concurrency: concurrency, account: "account", rate: rate,
                    breaker: BreakerPolicy(threshold: 2, pause: .seconds(10), longestPause: .seconds(15)),
                    attemptTimeout: .seconds(1_000))
            })
    }

    /// Returns when the core has to be woken, without timers of running attempts.
    private func wake(_ bench: CoreHarness) -> Duration? {
        var bench = bench
        guard let wake = bench.wake(), wake < .seconds(900) else { return nil }
        return wake
    }

    // MARK: Permits

    @Test("A call of a rate-limited provider waits for a permit, which is requested once")
    func asks() throws {
        var bench = bench(rate: RateLimit(requestsPerMinute: 600))
        let first = try bench.submit(1, cost: 1)
        #expect(first.started.isEmpty && first.reserved == [[1]])
        let second = try bench.submit(2, cost: 1)
        #expect(second.started.isEmpty && second.reserved.isEmpty, "one question at a time")
        let granted = bench.grant([1])
        #expect(granted.started == [1] && granted.reserved == [[1]])
    }

    @Test("If no permit is granted the store is asked again at the named date, not earlier")
    func waits() throws {
        var bench = bench()
        try bench.submit(1, cost: 1)
        #expect(bench.grant([], next: bench.date(3)).isEmpty)
        #expect(bench.wake() == .seconds(3))
        #expect(bench.passTime(to: 2).reserved.isEmpty)
        #expect(bench.passTime(to: 3).reserved == [[1]])
    }

    @Test("A grant date beyond the longest accepted pause is awaited without repeated requests")
    func farFuture() throws {
        var bench = bench()
        try bench.submit(1, cost: 1)
        #expect(bench.grant([], next: bench.date(AccountBudget.longestPause + 30)).isEmpty)
        #expect(bench.passTime(to: 1).isEmpty)
    }

    @Test("A failed permit request is repeated when the store recovers")
    func reservationFails() throws {
        var bench = bench()
        #expect(try bench.submit(1, cost: 1).reserved == [[1]])
        bench.after(bench.core.reserveFailed(of: "account", with: StoreWorkbench.failure))
        #expect(bench.passTime(to: 1).reserved.isEmpty)
        #expect(bench.after(bench.core.storeRecovered()).reserved == [[1]])
    }

    @Test("A permit that is not spent within a second expires")
    func permitsExpire() throws {
        var bench = bench(1, rate: RateLimit(requestsPerMinute: nil, unitsPerMinute: 6000))
        // A call that takes no time, so that another one is leased in advance.
        try bench.submit(9, cost: 1)
        bench.grant([1])
        for limit in bench.end(9).claims { bench.claim([], asked: limit) }
        try bench.submit(1, cost: 1)
        try bench.submit(2, cost: 1)
        #expect(bench.grant([1, 1]).started == [1])
        bench.setTime(1.5)
        let ended = bench.end(1)
        #expect(ended.started.isEmpty && ended.reserved == [[1]])
    }

    @Test("Without a known limit the store is asked once a second, not for every call")
    func unlimitedGrants() throws {
        var bench = bench(rate: .asReported)
        #expect(try bench.submit(1, cost: 1).reserved == [[1]], "another process may have been told of a limit")
        #expect(bench.grant([1], isUnlimited: true).started == [1])
        let dear = try bench.place(7, cost: 1e9)
        #expect(dear.placement == .start, "whatever it costs")
        #expect(bench.after(bench.core.commitFailed([.submit(dear)], with: StoreWorkbench.busy)).isEmpty)
        bench.setTime(0.9)
        for number in 2...5 { #expect(try bench.submit(number, cost: 1).started == [Int64(number)]) }
        bench.setTime(1)
        let second = try bench.submit(6, cost: 1)
        #expect(second.started.isEmpty && second.reserved == [[1]])
    }

    @Test("A reported limit applies from the moment this process receives it")
    func endsOfUnlimitedGrants() throws {
        let limits = ReportedLimits(requests: ReportedLimits.Quota(perMinute: 60))
        for reply in [Reply.sound(limits: limits), .paused(.milliseconds(100))] {
            var bench = bench(rate: .asReported)
            try bench.submit(1, cost: 1)
            bench.grant([1], isUnlimited: true)
            bench.start(1)
            bench.return(1, reply)
            bench.setTime(0.5)
            let effects = try bench.submit(2, cost: 1)
            #expect(effects.started.isEmpty && effects.reserved == [[1]])
            bench.grant([1])
            #expect(try bench.submit(3, cost: 1).started.isEmpty, "from now on permits are counted")
        }
    }

    @Test("An unlimited grant older than a reported limit covers only the granted calls")
    func outdatedUnlimitedGrants() throws {
        let limits = ReportedLimits(requests: ReportedLimits.Quota(perMinute: 60))
        var bench = bench(rate: .asReported)
        try bench.submit(1, cost: 1)
        bench.grant([1], isUnlimited: true)
        bench.start(1)
        bench.setTime(1)
        #expect(try bench.submit(2, cost: 1).reserved == [[1]])
        bench.return(1, .sound(limits: limits))
        #expect(bench.grant([1], isUnlimited: true).started == [2], "what it granted, it granted")
        #expect(try bench.submit(3, cost: 1).started.isEmpty)
    }

    @Test("A call sent without a permit returns none")
    func nothingToGiveBack() throws {
        let limits = ReportedLimits(requests: ReportedLimits.Quota(perMinute: 60))
        var bench = bench(rate: .asReported)
        try bench.submit(1, cost: 1)
        bench.grant([1], isUnlimited: true)
        bench.start(1)
        let dropped = try bench.place(7, cost: 1)
        #expect(dropped.placement == .start)
        bench.return(1, .sound(limits: limits))
        bench.after(bench.core.commitFailed([.submit(dropped)], with: StoreWorkbench.busy))
        #expect(try bench.submit(2, cost: 1).started.isEmpty)
    }

    @Test("The permit of a call that was not journalled is returned")
    func permitGivenBack() throws {
        var bench = bench()
        try bench.submit(1, cost: 1)
        #expect(bench.grant([1]).started == [1])
        bench.after(bench.core.startFailed(bench.key(1), with: StoreWorkbench.failure))
        let effects = bench.after(bench.core.storeRecovered())
        #expect(effects.started == [1] && effects.reserved.isEmpty)
    }

    @Test("The permit of a call whose start was refused goes to the next call")
    func permitOfRefusedStart() throws {
        var bench = bench()
        try bench.submit(1, cost: 1)
        #expect(bench.grant([1]).started == [1])
        bench.after(bench.core.startRefused(bench.key(1)))
        let effects = try bench.submit(2, cost: 1)
        #expect(effects.started == [2] && effects.reserved.isEmpty)
    }

    @Test("A call that costs more units than were granted waits for them")
    func units() throws {
        var bench = bench(rate: RateLimit(requestsPerMinute: nil, unitsPerMinute: 6000))
        #expect(try bench.submit(1, cost: 50).reserved == [[50]])
        #expect(bench.grant([50]).started == [1])
        #expect(try bench.submit(2, cost: 70).reserved == [[70]])
    }

    @Test("The providers of one account share its permits and take turns")
    func sharedAccount() throws {
        var bench = bench(providers: ["p", "q"])
        try bench.submit(1, cost: 1)
        try bench.submit(2, cost: 1)
        try bench.submit(3, to: "q", cost: 1)
        let effects = bench.grant([1])
        #expect(effects.started == [1] && effects.reserved == [[1]])
        #expect(bench.grant([1]).started == [3])
    }

    @Test("A requested pause holds back all calls of the account and is reported to the store")
    func pauses() throws {
        var bench = bench(rate: nil)
        #expect(try bench.submit(1).started == [1])
        let reports = bench.end(1, .paused(.seconds(7))).reports
        #expect(reports == [AccountReport(account: "account", pausedUntil: bench.date(7))])
        #expect(try bench.submit(2).started.isEmpty)
        #expect(bench.wake() == .seconds(7))
        #expect(bench.passTime(to: 6.9).started.isEmpty)
        #expect(bench.passTime(to: 7).started == [2])
    }

    @Test(
        "A failure other than a rate limit does not pause the account, even with a Retry-After",
        arguments: [
            AIServiceError.Code.overloaded, .providerFailed, .connectionFailed, AIServiceError.Code(rawValue: "own"),
        ])
    func ownPauses(code: AIServiceError.Code) throws {
        var bench = bench(rate: nil)
        try bench.submit(1)
        let failure = AIServiceError(code, "Too busy.", disposition: .retry(after: .seconds(999_999_999)))
        #expect(bench.end(1, Reply(result: .failure(failure))).reports.isEmpty)
        #expect(try bench.submit(2).started == [2])
    }

    @Test("A requested pause is capped at the maximum")
    func longestPause() throws {
        let usedUp = ReportedLimits(requests: .init(remaining: 0, resetsAfter: .seconds(999_999_999)))
        for reply in [Reply.paused(.seconds(999_999_999)), .sound(limits: usedUp)] {
            var bench = bench(rate: nil)
            try bench.submit(1)
            let reports = bench.end(1, reply).reports
            #expect(reports.map(\.pausedUntil) == [bench.date(900)])
            #expect(reports.allSatisfy { $0.limits?.pause ?? .zero <= .seconds(900) })
            #expect(try bench.submit(2).started.isEmpty)
            #expect(bench.passTime(to: 899.9).started.isEmpty)
            #expect(bench.passTime(to: 900).started == [2])
        }
    }

    @Test("A pause from another process is kept until it ends or is lifted", arguments: [true, false])
    func pausesOfOthers(isLimited: Bool) throws {
        var bench = bench(rate: isLimited ? RateLimit(requestsPerMinute: 60) : nil)
        #expect(bench.core.isOfInterest(.account("account")) && !bench.core.isOfInterest(.account("other")))
        bench.hear(.account("account", pausedUntil: bench.date(60)))
        let waiting = try bench.submit(1, cost: 1)
        #expect(waiting.started.isEmpty && waiting.reserved.isEmpty)
        bench.hear(.account("other", pausedUntil: nil))
        #expect(bench.passTime(to: 59).isEmpty)
        bench.setTime(30)
        let lifted = bench.hear(.account("account", pausedUntil: nil))
        #expect(isLimited ? lifted.reserved == [[1]] : lifted.started == [1])
    }

    @Test("A pause that is over when it is received does not hold back calls")
    func latePauses() throws {
        var bench = bench(rate: nil)
        bench.setTime(61)
        bench.hear(.account("account", pausedUntil: bench.date(60)))
        #expect(try bench.submit(1).started == [1])
    }

    @Test("A pause lifted elsewhere and followed by a shorter one counts as the shorter one")
    func replacedPauses() throws {
        var bench = bench(rate: nil)
        bench.hear(.account("account", pausedUntil: bench.date(900)))
        #expect(try bench.submit(1).started.isEmpty)
        bench.hear(.account("account", pausedUntil: bench.date(2)))
        #expect(bench.passTime(to: 2).started == [1])
        var late = self.bench(rate: nil)
        late.hear(.account("account", pausedUntil: late.date(900)))
        #expect(try late.submit(1).started.isEmpty)
        late.setTime(3)
        #expect(late.hear(.account("account", pausedUntil: late.date(2))).started == [1])
    }

    @Test("A pause that is not written yet is not lifted by older news from the store")
    func unwrittenPauses() throws {
        var bench = bench(rate: nil)
        try bench.submit(1)
        let report = try #require(bench.end(1, .paused(.seconds(60))).reports.first)
        bench.hear(.account("account", pausedUntil: nil))
        bench.hear(.account("account", pausedUntil: bench.date(5)))
        #expect(try bench.submit(2).started.isEmpty)
        #expect(bench.passTime(to: 59).started.isEmpty)
        #expect(bench.after(bench.core.reported(report, isWritten: true)).isEmpty)
        #expect(bench.hear(.account("account", pausedUntil: nil)).started == [2])
        // A pause that the store could not take is not lifted by news from the store.
        let other = try #require(bench.end(2, .paused(.seconds(60))).reports.first)
        #expect(bench.after(bench.core.reported(other, isWritten: false)).isEmpty)
        bench.hear(.account("account", pausedUntil: nil))
        #expect(try bench.submit(3).started.isEmpty)
    }

    @Test("A lifted pause ends at once, even if permits were due at its end")
    func liftedPauses() throws {
        var bench = bench()
        try bench.submit(1, cost: 1)
        #expect(bench.grant([], next: bench.date(60)).isEmpty)
        #expect(bench.passTime(to: 1).reserved.isEmpty)
        #expect(bench.hear(.account("account", pausedUntil: nil)).reserved == [[1]])
        var other = self.bench(rate: nil)
        try other.submit(1)
        other.end(1, .paused(.seconds(60)))
        #expect(try other.submit(2).started.isEmpty)
        #expect(other.after(other.core.resumed("account")).started == [2])
    }

    @Test("A pause and limits reported by a stopped call count as well")
    func limitsOfStoppedCalls() throws {
        var bench = bench(rate: nil)
        try bench.submit(1)
        bench.cancel(1)
        var reply = Reply.failing
        reply.limits = Box(
            ReportedLimits(requests: ReportedLimits.Quota(remaining: 0, resetsAfter: .seconds(7))))
        #expect(bench.end(1, reply).reports.map(\.pausedUntil) == [bench.date(7)])
        #expect(try bench.submit(2).started.isEmpty)
    }

    // MARK: Failing providers

    @Test(
        "A failing provider is left alone, then probed by one call that doubles or ends the pause"
    )
    func breaker() throws {
        var bench = bench(rate: nil)
        for number in 1...6 { try bench.submit(number) }
        bench.end(1, .failing)
        let effects = bench.end(2, .failing)
        #expect(effects.reports.map(\.failing) == [.until(bench.date(10))])
        for number in 3...6 { bench.end(number, .notSent) }
        for number in 7...9 { #expect(try bench.submit(number).started.isEmpty) }
        #expect(wake(bench) == .seconds(10))
        #expect(bench.passTime(to: 10).claims == [1], "what one probe needs")
        #expect(bench.claim([bench.flight(7)], asked: 1).started == [7], "one probe")
        bench.start(7)
        #expect(wake(bench) == nil, "the probe's end is waited for")
        bench.end(7, .failing)
        #expect(wake(bench) == .seconds(25), "doubled, and at most the longest")
        #expect(bench.passTime(to: 25).claims == [1])
        #expect(bench.claim([bench.flight(8)], asked: 1).started == [8])
        bench.start(8)
        let healed = bench.end(8)
        #expect(healed.claims.allSatisfy { $0 > 1 } && healed.claims.count == 1, "all that there is room for")
        #expect(healed.reports.map(\.failing) == [.over])
    }

    @Test(
        "A timeout counts as a failure of the provider, and another stop does not")
    func healthOfStoppedCalls() {
        let breaker = BreakerPolicy(threshold: 1, pause: .seconds(10))
        for (number, isTimeout, comesBack) in [(1, true, true), (2, true, false), (3, false, true), (4, false, false)] {
            var bench = CoreHarness([
                LaneDescription(
                    provider: "p", concurrency: 1, breaker: breaker, attemptTimeout: .seconds(isTimeout ? 1 : 100))
            ])
            bench.claim([bench.flight(number)])
            bench.start(number)
            if !isTimeout { bench.cancel(number) }
            let stopping = bench.passTime(to: 1)
            #expect(stopping.stopped == (isTimeout ? [bench.key(number)] : []))
            let effects = comesBack ? bench.end(number, .failing) : bench.passTime(to: 6)
            #expect(effects.abandoned == (comesBack ? [] : [bench.key(number)]))
            #expect(!effects.reports.isEmpty == isTimeout, "\(number)")
            #expect(bench.core.running == 0)
        }
    }

    @Test("Leases of a provider that fails in this process are released to other processes")
    func nothingIsHoarded() throws {
        var bench = bench(2, rate: nil)
        #expect(try bench.submit(1).started == [1])
        // A call that took no time, so the lane leases in advance.
        for limit in bench.end(1, .failing).claims { bench.claim([], asked: limit) }
        for number in 2...6 { try bench.submit(number) }
        let late = try bench.place(7)
        #expect(late.placement == .lease, "written while the provider fails")
        let effects = bench.end(2, .failing)
        #expect(effects.released == [4, 5, 6] && effects.claims.isEmpty)
        #expect(bench.commit(late).released == [7])
        let left = try bench.place(8)
        #expect(left.placement == .leave)
        #expect(bench.commit(left).isEmpty)
        #expect(bench.after(bench.core.backlogMayExist()).isEmpty, "nothing is asked for")
        #expect(wake(bench) == .seconds(10))
    }

    @Test("A claim answered after the provider began to fail keeps only a probe")
    func claimedTooLate() throws {
        var bench = bench(2, rate: nil)
        for number in 1...2 { try bench.submit(number) }
        #expect(bench.after(bench.core.backlogMayExist()).claims.isEmpty, "no room")
        #expect(bench.end(1, .failing).claims.count == 1)
        bench.end(2, .failing)
        #expect(bench.claim([bench.flight(3), bench.flight(4)], asked: 2).released == [3, 4])
        #expect(bench.passTime(to: 10).claims == [1])
        let effects = bench.claim([bench.flight(5), bench.flight(6)], asked: 2)
        #expect(effects.started == [5] && effects.released == [6])
    }

    @Test("A probe that waits for a permit is the only lease kept, and starts with the permit")
    func probeWaitsForPermit() throws {
        var bench = bench(4, rate: RateLimit(requestsPerMinute: 6000))
        for number in 1...4 {
            try bench.submit(number, cost: 1)
            bench.grant([1])
        }
        for number in 1...4 { bench.end(number, .failing) }
        bench.claim([], asked: 4)
        let left = try bench.place(5, cost: 1)
        #expect(left.placement == .leave)
        _ = bench.commit(left)
        #expect(bench.passTime(to: 10).claims == [1])
        let effects = bench.claim([bench.flight(5), bench.flight(6)], asked: 1)
        #expect(effects.reserved == [[1]] && effects.started.isEmpty && effects.released == [6])
        #expect(bench.after(bench.core.backlogMayExist()).claims.isEmpty)
        #expect(bench.grant([1]).started == [5])
    }

    @Test("A probe that was refused or not journalled is followed by another at once")
    func probeNotSent() {
        for isRefused in [true, false] {
            var bench = bench(1, rate: nil)
            for number in 1...2 {
                bench.claim([bench.flight(number)])
                bench.start(number)
                bench.end(number, .failing)
            }
            bench.passTime(to: 10)
            #expect(bench.claim([bench.flight(3)], asked: 1).started == [3])
            if isRefused {
                #expect(bench.after(bench.core.startRefused(bench.key(3))).claims == [1])
                #expect(bench.claim([bench.flight(4)], asked: 1).started == [4])
            } else {
                bench.after(bench.core.startFailed(bench.key(3), with: StoreWorkbench.failure))
                #expect(bench.after(bench.core.storeRecovered()).started == [3])
            }
        }
    }

    @Test("A rate-limited account leases what may begin soon, at least one, at any concurrency")
    func leasesByRate() {
        for (perMinute, limit) in [(60.0, 1), (1, 1), (1_200, 10), (1_000_000, 100)] {
            var bench = CoreHarness(
                [LaneDescription(provider: "p", concurrency: 100, rate: RateLimit(requestsPerMinute: perMinute))],
                isOpen: false)
            #expect(bench.open().claims == [limit], "\(perMinute) calls a minute")
        }
    }

    @Test("Each provider has its own breaker policy")
    func ownBreakers() {
        for (number, provider) in [ProviderID("p"), "q"].enumerated() {
            var bench = CoreHarness([
                LaneDescription(
                    provider: "p", concurrency: 1,
                    breaker: BreakerPolicy(threshold: 1, pause: .seconds(10), longestPause: .seconds(15))),
                LaneDescription(provider: "q", concurrency: 1, breaker: .never),
            ])
            bench.claim([bench.flight(number, of: provider)], by: provider)
            bench.start(number)
            bench.end(number, .failing)
            let next = bench.claim([bench.flight(number + 10, of: provider)], by: provider)
            #expect(next.started.isEmpty == (provider == "p"), "\(provider)")
        }
    }

    // MARK: Backoffs

    @Test("A flight that backs off in the store is claimed when its date is due")
    func backoff() {
        var bench = bench(rate: nil)
        bench.claim([bench.flight(1)])
        bench.start(1)
        bench.end(1, .failing)
        let settlement = Settlement(
            end: AttemptEnd(
                flight: FlightID(rawValue: 1), request: StoreWorkbench.id(1), provider: "p",
                lifecycle: bench.flight(.executing(CoreHarness.owner)),
                outcome: .postponed(StoreWorkbench.overloaded, until: bench.date(4)), billing: .maybeBilled,
                startedAt: bench.now.date, endedAt: bench.now.date),
            flight: bench.flight(.backingOff(until: bench.date(4))), finished: [])
        bench.claim([], asked: 32)
        #expect(bench.commit(.settled(settlement)).isEmpty)
        #expect(wake(bench) == .seconds(4))
        #expect(bench.passTime(to: 3).isEmpty)
        #expect(bench.passTime(to: 4).claimed == ["p"])
        bench.claim([], asked: 32, nextDue: bench.date(9))
        #expect(wake(bench) == .seconds(9))
    }

    @Test("A flight that another process postponed is claimed when its date is due")
    func foreignBackoff() {
        var bench = bench(rate: nil)
        #expect(
            bench.hear(.flight(FlightID(rawValue: 1), bench.flight(.backingOff(until: bench.date(4))))).isEmpty)
        #expect(wake(bench) == .seconds(4))
        #expect(bench.passTime(to: 4).claimed == ["p"])
    }

    // MARK: Concurrency

    @Test("A reported concurrency limits the lane and is not reported to the store")
    func concurrency() throws {
        var bench = bench(3, rate: nil)
        for number in 1...3 { #expect(try bench.submit(number).started == [Int64(number)]) }
        #expect(bench.claim((4...6).map { bench.flight($0) }, asked: 3).started.isEmpty)
        let first = bench.end(1, .sound(limits: ReportedLimits(concurrency: 1)))
        #expect(first.started.isEmpty, "two are under way, and one may be")
        #expect(first.reports.isEmpty)
        #expect(bench.end(2, .sound(limits: ReportedLimits(concurrency: 1))).started.isEmpty)
        #expect(bench.end(3, .sound(limits: ReportedLimits(concurrency: 1))).started == [4])
        #expect(bench.end(4, .sound(limits: ReportedLimits(concurrency: 2))).started == [5, 6])
    }
}
