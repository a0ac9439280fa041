import Foundation
import HablareTestKit
import Testing

@testable import Hablare

@Suite struct DispatchCoreTests {
    @Test(
        "Whatever happens in whatever order, the invariants hold and nothing is left behind",
        arguments: Seeds.choose(400))
    func invariants(seed: UInt64) throws {
        var model = DispatchModel(seed: seed)
        for _ in 0..<300 { try model.step() }
        try model.runDry()
    }

    @Test("The random events let flights run to their end")
    func modelIsAwake() throws {
        var finished = 0
        for seed in UInt64(0)..<40 {
            var model = DispatchModel(seed: seed)
            for _ in 0..<300 { try model.step() }
            finished += model.finished
        }
        #expect(finished > 50)
    }

    // MARK: By hand

    private let now = StoreWorkbench.date(0)

    /// A core that is open, knows of nothing that waits in the store, and has seen one call that took no time.
    private func core(_ concurrency: Int = 2, open: Bool = true) -> DispatchCore {
        var core = DispatchCore(lanes: [LaneDescription(provider: "p", concurrency: concurrency)])
        if open {
            _ = core.opened(now: now)
            _ = core.claimed([], by: "p", asked: concurrency, now: now)
            call(&core, taking: 0)
        }
        return core
    }

    /// A call begins and ends.
    private func call(
        _ core: inout DispatchCore, taking seconds: TimeInterval,
        _ end: DispatchCore.CallEnd = DispatchCore.CallEnd(health: .sound)
    ) {
        let warmUp = flight(1_000)
        let placement = core.submitting(to: "p", cost: 0, now: now)
        _ = core.submitted(warmUp, as: placement, now: now)
        for case .claim(_, let limit) in core.ended(warmUp.id, end, now: now.addingTimeInterval(seconds)) {
            _ = core.claimed([], by: "p", asked: limit, now: now)
        }
    }

    private func flight(
        _ number: Int, _ priority: Priority = .normal, of provider: ProviderID = "p"
    ) -> QueuedFlight {
        QueuedFlight(
            id: FlightID(rawValue: Int64(number)), lifecycle: FlightLifecycle(),
            request: AIRequest(id: StoreWorkbench.id(number), prompt: "", priority: priority), provider: provider)
    }

    private func started(_ effects: [DispatchCore.Effect]) -> [Int64] {
        effects.compactMap { effect in
            switch effect {
            case .start(let flight), .run(let flight): flight.id.rawValue
            default: nil
            }
        }
    }

    private func claims(_ effects: [DispatchCore.Effect]) -> Int {
        effects.count { if case .claim = $0 { true } else { false } }
    }

    @Test("Opening asks the store once for what waits, by no more than can be run")
    func opening() {
        var core = core(open: false)
        let effects = core.opened(now: now)
        guard case .claim(let provider, let limit) = effects.first else { return #expect(Bool(false)) }
        #expect(effects.count == 1 && provider == "p" && limit == 2)
        #expect(core.opened(now: now).isEmpty)
    }

    @Test("Before it is open nothing is started: submissions are the store's to keep")
    func closedPlacement() {
        var core = core(open: false)
        #expect(core.submitting(to: "p", cost: 0, now: now) == .leave)
    }

    @Test("A submission starts at once while there is room, is leased while the window has room, then is left")
    func placements() {
        var core = core(2)
        let placements = (0..<20).map { _ in core.submitting(to: "p", cost: 0, now: now) }
        #expect(placements == [.start, .start] + Array(repeating: .lease, count: 16) + [.leave, .leave])
    }

    @Test("Of slow calls no more is leased than there is room for, of others what begins within half a second")
    func lookahead() {
        for (seconds, held) in [(60, 2), (1, 3), (0.25, 6), (0.05, 18), (0, 18), (-5, 2), (.infinity, 2), (.nan, 2)] {
            var core = DispatchCore(lanes: [LaneDescription(provider: "p", concurrency: 2)])
            _ = core.opened(now: now)
            _ = core.claimed([], by: "p", asked: 2, now: now)
            call(&core, taking: seconds)
            let placements = (0..<30).map { _ in core.submitting(to: "p", cost: 0, now: now) }
            #expect(placements.count { $0 != .leave } == held, "calls of \(seconds) s")
        }
    }

    @Test("Of a limited account no more is leased than it lets begin in half a second")
    func lookaheadOfLimited() {
        for (perMinute, held) in [(12.0, 1), (240, 4), (1_000_000, 18), (.nan, 1)] {
            let rate = RateLimit(requestsPerMinute: perMinute)
            var core = DispatchCore(lanes: [LaneDescription(provider: "p", concurrency: 2, rate: rate)])
            _ = core.opened(now: now)
            _ = core.claimed([], by: "p", asked: 2, now: now)
            let warmUp = flight(1_000)
            let placement = core.submitting(to: "p", cost: 1, now: now)
            _ = core.submitted(warmUp, as: placement, now: now)
            _ = core.granted(PermitGrant(costs: [1], next: nil), of: "p", now: now)
            for case .claim(_, let limit) in core.ended(warmUp.id, DispatchCore.CallEnd(health: .sound), now: now) {
                _ = core.claimed([], by: "p", asked: limit, now: now)
            }
            let placements = (0..<30).map { _ in core.submitting(to: "p", cost: 1, now: now) }
            #expect(placements.count { $0 != .leave } == held, "\(perMinute) calls a minute")
        }
    }

    @Test("Calls that were not sent, or were stopped, say nothing of how long they take")
    func lookaheadOfStopped() {
        for end in [DispatchCore.CallEnd.notSent, DispatchCore.CallEnd(health: .unknown)] {
            var core = DispatchCore(lanes: [LaneDescription(provider: "p", concurrency: 2)])
            _ = core.opened(now: now)
            _ = core.claimed([], by: "p", asked: 2, now: now)
            call(&core, taking: 0, end)
            let placements = (0..<30).map { _ in core.submitting(to: "p", cost: 0, now: now) }
            #expect(placements.count { $0 != .leave } == 2)
        }
    }

    @Test("A call that slept with the machine is forgotten after some that did not")
    func lookaheadAfterSleep() {
        var core = core()
        call(&core, taking: 28_800)
        for _ in 0..<20 { call(&core, taking: 0.01) }
        let placements = (0..<30).map { _ in core.submitting(to: "p", cost: 0, now: now) }
        #expect(placements.count { $0 != .leave } > 2)
    }

    @Test("How long calls take is learnt anew when it changes")
    func lookaheadChanges() {
        var core = core()
        for _ in 0..<40 { call(&core, taking: 60) }
        #expect(core.submitting(to: "p", cost: 0, now: now) == .start)
        #expect(core.submitting(to: "p", cost: 0, now: now) == .start)
        #expect(core.submitting(to: "p", cost: 0, now: now) == .leave)
    }

    @Test("An unknown provider's submission is left in the store")
    func unknownProvider() {
        var core = core()
        #expect(core.submitting(to: "q", cost: 0, now: now) == .leave)
    }

    @Test("Nobody overtakes what may wait in the store")
    func noOvertaking() {
        var core = core(open: false)
        _ = core.opened(now: now)
        #expect(core.submitting(to: "p", cost: 0, now: now) == .leave, "the store has not answered yet")
    }

    @Test("A submission that was left while the store answered that it has nothing is asked for once it is on disk")
    func leftDuringClaim() {
        var core = core(1, open: false)
        _ = core.opened(now: now)
        #expect(core.submitting(to: "p", cost: 0, now: now) == .leave)
        #expect(claims(core.claimed([], by: "p", asked: 16, now: now)) == 1, "it may have come meanwhile")
        #expect(claims(core.claimed([], by: "p", asked: 16, now: now)) == 0, "asked again before it was on disk")
        #expect(claims(core.submitted(flight(1), as: .leave, now: now)) == 1)
    }

    @Test("A flight that was cancelled before the core heard of it is not run")
    func cancelledEarly() {
        var core = core(1)
        #expect(core.submitting(to: "p", cost: 0, now: now) == .start)
        #expect(core.cancelled(FlightID(rawValue: 1), token: .max, now: now).isEmpty)
        #expect(started(core.submitted(flight(1), as: .start, now: now)) == [])
        #expect(core.running == 0)
        #expect(core.submitting(to: "p", cost: 0, now: now) == .start, "its place is free")
    }

    @Test("A flight that was cancelled and retried before the core heard of it runs once, whichever news comes first")
    func cancelledAndRetriedEarly() throws {
        for newsOfCancellation in [false, true] {
            var core = core(2)
            #expect(core.submitting(to: "p", cost: 0, now: now) == .start)
            var first = flight(1)
            try first.lifecycle.leased(by: OwnerID(rawValue: 1))
            var again = flight(1)
            try again.lifecycle.leased(by: OwnerID(rawValue: 1))
            _ = again.lifecycle.lastMemberLeft()
            try again.lifecycle.reopened()
            try again.lifecycle.leased(by: OwnerID(rawValue: 1))
            _ = core.backlogMayExist(now: now)
            #expect(started(core.claimed([again], by: "p", asked: 16, now: now)) == [1])
            if newsOfCancellation {
                _ = core.cancelled(FlightID(rawValue: 1), token: first.lifecycle.token, now: now)
            }
            #expect(started(core.submitted(first, as: .start, now: now)) == [], "its lease is over")
            #expect(core.running == 1)
        }
    }

    @Test("Old news of a cancellation does not stop the attempt that a retry led to")
    func oldNews() throws {
        var core = core(1)
        var again = flight(1)
        try again.lifecycle.leased(by: OwnerID(rawValue: 1))
        _ = again.lifecycle.lastMemberLeft()
        try again.lifecycle.reopened()
        try again.lifecycle.leased(by: OwnerID(rawValue: 1))
        _ = core.backlogMayExist(now: now)
        #expect(started(core.claimed([again], by: "p", asked: 16, now: now)) == [1])
        #expect(core.cancelled(FlightID(rawValue: 1), token: 1, now: now).isEmpty)
        #expect(!core.cancelled(FlightID(rawValue: 1), token: 2, now: now).isEmpty)
    }

    @Test("A flight that is retried while its stopped attempt has not come back runs again when it has")
    func retriedUnderWay() throws {
        var core = core(2)
        var first = flight(1)
        try first.lifecycle.leased(by: OwnerID(rawValue: 1))
        _ = core.backlogMayExist(now: now)
        #expect(started(core.claimed([first], by: "p", asked: 16, now: now)) == [1])
        #expect(!core.cancelled(first.id, token: first.lifecycle.token, now: now).isEmpty)
        var again = first
        _ = again.lifecycle.lastMemberLeft()
        try again.lifecycle.reopened()
        try again.lifecycle.leased(by: OwnerID(rawValue: 1))
        _ = core.backlogMayExist(now: now)
        #expect(started(core.claimed([again], by: "p", asked: 16, now: now)) == [], "never twice at once")
        #expect(core.running == 1 && core.held == 2)
        #expect(started(core.ended(first.id, now: now)) == [1])
        #expect(core.running == 1 && core.held == 1)
    }

    @Test("What was cancelled in the queue is not started")
    func cancelledInQueue() {
        var core = core(1)
        for number in 1...3 { #expect(core.submitting(to: "p", cost: 0, now: now) == (number == 1 ? .start : .lease)) }
        #expect(started(core.submitted(flight(1), as: .start, now: now)) == [1])
        _ = core.submitted(flight(2), as: .lease, now: now)
        _ = core.submitted(flight(3), as: .lease, now: now)
        #expect(core.cancelled(FlightID(rawValue: 2), token: .max, now: now).isEmpty)
        #expect(started(core.ended(FlightID(rawValue: 1), now: now)) == [3])
    }

    @Test("What is cancelled under way is stopped, and its place is kept until it ended")
    func cancelledUnderWay() {
        var core = core(1)
        _ = core.submitting(to: "p", cost: 0, now: now)
        _ = core.submitted(flight(1), as: .start, now: now)
        guard case .stop(let id) = core.cancelled(FlightID(rawValue: 1), token: .max, now: now).first else {
            return #expect(Bool(false))
        }
        #expect(id == FlightID(rawValue: 1))
        #expect(core.submitting(to: "p", cost: 0, now: now) == .lease)
        #expect(core.running == 1)
    }

    @Test("When the store fails nothing is started until it recovered")
    func parked() {
        var core = core(1)
        _ = core.submitting(to: "p", cost: 0, now: now)
        _ = core.submitted(flight(1), as: .start, now: now)
        _ = core.submitting(to: "p", cost: 0, now: now)
        _ = core.submitted(flight(2), as: .lease, now: now)
        core.storeFailed()
        #expect(core.ended(FlightID(rawValue: 1), now: now).isEmpty)
        #expect(core.submitting(to: "p", cost: 0, now: now) == .leave)
        #expect(started(core.storeRecovered(now: now)) == [2])
    }

    @Test("Closing gives back what is queued, and keeps what is under way")
    func closing() {
        var core = core(1)
        for number in 1...3 {
            let placement = core.submitting(to: "p", cost: 0, now: now)
            _ = core.submitted(flight(number), as: placement, now: now)
        }
        guard case .release(let released) = core.closed().first else { return #expect(Bool(false)) }
        #expect(released.map(\.id.rawValue) == [2, 3])
        #expect(core.running == 1 && core.held == 1)
        #expect(core.ended(FlightID(rawValue: 1), now: now).isEmpty)
    }

    @Test("What arrives after closing is given back at once", arguments: [DispatchCore.Placement.start, .lease])
    func arrivesAfterClosing(placement: DispatchCore.Placement) {
        var core = core(1)
        if placement == .lease { _ = core.submitting(to: "p", cost: 0, now: now) }
        #expect(core.submitting(to: "p", cost: 0, now: now) == placement)
        _ = core.closed()
        guard case .release(let released) = core.submitted(flight(1), as: placement, now: now).first else {
            return #expect(Bool(false))
        }
        #expect(released.map(\.id.rawValue) == [1])
        #expect(core.held == 0)
    }

    @Test("A success that is recorded after a failure that came later does not speak for the provider")
    func order() {
        let breaker = BreakerPolicy(threshold: 1, pause: .seconds(60))
        var core = DispatchCore(lanes: [LaneDescription(provider: "p", concurrency: 3, breaker: breaker)])
        _ = core.opened(now: now)
        _ = core.claimed([flight(1), flight(2)], by: "p", asked: 16, now: now)
        #expect(core.running == 2)
        _ = core.cameBack(FlightID(rawValue: 1), DispatchCore.CallEnd(health: .sound), now: now)
        #expect(core.running == 2)
        _ = core.ended(FlightID(rawValue: 2), DispatchCore.CallEnd(health: .failing), now: now)
        _ = core.ended(FlightID(rawValue: 1), .known, now: now)
        #expect(core.running == 0)
        #expect(core.submitting(to: "p", cost: 0, now: now) == .leave)
        #expect(core.submitted(flight(3), as: .leave, now: now).isEmpty)
    }

    @Test("The most urgent of what is queued is started first")
    func urgency() {
        var core = core(1)
        _ = core.submitting(to: "p", cost: 0, now: now)
        _ = core.submitted(flight(1), as: .start, now: now)
        for (number, priority) in [(2, Priority.low), (3, .normal), (4, .high)] {
            _ = core.submitting(to: "p", cost: 0, now: now)
            _ = core.submitted(flight(number, priority), as: .lease, now: now)
        }
        var order: [Int64] = []
        var last: Int64 = 1
        for _ in 0..<3 {
            last = started(core.ended(FlightID(rawValue: last), now: now)).first ?? 0
            order.append(last)
        }
        #expect(order == [4, 3, 2])
    }

    @Test("The store is asked for more before the lane runs dry, and not for every flight")
    func refills() {
        var core = core(1, open: false)
        _ = core.opened(now: now)
        var asked = claims(core.claimed((1...16).map { flight($0) }, by: "p", asked: 16, now: now))
        #expect(asked == 0)
        for number in 1...16 { asked += claims(core.ended(FlightID(rawValue: Int64(number)), now: now)) }
        #expect(asked == 1)
    }

    // MARK: Joining

    /// Two lanes, of which the store has nothing more as far as is known.
    private func chained() -> DispatchCore {
        var core = DispatchCore(lanes: ["a", "b"].map { LaneDescription(provider: $0, concurrency: 1) })
        _ = core.opened(now: now)
        for provider in ["a", "b"] as [ProviderID] { _ = core.claimed([], by: provider, asked: 1, now: now) }
        return core
    }

    @Test("Whoever joins a flight in the store has it asked for wherever its chain may have led it")
    func joinsInStore() {
        var core = chained()
        let asked = core.joined(FlightID(rawValue: 7), of: ["a", "b"], priority: .normal, now: now).compactMap {
            if case .claim(let provider, _) = $0 { provider } else { nil }
        }
        #expect(Set(asked) == ["a", "b"])
    }

    @Test("Whoever joins a flight that waits here makes it as urgent, wherever its chain has led it")
    func joinsHere() throws {
        var core = chained()
        let flights = [(1, Priority.high), (2, .low), (3, .low)].map { flight($0, $1, of: "b") }
        let running = core.claimed(flights, by: "b", asked: 3, now: now)
        #expect(started(running) == [1])
        #expect(core.joined(FlightID(rawValue: 3), of: ["a", "b"], priority: .high, now: now).isEmpty)
        let next = core.ended(FlightID(rawValue: 1), DispatchCore.CallEnd(health: .sound), now: now)
        #expect(started(next) == [3])
    }

    @Test("Whoever joins a flight that waits here sends it back neither in its class nor to a lesser one")
    func keepsItsPlace() {
        for (joining, expected) in [([Priority.low], [2, 3]), ([.high, .low], [2, 3]), ([], [2, 3])] {
            var core = chained()
            let flights = [(1, Priority.high), (2, .low), (3, .low)].map { flight($0, $1, of: "b") }
            _ = core.claimed(flights, by: "b", asked: 3, now: now)
            for priority in joining {
                #expect(core.joined(FlightID(rawValue: 2), of: ["a", "b"], priority: priority, now: now).isEmpty)
            }
            var order: [Int64] = []
            for ended in [1] + expected.dropLast() {
                let next = core.ended(
                    FlightID(rawValue: Int64(ended)), DispatchCore.CallEnd(health: .sound), now: now)
                order += started(next)
            }
            #expect(order == expected.map(Int64.init), "joined by \(joining)")
        }
    }
}
