import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// Limits, pauses, failing providers and back-offs, as one core sees them.
@Suite struct LaneLimitTests {
    private let now = StoreWorkbench.date(0)

    private func core(
        _ concurrency: Int = 8, rate: RateLimit? = RateLimit(requestsPerMinute: 60), providers: [ProviderID] = ["p"]
    ) -> DispatchCore {
        var core = DispatchCore(
            lanes: providers.map {
                LaneDescription(
                    provider: $0, concurrency: concurrency, account: "account", rate: rate,
                    breaker: BreakerPolicy(threshold: 2, pause: .seconds(10), longestPause: .seconds(15)))
            })
        _ = core.opened(now: now)
        for provider in providers { _ = core.claimed([], by: provider, asked: 32, now: now) }
        return core
    }

    private func flight(_ number: Int, provider: ProviderID = "p", cost: Double = 1) -> QueuedFlight {
        QueuedFlight(
            id: FlightID(rawValue: Int64(number)), lifecycle: FlightLifecycle(),
            request: AIRequest(id: StoreWorkbench.id(number), prompt: ""), provider: provider, cost: cost)
    }

    private func submit(
        _ core: inout DispatchCore, _ number: Int, provider: ProviderID = "p", cost: Double = 1, at date: Date
    ) -> [DispatchCore.Effect] {
        let placement = core.submitting(to: provider, cost: cost, now: date)
        return core.submitted(flight(number, provider: provider, cost: cost), as: placement, now: date)
    }

    private func started(_ effects: [DispatchCore.Effect]) -> [Int64] {
        effects.compactMap { effect in
            switch effect {
            case .start(let flight), .run(let flight): flight.id.rawValue
            default: nil
            }
        }
    }

    private func claimed(_ effects: [DispatchCore.Effect]) -> [Int] {
        effects.compactMap { if case .claim(_, let limit) = $0 { limit } else { nil } }
    }

    private func released(_ effects: [DispatchCore.Effect]) -> [Int64] {
        effects.flatMap { if case .release(let flights) = $0 { flights.map(\.id.rawValue) } else { [Int64]() } }
    }

    private func reserved(_ effects: [DispatchCore.Effect]) -> [[Double]] {
        effects.compactMap { if case .reserve(let request) = $0 { request.costs } else { nil } }
    }

    @Test("A limited provider's call is not sent before the store granted it a permit, and is asked for once")
    func asks() {
        var core = core(rate: RateLimit(requestsPerMinute: 600))
        let first = submit(&core, 1, at: now)
        #expect(started(first).isEmpty && reserved(first) == [[1]])
        let second = submit(&core, 2, at: now)
        #expect(started(second).isEmpty && reserved(second).isEmpty, "one question at a time")
        let granted = core.granted(PermitGrant(costs: [1], next: nil), of: "account", now: now)
        #expect(started(granted) == [1] && reserved(granted) == [[1]])
    }

    @Test("When nothing is granted the store is asked again when it said, and not before")
    func waits() {
        var core = core()
        _ = submit(&core, 1, at: now)
        let later = now.addingTimeInterval(3)
        #expect(core.granted(PermitGrant(costs: [], next: later), of: "account", now: now).isEmpty)
        #expect(core.wake(after: now) == later)
        #expect(reserved(core.timePassed(now: now.addingTimeInterval(2))).isEmpty)
        #expect(reserved(core.timePassed(now: later)) == [[1]])
    }

    @Test("An answer from a farther future than is believed is waited for, and not asked about again and again")
    func farFuture() {
        var core = core()
        _ = submit(&core, 1, at: now)
        let never = now.addingTimeInterval(AccountBudget.longestPause + 30)
        #expect(core.granted(PermitGrant(costs: [], next: never), of: "account", now: now).isEmpty)
        #expect(core.timePassed(now: now.addingTimeInterval(1)).isEmpty)
    }

    @Test("A permit that is not spent within a second is lost")
    func permitsExpire() {
        var core = core(1, rate: RateLimit(requestsPerMinute: nil, unitsPerMinute: 6000))
        // A call that takes no time, so that another one is leased beforehand.
        _ = submit(&core, 9, at: now)
        _ = core.granted(PermitGrant(costs: [1], next: nil), of: "account", now: now)
        for case .claim(let provider, let limit) in core.ended(
            FlightID(rawValue: 9), DispatchCore.CallEnd(health: .sound), now: now)
        {
            _ = core.claimed([], by: provider, asked: limit, now: now)
        }
        _ = submit(&core, 1, at: now)
        _ = submit(&core, 2, at: now)
        let effects = core.granted(PermitGrant(costs: [1, 1], next: nil), of: "account", now: now)
        #expect(started(effects) == [1])
        let late = now.addingTimeInterval(1.5)
        let ended = core.ended(FlightID(rawValue: 1), now: late)
        #expect(started(ended).isEmpty && reserved(ended) == [[1]])
    }

    private let unlimited = PermitGrant(costs: [1], next: nil, isUnlimited: true)

    @Test("Where nothing is known that limits the account, the store is asked once a second, and not for every call")
    func unlimitedGrants() {
        var core = core(rate: .asReported)
        #expect(reserved(submit(&core, 1, at: now)) == [[1]], "another process may have been told of a limit")
        #expect(started(core.granted(unlimited, of: "account", now: now)) == [1])
        #expect(core.submitting(to: "p", cost: 1e9, now: now) == .start, "whatever it costs")
        #expect(core.submissionDropped(to: "p", placement: .start, cost: 1e9, now: now).isEmpty)
        for number in 2...5 {
            #expect(started(submit(&core, number, at: now.addingTimeInterval(0.9))) == [Int64(number)])
        }
        let second = submit(&core, 6, at: now.addingTimeInterval(1))
        #expect(started(second).isEmpty && reserved(second) == [[1]])
    }

    @Test("What limits the account is kept to from the moment when this process was told")
    func endsOfUnlimitedGrants() {
        let limits = ReportedLimits(requests: ReportedLimits.Quota(perMinute: 60))
        for end in [
            DispatchCore.CallEnd(health: .sound, limits: limits),
            DispatchCore.CallEnd(health: .unknown, pausedUntil: now.addingTimeInterval(0.1)),
        ] {
            var core = core(rate: .asReported)
            _ = submit(&core, 1, at: now)
            _ = core.granted(unlimited, of: "account", now: now)
            _ = core.cameBack(FlightID(rawValue: 1), end, now: now)
            let later = now.addingTimeInterval(0.5)
            let effects = submit(&core, 2, at: later)
            #expect(started(effects).isEmpty && reserved(effects) == [[1]])
            _ = core.granted(PermitGrant(costs: [1], next: nil), of: "account", now: later)
            #expect(started(submit(&core, 3, at: later)).isEmpty, "from now on permits are counted")
        }
    }

    @Test("An answer of the store that is older than what the provider said of its limits lets nothing through")
    func outdatedUnlimitedGrants() {
        let limits = ReportedLimits(requests: ReportedLimits.Quota(perMinute: 60))
        var core = core(rate: .asReported)
        _ = submit(&core, 1, at: now)
        _ = core.granted(unlimited, of: "account", now: now)
        let later = now.addingTimeInterval(1)
        #expect(reserved(submit(&core, 2, at: later)) == [[1]])
        _ = core.cameBack(FlightID(rawValue: 1), DispatchCore.CallEnd(health: .sound, limits: limits), now: later)
        #expect(started(core.granted(unlimited, of: "account", now: later)) == [2], "what it granted, it granted")
        #expect(started(submit(&core, 3, at: later)).isEmpty)
    }

    @Test("What was sent without a permit has none to give back")
    func nothingToGiveBack() {
        let limits = ReportedLimits(requests: ReportedLimits.Quota(perMinute: 60))
        var core = core(rate: .asReported)
        _ = submit(&core, 1, at: now)
        _ = core.granted(unlimited, of: "account", now: now)
        #expect(core.submitting(to: "p", cost: 1, now: now) == .start)
        _ = core.cameBack(FlightID(rawValue: 1), DispatchCore.CallEnd(health: .sound, limits: limits), now: now)
        _ = core.submissionDropped(to: "p", placement: .start, cost: 1, now: now)
        #expect(started(submit(&core, 2, at: now)).isEmpty)
    }

    @Test("A call that costs more units than were granted waits for them")
    func units() {
        var core = core(rate: RateLimit(requestsPerMinute: nil, unitsPerMinute: 6000))
        #expect(reserved(submit(&core, 1, cost: 50, at: now)) == [[50]])
        #expect(started(core.granted(PermitGrant(costs: [50], next: nil), of: "account", now: now)) == [1])
        #expect(reserved(submit(&core, 2, cost: 70, at: now)) == [[70]])
    }

    @Test("The providers of one account share its permits, and the one that did not ask gets its turn")
    func sharedAccount() {
        var core = core(providers: ["p", "q"])
        _ = submit(&core, 1, at: now)
        _ = submit(&core, 2, at: now)
        _ = submit(&core, 3, provider: "q", at: now)
        let effects = core.granted(PermitGrant(costs: [1], next: nil), of: "account", now: now)
        #expect(started(effects) == [1])
        guard case .reserve? = effects.last(where: { if case .reserve = $0 { true } else { false } }) else {
            return #expect(Bool(false))
        }
        #expect(started(core.granted(PermitGrant(costs: [1], next: nil), of: "account", now: now)) == [3])
    }

    @Test("What the provider asked for is kept to: nothing is sent before, and the store is told")
    func pauses() {
        var core = core(rate: nil)
        #expect(started(submit(&core, 1, at: now)) == [1])
        let until = now.addingTimeInterval(7)
        let effects = core.ended(
            FlightID(rawValue: 1), DispatchCore.CallEnd(health: .unknown, pausedUntil: until), now: now)
        guard case .report(let report)? = effects.first else { return #expect(Bool(false)) }
        #expect(report.pausedUntil == until && report.account == "account")
        #expect(started(submit(&core, 2, at: now)).isEmpty)
        #expect(core.wake(after: now) == until)
        #expect(started(core.timePassed(now: now.addingTimeInterval(6.9))).isEmpty)
        #expect(started(core.timePassed(now: until)) == [2])
    }

    @Test(
        "A provider that fails is left alone, then probed by one call; its failure doubles the pause, its success ends it"
    )
    func breaker() {
        var core = core(rate: nil)
        for number in 1...6 { _ = submit(&core, number, at: now) }
        let failure = DispatchCore.CallEnd(health: .failing)
        _ = core.ended(FlightID(rawValue: 1), failure, now: now)
        let effects = core.ended(FlightID(rawValue: 2), failure, now: now)
        guard case .report(let report)? = effects.first else { return #expect(Bool(false)) }
        #expect(report.failing == .until(now.addingTimeInterval(10)))
        for number in 3...6 { _ = core.ended(FlightID(rawValue: Int64(number)), now: now) }
        for number in 7...9 { #expect(started(submit(&core, number, at: now)).isEmpty) }
        #expect(core.wake(after: now) == now.addingTimeInterval(10))
        let probing = now.addingTimeInterval(10)
        #expect(claimed(core.timePassed(now: probing)) == [1], "what one probe needs")
        #expect(started(core.claimed([flight(7)], by: "p", asked: 1, now: probing)) == [7], "one probe")
        #expect(core.wake(after: probing) == nil, "the probe's end is waited for")
        _ = core.ended(FlightID(rawValue: 7), failure, now: probing)
        #expect(core.wake(after: probing) == probing.addingTimeInterval(15), "doubled, and at most the longest")
        let again = probing.addingTimeInterval(15)
        #expect(claimed(core.timePassed(now: again)) == [1])
        #expect(started(core.claimed([flight(8)], by: "p", asked: 1, now: again)) == [8])
        let healed = core.ended(FlightID(rawValue: 8), DispatchCore.CallEnd(health: .sound), now: again)
        #expect(claimed(healed).allSatisfy { $0 > 1 } && claimed(healed).count == 1, "all that there is room for")
        guard case .report(let news)? = healed.first else { return #expect(Bool(false)) }
        #expect(news.failing == .over)
    }

    @Test("What waits for a provider that is left alone here goes back: it may answer another process")
    func nothingIsHoarded() {
        var core = core(2, rate: nil)
        let failure = DispatchCore.CallEnd(health: .failing)
        #expect(core.submitting(to: "p", cost: 1, now: now) == .start)
        _ = core.submitted(flight(1), as: .start, now: now)
        // A call that took no time: the lane leases ahead.
        let ended = core.ended(FlightID(rawValue: 1), failure, now: now)
        for limit in claimed(ended) { _ = core.claimed([], by: "p", asked: limit, now: now) }
        for number in 2...6 { _ = submit(&core, number, at: now) }
        #expect(core.submitting(to: "p", cost: 1, now: now) == .lease, "written while the provider fails")
        let effects = core.ended(FlightID(rawValue: 2), failure, now: now)
        #expect(released(effects) == [4, 5, 6] && claimed(effects).isEmpty)
        #expect(released(core.submitted(flight(7), as: .lease, now: now)) == [7])
        #expect(core.submitting(to: "p", cost: 1, now: now) == .leave)
        #expect(core.submitted(flight(8), as: .leave, now: now).isEmpty)
        #expect(core.backlogMayExist(now: now).isEmpty, "nothing is asked for")
        #expect(core.wake(after: now) == now.addingTimeInterval(10))
    }

    @Test("A claim that is answered after the provider began to fail keeps nothing but a probe")
    func claimedTooLate() {
        var core = core(2, rate: nil)
        let failure = DispatchCore.CallEnd(health: .failing)
        for number in 1...2 { _ = submit(&core, number, at: now) }
        #expect(claimed(core.backlogMayExist(now: now)).isEmpty, "no room")
        #expect(claimed(core.ended(FlightID(rawValue: 1), failure, now: now)).count == 1)
        _ = core.ended(FlightID(rawValue: 2), failure, now: now)
        #expect(released(core.claimed([flight(3), flight(4)], by: "p", asked: 2, now: now)) == [3, 4])
        let probing = now.addingTimeInterval(10)
        #expect(claimed(core.timePassed(now: probing)) == [1])
        let effects = core.claimed([flight(5), flight(6)], by: "p", asked: 2, now: probing)
        #expect(started(effects) == [5] && released(effects) == [6])
    }

    @Test("A probe that waits for a permit is all that is held, and goes when it may")
    func probeWaitsForPermit() {
        var core = core(4, rate: RateLimit(requestsPerMinute: 6000))
        for number in 1...4 {
            _ = submit(&core, number, at: now)
            _ = core.granted(PermitGrant(costs: [1], next: nil), of: "account", now: now)
        }
        let failure = DispatchCore.CallEnd(health: .failing)
        for number in 1...4 { _ = core.ended(FlightID(rawValue: Int64(number)), failure, now: now) }
        let probing = now.addingTimeInterval(10)
        _ = core.claimed([], by: "p", asked: 4, now: now)
        _ = core.submitted(flight(5), as: .leave, now: now)
        #expect(claimed(core.timePassed(now: probing)) == [1])
        let effects = core.claimed([flight(5), flight(6)], by: "p", asked: 1, now: probing)
        #expect(reserved(effects) == [[1]] && started(effects).isEmpty && released(effects) == [6])
        #expect(claimed(core.backlogMayExist(now: probing)).isEmpty)
        #expect(started(core.granted(PermitGrant(costs: [1], next: nil), of: "account", now: probing)) == [5])
    }

    @Test("Of a limited account no more is leased than may begin soon, whatever the concurrency, and always one")
    func leasesByRate() {
        for (perMinute, limit) in [(60.0, 1), (1, 1), (1_200, 10), (1_000_000, 100)] {
            var core = DispatchCore(lanes: [
                LaneDescription(provider: "p", concurrency: 100, rate: RateLimit(requestsPerMinute: perMinute))
            ])
            #expect(claimed(core.opened(now: now)) == [limit], "\(perMinute) calls a minute")
        }
    }

    @Test("A flight that backs off in the store is asked for when its date has come")
    func backoff() {
        var core = core(rate: nil)
        let until = now.addingTimeInterval(4)
        #expect(core.postponed("p", until: until, now: now).isEmpty)
        #expect(core.wake(after: now) == until)
        #expect(core.timePassed(now: now.addingTimeInterval(3)).isEmpty)
        let effects = core.timePassed(now: until)
        #expect(effects.contains { if case .claim("p", _) = $0 { true } else { false } })
        _ = core.claimed([], nextDue: until.addingTimeInterval(5), by: "p", asked: 32, now: until)
        #expect(core.wake(after: until) == until.addingTimeInterval(5))
    }

    @Test("Each provider is left alone as its own policy says")
    func ownBreakers() {
        var core = DispatchCore(lanes: [
            LaneDescription(
                provider: "p", concurrency: 1,
                breaker: BreakerPolicy(threshold: 1, pause: .seconds(10), longestPause: .seconds(15))),
            LaneDescription(provider: "q", concurrency: 1, breaker: .never),
        ])
        _ = core.opened(now: now)
        for (number, provider) in [ProviderID("p"), "q"].enumerated() {
            _ = core.claimed([flight(number, provider: provider)], by: provider, asked: 32, now: now)
            _ = core.ended(FlightID(rawValue: Int64(number)), DispatchCore.CallEnd(health: .failing), now: now)
            let next = core.claimed([flight(number + 10, provider: provider)], by: provider, asked: 32, now: now)
            let isSent = next.contains { if case .start = $0 { true } else { false } }
            #expect(isSent == (provider == "q"), "\(provider)")
        }
    }

    @Test("What a provider says of calls at once is kept by its lane, and costs the store nothing")
    func concurrency() {
        var core = core(3, rate: nil)
        for number in 1...3 { #expect(started(submit(&core, number, at: now)) == [Int64(number)]) }
        #expect(started(core.claimed((4...6).map { flight($0) }, by: "p", asked: 3, now: now)).isEmpty)
        func end(_ number: Int64, _ concurrency: Int) -> [DispatchCore.Effect] {
            core.ended(
                FlightID(rawValue: number),
                DispatchCore.CallEnd(health: .sound, limits: ReportedLimits(concurrency: concurrency)), now: now)
        }
        let first = end(1, 1)
        #expect(started(first).isEmpty, "two are under way, and one may be")
        #expect(!first.contains { if case .report = $0 { true } else { false } })
        #expect(started(end(2, 1)).isEmpty)
        #expect(started(end(3, 1)) == [4])
        #expect(started(end(4, 2)) == [5, 6])
    }
}
