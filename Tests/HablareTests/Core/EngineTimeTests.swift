import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// Deadlines of attempts, requests and suspensions in one core.
@Suite struct EngineTimeTests {
    private func bench(
        timeout: TimeInterval = 30, grace: Duration = .seconds(5), needsNetwork: Bool = true
    ) -> CoreHarness {
        CoreHarness(
            [
                LaneDescription(
                    provider: "p", concurrency: 2, breaker: .never, needsNetwork: needsNetwork,
                    attemptTimeout: .seconds(timeout))
            ], grace: grace)
    }

    // MARK: Attempts

    @Test("An attempt is stopped at its timeout from the journalled start, and abandoned after the grace")
    func timeout() throws {
        var bench = bench()
        bench.claim([bench.flight(1)])
        #expect(bench.wake() == nil, "its start is on its way to the store")
        bench.setTime(2)
        bench.start(1)
        #expect(bench.wake() == .seconds(32))
        #expect(bench.passTime(to: 31.9).isEmpty)
        #expect(bench.passTime(to: 32).stopped == [bench.key(1)])
        #expect(bench.wake() == .seconds(37) && bench.core.running == 1)
        let abandoned = bench.passTime(to: 37)
        guard case .abandon(let key, .timedOut(after: .seconds(30)))? = abandoned.first else {
            return #expect(Bool(false), "\(abandoned)")
        }
        #expect(key == bench.key(1) && bench.core.running == 0 && bench.wake() == nil)
        #expect(bench.passTime(to: 99).isEmpty)
    }

    @Test("A request's own timeout precedes its provider's, even for a start journalled on submission")
    func ownTimeout() throws {
        var bench = bench()
        bench.claim([bench.flight(1, timeout: .seconds(3))])
        bench.start(1)
        #expect(bench.wake() == .seconds(3))
        bench.end(1)
        #expect(bench.wake() == nil, "what has come back has no deadline")
        #expect(try bench.submit(2).started == [2])
        #expect(bench.wake() == .seconds(30))
    }

    @Test("A streaming provider that is not silent gets the rest of its time")
    func silence() {
        var bench = bench()
        bench.claim([bench.flight(1)])
        bench.start(1)
        #expect(bench.passTime(to: 30, silence: .seconds(12)).isEmpty)
        #expect(bench.wake() == .seconds(42))
        #expect(bench.passTime(to: 42).stopped == [bench.key(1)])
    }

    @Test("A provider's silence while offline is an interruption, not a timeout")
    func silenceOffline() {
        for needsNetwork in [true, false] {
            var bench = bench(needsNetwork: needsNetwork)
            bench.claim([bench.flight(1)])
            bench.start(1)
            bench.after(bench.core.suspended(for: .offline, grace: .seconds(1_000)))
            #expect(bench.passTime(to: 30).stopped == [bench.key(1)])
            let reason = bench.core.ended(bench.key(1), with: .failing)
            #expect(reason == (needsNetwork ? .interrupted : .timedOut(after: .seconds(30))))
        }
    }

    @Test("A stopped attempt that is not journalled yet waits for the store without a timer")
    func stoppedWhileJournalling() {
        for grace in [Duration.zero, .seconds(5)] {
            var bench = bench(grace: grace)
            bench.claim([bench.flight(1)])
            #expect(bench.after(bench.core.stopAll()).stopped == [bench.key(1)])
            let effects = bench.passTime(to: 60)
            #expect(effects.stopped.isEmpty && effects.abandoned.isEmpty && bench.core.running == 1)
            #expect(bench.wake() == nil, "nothing was sent, and the store will answer")
            bench.start(1)
            #expect(bench.wake() == .seconds(60) + grace)
            #expect(bench.passTime(to: 65).abandoned == [bench.key(1)])
        }
    }

    @Test("An attempt whose provider returned is neither stopped nor abandoned while its output is journalled")
    func returned() {
        var bench = bench()
        bench.claim([bench.flight(1)])
        bench.start(1)
        bench.return(1)
        #expect(bench.core.running == 1 && !bench.core.isQuiet)
        #expect(bench.wake() == nil)
        #expect(bench.cancel(1).stopped.isEmpty && bench.after(bench.core.stopAll()).stopped.isEmpty)
        #expect(bench.passTime(to: 100).isEmpty)
        bench.end(1)
        #expect(bench.core.running == 0)
    }

    @Test("An abandoned attempt frees its slot exactly once")
    func abandonedPlace() {
        var bench = bench(timeout: 1)
        bench.claim((1...3).map { bench.flight($0) })
        for number in 1...2 { bench.start(number) }
        bench.passTime(to: 1)
        let effects = bench.passTime(to: 6)
        #expect(effects.abandoned == [bench.key(1), bench.key(2)] && effects.started == [3])
        #expect(!bench.core.isQuiet, "their ends are recorded")
        for number in 1...2 { bench.after(bench.core.recorded(bench.key(number))) }
        #expect(bench.core.isQuiet)
        // Their providers return after all, one while a newer attempt of its flight runs.
        #expect(bench.claim([bench.flight(1, token: 2)]).started == [1])
        #expect(bench.core.running == 2)
        for number in 1...2 { #expect(bench.end(number).started.isEmpty) }
        #expect(bench.core.running == 2 && !bench.core.isQuiet)
        #expect(bench.core.loads.map(\.running) == [2])
        for number in 1...2 { bench.after(bench.core.recorded(bench.key(number))) }
        #expect(bench.core.isQuiet && bench.core.underWay == [bench.key(1, token: 2), bench.key(3)])
        bench.end(3)
        bench.end(1, token: 2)
        #expect(bench.core.running == 0)
    }

    @Test("The end of an older attempt is recorded separately, even if the store refuses it")
    func olderRecording() {
        var bench = bench()
        bench.claim([bench.flight(1)])
        bench.start(1)
        bench.end(1)
        #expect(bench.claim([bench.flight(1, token: 2)]).started == [1], "its end is on its way to the store")
        bench.after(bench.core.recordingFailed(bench.key(1), with: StoreWorkbench.failure))
        #expect(
            bench.core.recording(of: bench.key(1))?.isSuspended == true
                && bench.core.recording(of: bench.key(1, token: 2)) == nil)
        #expect(bench.core.recording(of: bench.key(1))?.failures == 1)
        #expect(
            bench.after(bench.core.storeRecovered()).contains { effect in
                if case .resumeRecording(let keys) = effect { keys == [bench.key(1)] } else { false }
            })
        #expect(bench.claim([bench.flight(2)]).started.isEmpty)
        #expect(bench.after(bench.core.recorded(bench.key(1))).started == [2])
        #expect(bench.core.underWay == [bench.key(1, token: 2), bench.key(2)])
    }

    // MARK: Requests

    private func sweeps(_ effects: [EngineCore.Effect]) -> Int {
        effects.count { if case .sweep = $0 { true } else { false } }
    }

    private func submit(_ bench: inout CoreHarness, _ number: Int, deadline: TimeInterval) throws {
        let placed = bench.place([try bench.submission(number, deadline: deadline)])[0]
        _ = bench.commit(placed)
    }

    @Test("Expired requests are swept at the earliest deadline, one sweep at a time")
    func expiry() throws {
        var bench = bench(timeout: 1_000)
        for (number, deadline) in [(1, 9.0), (2, 4), (3, 7)] { try submit(&bench, number, deadline: deadline) }
        #expect(bench.wake() == .seconds(4))
        #expect(sweeps(bench.passTime(to: 3.9)) == 0)
        #expect(sweeps(bench.passTime(to: 4)) == 1)
        #expect(sweeps(bench.passTime(to: 5)) == 0, "it is under way")
        #expect(bench.wake() == .seconds(1_000))
        #expect(sweeps(bench.commit(.nextDeadline(bench.date(7)))) == 0)
        #expect(sweeps(bench.after(bench.core.swept(isFailed: false))) == 0)
        #expect(bench.wake() == .seconds(7))
        #expect(sweeps(bench.passTime(to: 7)) == 1)
        #expect(sweeps(bench.commit(.nextDeadline(bench.date(7)))) == 0, "also where a renewal looks beside it")
        #expect(sweeps(bench.after(bench.core.swept(isFailed: false))) == 1, "more than one sweep ends at once")
        bench.commit(.nextDeadline(nil))
        #expect(sweeps(bench.after(bench.core.swept(isFailed: false))) == 0)
        #expect(bench.wake() == .seconds(1_000))
    }

    @Test("After a failed sweep the next one follows the renewal of the lease")
    func failedSweep() throws {
        var bench = bench(timeout: 1_000)
        try submit(&bench, 1, deadline: 4)
        #expect(sweeps(bench.passTime(to: 4)) == 1)
        #expect(bench.after(bench.core.swept(isFailed: true)).isEmpty)
        #expect(bench.wake() == .seconds(1_000))
        #expect(sweeps(bench.commit(.nextDeadline(bench.date(4)))) == 1)
    }

    @Test("A sweep that ends while nothing may start is followed by others", arguments: [true, false])
    func sweepEndsUnheard(isClosed: Bool) throws {
        var bench = bench(timeout: 1_000)
        try submit(&bench, 1, deadline: 4)
        #expect(sweeps(bench.passTime(to: 4)) == 1)
        if isClosed {
            bench.after(bench.core.closed())
        } else {
            _ = bench.after(bench.core.storeFailed(with: StoreWorkbench.failure))
        }
        #expect(sweeps(bench.commit(.nextDeadline(bench.date(6)))) == 0)
        #expect(bench.after(bench.core.swept(isFailed: false)).isEmpty)
        if isClosed {
            bench.open()
        } else {
            bench.after(bench.core.storeRecovered())
        }
        #expect(bench.wake() == .seconds(6))
        #expect(sweeps(bench.passTime(to: 6)) == 1)
    }

    @Test("An attempt is stopped as expired if its flight ran out of time, else as cancelled")
    func expiredAttempt() {
        for (settlement, expected) in [
            (FlightLifecycle.Outcome.failed, StopReason.expired), (.cancelled, .cancelled),
        ] {
            var bench = bench()
            bench.claim([bench.flight(1)])
            bench.start(1)
            bench.commit(.flight(FlightID(rawValue: 1), bench.flight(.settled(settlement))))
            #expect(bench.core.ended(bench.key(1), with: .failing) == expected)
        }
    }

    // MARK: Suspensions

    @Test("A suspended lane releases queued leases and lets attempts continue for the grace")
    func suspended() throws {
        var bench = CoreHarness(
            [true, false].map {
                LaneDescription(
                    provider: $0 ? "net" : "local", concurrency: 1, needsNetwork: $0, attemptTimeout: .seconds(1_000))
            })
        for (number, provider) in [ProviderID("net"), "local"].enumerated() {
            bench.claim((1...2).map { bench.flight(number * 10 + $0, of: provider) }, by: provider)
            bench.start(number * 10 + 1)
        }
        let suspended = bench.after(bench.core.suspended(for: .offline, grace: .seconds(3)))
        #expect(suspended.released == [2] && suspended.stopped.isEmpty)
        #expect(bench.core.isLaneSuspended("net") && !bench.core.isLaneSuspended("local"))
        #expect(try bench.place(5, to: "net").placement == .leave)
        #expect(bench.claim([bench.flight(3, of: "net")], by: "net").released == [3])
        #expect(bench.core.nextGraceEnd == .seconds(3) && bench.wake() == .seconds(3))
        #expect(!bench.core.isQuietOffline)
        #expect(bench.passTime(to: 3).stopped == [bench.key(1)], "the local one goes on")
        bench.end(1, .notSent)
        bench.after(bench.core.recorded(bench.key(1)))
        #expect(bench.core.isQuietOffline && bench.core.nextGraceEnd == nil)
        #expect(bench.after(bench.core.backlogMayExist()).claimed.isEmpty)
        #expect(bench.end(11).started == [12])
        #expect(bench.after(bench.core.resumed(from: .offline)).claimed == ["net"])
    }

    @Test("The end of a grace wakes no idle engine, and hurrying a suspension stops attempts at once")
    func graces() {
        var bench = bench(timeout: 1_000)
        bench.after(bench.core.suspended(for: .offline, grace: .seconds(3)))
        #expect(bench.wake() == nil)
        bench.after(bench.core.resumed(from: .offline))
        bench.claim([bench.flight(1)])
        bench.start(1)
        bench.after(bench.core.suspended(for: .offline, grace: .seconds(3)))
        #expect(bench.after(bench.core.hurried(.offline)).stopped == [bench.key(1)])
        #expect(bench.after(bench.core.hurried(.offline)).stopped.isEmpty)
    }

    @Test("An engine suspended in the background closes when it is idle or its grace is over")
    func background() {
        var bench = bench(timeout: 1_000)
        _ = bench.core.engineStarted()
        bench.claim([bench.flight(1)])
        bench.start(1)
        #expect(!bench.core.isToClose)
        bench.after(bench.core.suspended(for: .background, grace: .seconds(3)))
        #expect(!bench.core.isToClose && bench.wake() == .seconds(3))
        bench.passTime(to: 3)
        #expect(bench.core.isToClose && bench.wake() == .seconds(1_000), "the engine stops what is under way")
        bench.end(1)
        #expect(bench.core.isToClose)
    }

    @Test("A network failure while offline does not count against the provider")
    func networkFailure() {
        let lost = Reply(result: .failure(AIServiceError(.connectionLost, "No answer came.")))
        for (isOffline, reason) in [(true, StopReason?.some(.offline)), (false, nil)] {
            var bench = CoreHarness([
                LaneDescription(provider: "p", concurrency: 1, breaker: BreakerPolicy(threshold: 1))
            ])
            bench.claim([bench.flight(1)])
            bench.start(1)
            if isOffline { bench.after(bench.core.suspended(for: .offline, grace: .seconds(9))) }
            #expect(bench.core.ended(bench.key(1), with: lost) == reason)
            #expect(bench.core.takeEffects().reports.isEmpty == isOffline)
        }
    }

    @Test("An attempt that failed because its lease was lost is interrupted")
    func lostLease() {
        var bench = bench()
        bench.claim([bench.flight(1)])
        bench.start(1)
        var reply = Reply.failing
        reply.lostLease = true
        #expect(bench.core.ended(bench.key(1), with: reply) == .interrupted)
    }
}
