import Foundation
import HablareTestKit
import Testing

@testable import Hablare

/// Single cases of placing, selecting, opening and closing.
@Suite struct EngineCoreTests {
    // MARK: Opening

    @Test("Opening claims waiting flights from the store once, up to the concurrency")
    func opening() {
        var bench = CoreHarness(2, isOpen: false)
        let effects = bench.open()
        guard case .claim(let provider, let limit)? = effects.first else { return #expect(Bool(false)) }
        #expect(effects.count == 1 && provider == "p" && limit == 2)
        #expect(bench.open().isEmpty)
    }

    @Test("Before the engine is open, submissions are left in the store")
    func closedPlacement() throws {
        var bench = CoreHarness(2, isOpen: false)
        #expect(try bench.placements(1) == [.leave])
    }

    // MARK: Placing

    @Test("A submission starts while a slot is free, is leased while the window has room, then is left")
    func placements() throws {
        var bench = CoreHarness(2)
        try bench.call(taking: 0)
        #expect(
            try bench.placements(20) == [.start, .start] + Array(repeating: .lease, count: 16) + [.leave, .leave])
    }

    @Test("The submissions of one commit are placed one after another")
    func placesOfOneCommit() throws {
        var bench = CoreHarness(2)
        let placed = bench.place(try (1...3).map { try bench.submission($0) })
        #expect(placed.map(\.placement) == [.start, .start, .leave])
        #expect(placed[0].flight.isExecuting && placed[0].flight.attempt == 1)
        #expect(placed.map(\.flight.owner) == [CoreHarness.owner, CoreHarness.owner, nil])
        #expect(placed[2].flight == FlightLifecycle())
        #expect(bench.core.placed == 2)
    }

    @Test("A submission under a budget is leased in its commit and started afterwards")
    func budgetedPlacement() throws {
        var bench = CoreHarness(1)
        var submission = try bench.submission(1)
        submission.isBudgeted = true
        let placed = bench.place([submission])[0]
        #expect(placed.placement == .start && placed.flight.state == .leased(CoreHarness.owner))
        let effects = bench.commit(placed)
        guard case .start(let flight)? = effects.first else { return #expect(Bool(false)) }
        #expect(flight.id.rawValue == 1 && effects.started == [1])
    }

    @Test("A submission under a budget does not start if the store or the provider has failed by then")
    func budgetedPlacementTooLate() throws {
        for isParked in [true, false] {
            let breaker = BreakerPolicy(threshold: 1, pause: .seconds(10))
            var bench = CoreHarness([LaneDescription(provider: "p", concurrency: 2, breaker: breaker)])
            try bench.submit(1)
            var submission = try bench.submission(2)
            submission.isBudgeted = true
            let placed = bench.place([submission])[0]
            #expect(placed.placement == .start)
            if isParked {
                bench.after(bench.core.storeFailed(with: StoreWorkbench.failure))
            } else {
                bench.end(1, .failing)
            }
            let effects = bench.commit(placed)
            #expect(effects.started.isEmpty && bench.core.placed == 0)
            if isParked {
                #expect(bench.core.flightCount == 2)
                #expect(bench.after(bench.core.storeRecovered()).started == [2])
            } else {
                #expect(effects.released == [2], "another process may be answered")
            }
        }
    }

    @Test("A submission outside the claim scope is left and reserves no slot")
    func outOfScope() throws {
        var bench = CoreHarness(
            [LaneDescription(provider: "p", concurrency: 1)], scope: .request(StoreWorkbench.id(1)))
        #expect(try bench.place(2).placement == .leave)
        #expect(try bench.place(1).placement == .start)
    }

    @Test("The lease window is the number of slots for slow calls, and half a second of fast calls")
    func lookahead() throws {
        for (seconds, held) in [(60, 2), (1, 3), (0.25, 6), (0.05, 18), (0, 18), (-5, 2), (.infinity, 2), (.nan, 2)] {
            var bench = CoreHarness(2)
            try bench.call(taking: seconds)
            #expect(try bench.placements(30).count { $0 != .leave } == held, "calls of \(seconds) s")
        }
    }

    @Test("The lease window of a rate-limited account holds what it allows in half a second")
    func lookaheadOfLimited() throws {
        for (perMinute, held) in [(12.0, 1), (240, 4), (1_000_000, 18), (.nan, 1)] {
            var bench = CoreHarness([
                LaneDescription(provider: "p", concurrency: 2, rate: RateLimit(requestsPerMinute: perMinute))
            ])
            try bench.submit(1_000, cost: 1)
            let first = bench.after(bench.core.granted(PermitGrant(costs: [1], next: nil), of: "p"))
            #expect(first.started == [1_000])
            for limit in bench.end(1_000).claims { bench.claim([], asked: limit) }
            #expect(
                try bench.placements(30, cost: 1).count { $0 != .leave } == held, "\(perMinute) calls a minute")
        }
    }

    @Test("Calls that were stopped or not sent do not change the estimated call duration")
    func lookaheadOfStopped() throws {
        for reply in [Reply.notSent, .silent] {
            var bench = CoreHarness(2)
            try bench.call(taking: 0, reply)
            #expect(try bench.placements(30).count { $0 != .leave } == 2)
        }
    }

    @Test("A call that spanned a sleep of the machine is forgotten after some that did not")
    func lookaheadAfterSleep() throws {
        var bench = CoreHarness(2)
        try bench.call(taking: 28_800)
        for _ in 0..<20 { try bench.call(taking: 0.01) }
        #expect(try bench.placements(30).count { $0 != .leave } > 2)
    }

    @Test("The estimated call duration adapts to a change")
    func lookaheadChanges() throws {
        var bench = CoreHarness(2)
        try bench.call(taking: 0)
        for _ in 0..<40 { try bench.call(taking: 60) }
        #expect(try bench.placements(3) == [.start, .start, .leave])
    }

    @Test("A submission to an unknown provider is left in the store")
    func unknownProvider() throws {
        var bench = CoreHarness(2)
        #expect(try bench.place(1, to: "q").placement == .leave)
    }

    @Test("A submission does not overtake older ones that may wait in the store")
    func noOvertaking() throws {
        var bench = CoreHarness(2, isOpen: false)
        bench.open()
        #expect(try bench.place(1).placement == .leave, "the store has not answered yet")
    }

    @Test("A submission left during an empty claim is claimed once it is on disk")
    func leftDuringClaim() throws {
        var bench = CoreHarness(1, isOpen: false)
        bench.open()
        let submission = try bench.place(1)
        #expect(submission.placement == .leave)
        #expect(bench.claim([], asked: 16).claims.count == 1, "it may have come meanwhile")
        #expect(bench.claim([], asked: 16).claims.isEmpty, "claimed again before it was on disk")
        #expect(bench.commit(submission).claims.count == 1)
    }

    @Test("A backlog written by another process is claimed at once")
    func foreignBacklog() {
        var bench = CoreHarness(2)
        #expect(bench.hear().claims.isEmpty)
        #expect(bench.hear(mayWait: true).claims == [2])
        #expect(bench.hear(mayWait: true).claims.isEmpty, "they are asked for")
        #expect(bench.claim([], asked: 2).claims == [2], "more may have come since")
    }

    // MARK: Slots of submissions without a flight

    @Test(
        "A submission that gets no flight of its own frees its slot",
        arguments: [EngineCore.Placement.start, .lease])
    func droppedPlaces(placement: EngineCore.Placement) throws {
        let elsewhere = FlightID(rawValue: 77)
        for receipt in [
            WriteReceipt.submitted(SubmissionReceipt(id: StoreWorkbench.id(2), flight: elsewhere, wasPresent: true)),
            .submitted(
                SubmissionReceipt(id: StoreWorkbench.id(2), flight: elsewhere, wasPresent: false, isAnswered: true)),
            .rejected(.unknown(StoreWorkbench.id(2))),
        ] {
            var bench = CoreHarness(1)
            try bench.call(taking: 0)
            if placement == .lease { try bench.submit(1) }
            let before = bench
            let submission = try bench.place(2)
            #expect(submission.placement == placement)
            #expect(bench.core.placed == 1 && !bench.core.isQuiet)
            let effects = bench.after(
                bench.core.committed(
                    StoreCommit(receipts: [receipt]), of: [.submit(submission)]))
            #expect(effects.started.isEmpty)
            #expect(bench.core.placed == 0 && bench.core.isQuiet)
            try expectSamePlaces(in: bench, as: before)
        }
    }

    @Test("A failed commit frees all reserved slots", arguments: [EngineCore.Placement.start, .lease])
    func failedCommit(placement: EngineCore.Placement) throws {
        var bench = CoreHarness(1)
        try bench.call(taking: 0)
        if placement == .lease { try bench.submit(1) }
        let before = bench
        let submission = try bench.place(2)
        #expect(submission.placement == placement)
        bench.after(bench.core.commitFailed([.submit(submission)], with: StoreWorkbench.busy))
        #expect(bench.core.placed == 0)
        try expectSamePlaces(in: bench, as: before)
    }

    /// Compares how many submissions two cores can take.
    private func expectSamePlaces(
        in bench: CoreHarness, as other: CoreHarness, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var (bench, other) = (bench, other)
        let (places, expected) = (try bench.placements(30), try other.placements(30))
        #expect(places == expected, sourceLocation: sourceLocation)
    }

    @Test("A submission that joins a flight of its own commit frees its slot")
    func joinsWithinCommit() throws {
        var bench = CoreHarness(2)
        let placed = bench.place([try bench.submission(1), try bench.submission(2)])
        #expect(placed.map(\.placement) == [.start, .start])
        let first = bench.receipt(placed[0])
        let second = SubmissionReceipt(
            id: placed[1].request.id, flight: first.flight, wasPresent: false, hasJoined: true)
        let effects = bench.after(
            bench.core.committed(
                StoreCommit(
                    receipts: [.submitted(first), .submitted(second)],
                    changes: [.submitted(placed[0], first), .submitted(placed[1], second)]),
                of: placed.map { .submit($0) }))
        #expect(effects.started == [1] && bench.core.running == 1 && bench.core.placed == 0)
        #expect(try bench.placements(2) == [.start, .leave])
    }

    // MARK: Cancelling

    @Test("A flight cancelled in the commit of its submission is stopped or not started")
    func cancelledInItsCommit() throws {
        for placement in [EngineCore.Placement.start, .lease] {
            var bench = CoreHarness(1)
            try bench.call(taking: 0)
            if placement == .lease { try bench.submit(9) }
            let submission = try bench.place(1)
            #expect(submission.placement == placement)
            let receipt = bench.receipt(submission)
            let effects = bench.after(
                bench.core.committed(
                    StoreCommit(
                        receipts: [.submitted(receipt), .done],
                        changes: [
                            .submitted(submission, receipt),
                            .request(StoreWorkbench.id(1), of: receipt.flight, .cancelled),
                            .flight(receipt.flight, bench.flight(.settled(.cancelled))),
                        ]),
                    of: [.submit(submission), .cancel(StoreWorkbench.id(1), at: bench.now.date)]))
            #expect(effects.stopped == (placement == .start ? [bench.key(1)] : []))
            if placement == .lease {
                #expect(bench.core.flightCount == 1 && bench.end(9).started.isEmpty, "it was taken out of the queue")
            } else {
                #expect(bench.core.running == 1, "its place is kept until the provider came back")
                bench.end(1, .notSent)
                #expect(bench.core.running == 0)
            }
        }
    }

    @Test("An outdated cancellation does not stop the attempt of a later retry")
    func oldNews() {
        var bench = CoreHarness(1)
        #expect(bench.claim([bench.flight(1, token: 2)]).started == [1])
        #expect(bench.cancel(1, token: 1).stopped.isEmpty)
        #expect(bench.core.running == 1)
        #expect(bench.cancel(1, token: 2).stopped == [bench.key(1, token: 2)])
    }

    @Test("A retried flight runs again only after its stopped attempt has ended")
    func retriedUnderWay() {
        var bench = CoreHarness(2)
        #expect(bench.claim([bench.flight(1)]).started == [1])
        bench.start(1)
        #expect(bench.cancel(1).stopped == [bench.key(1)])
        bench.commit(.flight(FlightID(rawValue: 1), bench.flight(.waiting)))
        #expect(bench.claim([bench.flight(1, token: 2)]).started.isEmpty, "never twice at once")
        #expect(bench.core.running == 1 && bench.core.flightCount == 2)
        #expect(bench.end(1).started == [1])
        #expect(bench.core.running == 1 && bench.core.flightCount == 1)
    }

    @Test("A retried flight runs again at its own provider after the stopped attempt has ended")
    func retriedAtAnotherProvider() {
        var bench = CoreHarness(["a", "b"].map { LaneDescription(provider: $0, concurrency: 1) })
        #expect(bench.claim([bench.flight(1, of: "a")], by: "a").started == [1])
        bench.start(1)
        // Another process took this one for dead and failed at `a` as well, and the flight moved on to `b`.
        #expect(bench.hear(.flight(FlightID(rawValue: 1), bench.flight(.waiting, token: 2))).stopped == [bench.key(1)])
        #expect(bench.claim([bench.flight(1, of: "b", token: 3)], by: "b").started.isEmpty)
        #expect(bench.end(1).started == [1])
        let running = Dictionary(uniqueKeysWithValues: bench.core.loads.map { ($0.provider, $0.running) })
        #expect(running == ["a": 0, "b": 1], "its place is in the lane of the provider that is called")
        bench.end(1, token: 3)
        #expect(bench.core.loads.allSatisfy { $0.running == 0 && $0.queued == 0 })
    }

    @Test("Of two leases of a flight the newer one starts after the stopped attempt, in either order")
    func newestLease() {
        for tokens in [[2, 3], [3, 2]] as [[Int64]] {
            var bench = CoreHarness(2)
            bench.claim([bench.flight(1)])
            bench.start(1)
            bench.hear(.flight(FlightID(rawValue: 1), bench.flight(.waiting)))
            for token in tokens { bench.claim([bench.flight(1, token: token)]) }
            #expect(bench.core.flightCount == 2)
            bench.end(1)
            #expect(bench.core.underWay == [bench.key(1, token: 3)])
        }
    }

    @Test("A flight leaves the queue with all of its outdated leases")
    func severalLeases() {
        var bench = CoreHarness(1)
        bench.claim([bench.flight(9)])
        for token in [2, 3, 5] as [Int64] { bench.claim([bench.flight(1, token: token)]) }
        #expect(bench.core.flightCount == 4)
        bench.cancel(1, token: 4)
        #expect(bench.core.flightCount == 2)
        bench.end(9)
        #expect(bench.core.underWay == [bench.key(1, token: 5)])
    }

    @Test("A flight waiting for its stopped attempt does not start once it is cancelled")
    func cancelledWhileDeferred() {
        var bench = CoreHarness(2)
        bench.claim([bench.flight(1)])
        bench.start(1)
        bench.cancel(1)
        bench.claim([bench.flight(1, token: 2)])
        #expect(bench.core.flightCount == 2)
        bench.cancel(1, token: 1)
        #expect(bench.core.flightCount == 2, "older news than its lease")
        bench.cancel(1, token: 2)
        #expect(bench.core.flightCount == 1)
        #expect(bench.end(1).started.isEmpty)
    }

    @Test("A flight cancelled in the queue does not start")
    func cancelledInQueue() throws {
        var bench = CoreHarness(1)
        try bench.call(taking: 0)
        #expect(try bench.submit(1).started == [1])
        try bench.submit(2)
        try bench.submit(3)
        #expect(bench.core.flightCount == 3)
        #expect(bench.cancel(2).stopped.isEmpty)
        #expect(bench.end(1).started == [3])
    }

    @Test("A flight cancelled while it runs is stopped, and its slot is kept until it ends")
    func cancelledUnderWay() throws {
        var bench = CoreHarness(1)
        try bench.call(taking: 0)
        try bench.submit(1)
        #expect(bench.cancel(1).stopped == [bench.key(1)])
        #expect(try bench.placements(1) == [.lease])
        #expect(bench.core.running == 1)
        #expect(bench.cancel(1).stopped.isEmpty, "stopped once")
    }

    @Test("An attempt is stopped if, and only if, another process broke its lease")
    func leaseBrokenElsewhere() {
        for (lifecycle, isStopped) in [
            (FlightLifecycle(state: .waiting, token: 1, attempt: 1, generation: 1), true),
            (FlightLifecycle(state: .held, token: 1, attempt: 1, generation: 1), true),
            (FlightLifecycle(state: .executing(OwnerID(rawValue: 2)), token: 2, attempt: 2, generation: 2), true),
            (FlightLifecycle(state: .leased(OwnerID(rawValue: 2)), token: 2, attempt: 1, generation: 1), true),
            (FlightLifecycle(state: .executing(CoreHarness.owner), token: 1, attempt: 1, generation: 1), false),
            (FlightLifecycle(state: .leased(CoreHarness.owner), token: 1, attempt: 0, generation: 0), false),
        ] {
            var bench = CoreHarness(1)
            bench.claim([bench.flight(1)])
            bench.start(1)
            #expect(bench.hear(.flight(FlightID(rawValue: 1), lifecycle)).stopped.isEmpty != isStopped, "\(lifecycle)")
        }
    }

    @Test("Changes of a flight are watched while its attempt holds a slot")
    func interest() {
        var bench = CoreHarness(1)
        bench.claim([bench.flight(1)])
        #expect(bench.core.isOfInterest(.flight(FlightID(rawValue: 1))))
        bench.start(1)
        bench.end(1)
        #expect(!bench.core.isOfInterest(.flight(FlightID(rawValue: 1))), "its end is being recorded")
    }

    @Test("A start that the store refuses frees its slot and records nothing")
    func startRefused() {
        var bench = CoreHarness(1)
        #expect(bench.claim([bench.flight(1), bench.flight(2)]).started == [1])
        #expect(bench.after(bench.core.startRefused(bench.key(1))).started == [2])
        #expect(bench.core.running == 1)
        #expect(bench.after(bench.core.startRefused(bench.key(1))).isEmpty, "known no more")
    }

    @Test("A shutdown during the registration claims nothing")
    func openedTooLate() {
        var bench = CoreHarness(1)
        bench.after(bench.core.closed())
        bench.core.suspensions.endOrdered()
        #expect(bench.after(bench.core.opened(as: OwnerID(rawValue: 9))).claims.isEmpty)
        #expect(bench.core.owner == OwnerID(rawValue: 9) && bench.core.isClosed)
    }

    // MARK: The store

    @Test("After a store failure nothing starts until the store recovers")
    func parked() throws {
        var bench = CoreHarness(1)
        try bench.call(taking: 0)
        try bench.submit(1)
        try bench.submit(2)
        bench.after(bench.core.storeFailed(with: StoreWorkbench.failure))
        let effects = bench.end(1)
        #expect(effects.started.isEmpty && effects.claims.isEmpty)
        #expect(try bench.placements(1) == [.leave])
        #expect(
            bench.after(bench.core.recorded(bench.key(1))).started.isEmpty,
            "its receipt may be older than the failure")
        #expect(bench.after(bench.core.storeRecovered()).started == [2])
    }

    @Test("A start that could not be written is queued again until the store recovers")
    func startFailed() {
        var bench = CoreHarness(1)
        bench.claim([bench.flight(1)])
        let effects = bench.after(bench.core.startFailed(bench.key(1), with: StoreWorkbench.failure))
        #expect(effects.started.isEmpty && bench.core.running == 0 && bench.core.flightCount == 1)
        #expect(bench.after(bench.core.storeRecovered()).started == [1])
    }

    @Test("A start that could not be written is not repeated if its flight is settled")
    func startFailedAfterCancellation() {
        for settlement in [FlightLifecycle.Outcome.cancelled, .failed] {
            var bench = CoreHarness(1)
            bench.claim([bench.flight(1)])
            bench.commit(.flight(FlightID(rawValue: 1), bench.flight(.settled(settlement))))
            bench.after(bench.core.startFailed(bench.key(1), with: StoreWorkbench.failure))
            #expect(bench.core.flightCount == 0)
            #expect(bench.after(bench.core.storeRecovered()).started.isEmpty)
        }
    }

    @Test("A start that could not be written does not delay a newer lease of its flight")
    func startFailedWithDeferred() {
        var bench = CoreHarness(["a", "b"].map { LaneDescription(provider: $0, concurrency: 1) })
        bench.claim([bench.flight(1, of: "a")], by: "a")
        bench.hear(.flight(FlightID(rawValue: 1), bench.flight(.waiting, token: 2)))
        bench.claim([bench.flight(1, of: "b", token: 3)], by: "b")
        #expect(bench.core.flightCount == 2)
        bench.after(bench.core.startFailed(bench.key(1), with: StoreWorkbench.failure))
        #expect(bench.core.loads.map(\.queued) == [0, 1], "the lease that is over is not queued again")
        #expect(bench.after(bench.core.storeRecovered()).started == [1])
        #expect(bench.core.loads.map(\.running) == [0, 1])
    }

    @Test("A start that could not be written releases its lease if the engine is closed")
    func startFailedWhileClosed() {
        var bench = CoreHarness(1)
        bench.claim([bench.flight(1)])
        bench.after(bench.core.closed())
        #expect(
            bench.after(bench.core.startFailed(bench.key(1), with: StoreWorkbench.failure)).released == [1])
        #expect(bench.core.flightCount == 0)
    }

    @Test("Suspended recordings are written before anything starts")
    func recordingsFirst() {
        var bench = CoreHarness(2)
        bench.claim([bench.flight(1), bench.flight(2)])
        for number in 1...2 { bench.start(number) }
        for number in 1...2 {
            bench.end(number)
            bench.after(bench.core.recordingFailed(bench.key(number), with: StoreWorkbench.failure))
            #expect(bench.core.recording(of: bench.key(number))?.isSuspended == true)
        }
        #expect(bench.claim([bench.flight(3)]).started.isEmpty)
        let recovered = bench.after(bench.core.storeRecovered())
        let resumed = recovered.compactMap { effect -> [AttemptKey]? in
            if case .resumeRecording(let keys) = effect { keys } else { nil }
        }
        #expect(resumed == [[bench.key(1), bench.key(2)]] && recovered.started.isEmpty)
        #expect(bench.core.recording(of: bench.key(1))?.isSuspended == false)
        #expect(bench.after(bench.core.recorded(bench.key(1))).started.isEmpty, "one is left")
        #expect(bench.after(bench.core.recorded(bench.key(2))).started == [3])
    }

    @Test("A recording that fails again waits for the next recovery, and its failures are counted")
    func recordingFailsAgain() {
        var bench = CoreHarness(1)
        bench.claim([bench.flight(1)])
        bench.start(1)
        bench.end(1)
        for count in 1...3 {
            bench.after(bench.core.recordingFailed(bench.key(1), with: StoreWorkbench.failure))
            #expect(bench.core.recording(of: bench.key(1))?.failures == count)
            #expect(!bench.after(bench.core.storeRecovered()).isEmpty)
            #expect(bench.claim([bench.flight(2)]).started.isEmpty)
        }
        #expect(!bench.core.isQuiet, "the end is on its way to the store")
        #expect(bench.after(bench.core.recorded(bench.key(1))).started == [2])
    }

    @Test("Shutdown waits for recordings in flight, not for those that the store refuses")
    func quiet() {
        var bench = CoreHarness(1)
        bench.claim([bench.flight(1)])
        bench.start(1)
        #expect(bench.core.isQuiet)
        bench.end(1)
        #expect(!bench.core.isQuiet)
        bench.after(bench.core.closed())
        bench.after(bench.core.recordingFailed(bench.key(1), with: StoreWorkbench.failure))
        #expect(bench.core.isQuiet)
        #expect(bench.after(bench.core.resumeRecordings()).count == 1 && !bench.core.isQuiet)
        #expect(bench.after(bench.core.resumeRecordings()).isEmpty, "it is on its way")
        bench.after(bench.core.recorded(bench.key(1)))
        #expect(bench.core.isQuiet && bench.core.flightCount == 0)
    }

    @Test("Leases that could not be released are released when the store recovers")
    func unreturned() {
        var bench = CoreHarness(1)
        bench.core.unreturned = [bench.flight(1), bench.flight(2)]
        bench.after(bench.core.storeFailed(with: StoreWorkbench.failure))
        #expect(bench.after(bench.core.storeRecovered()).released == [1, 2])
        #expect(bench.after(bench.core.storeRecovered()).released.isEmpty)
    }

    // MARK: Closing

    @Test("Closing releases queued leases and keeps running attempts")
    func closing() throws {
        var bench = CoreHarness(1)
        try bench.call(taking: 0)
        for number in 1...3 { try bench.submit(number) }
        #expect(bench.after(bench.core.closed()).released == [2, 3])
        #expect(bench.core.running == 1 && bench.core.flightCount == 1)
        let effects = bench.end(1)
        #expect(effects.started.isEmpty && effects.claims.isEmpty)
    }

    @Test("Closing releases a lease that waits for a stopped attempt")
    func closingWithDeferred() {
        var bench = CoreHarness(2)
        bench.claim([bench.flight(1)])
        bench.start(1)
        bench.cancel(1)
        bench.claim([bench.flight(1, token: 2)])
        #expect(bench.after(bench.core.closed()).released == [1])
        #expect(bench.core.flightCount == 1)
    }

    @Test("A submission committed after closing is released at once", arguments: [EngineCore.Placement.start, .lease])
    func arrivesAfterClosing(placement: EngineCore.Placement) throws {
        var bench = CoreHarness(1)
        try bench.call(taking: 0)
        if placement == .lease { _ = try bench.place(9) }
        let submission = try bench.place(1)
        #expect(submission.placement == placement)
        bench.after(bench.core.closed())
        #expect(bench.commit(submission).released == [1])
        #expect(bench.core.flightCount == 0)
    }

    @Test("A claim answered after closing is released")
    func claimedAfterClosing() {
        var bench = CoreHarness(1)
        bench.after(bench.core.closed())
        #expect(bench.claim([bench.flight(1)]).released == [1])
        #expect(bench.core.flightCount == 0)
    }

    @Test("Shutdown stops every attempt once")
    func stopAll() {
        var bench = CoreHarness(2)
        bench.claim([bench.flight(1), bench.flight(2)])
        bench.start(1)
        #expect(bench.after(bench.core.stopAll()).stopped == [bench.key(1), bench.key(2)])
        #expect(bench.after(bench.core.stopAll()).stopped.isEmpty)
    }

    // MARK: Order

    @Test("A success recorded after a later failure does not close the breaker")
    func order() throws {
        let breaker = BreakerPolicy(threshold: 1, pause: .seconds(60))
        var bench = CoreHarness([LaneDescription(provider: "p", concurrency: 3, breaker: breaker)])
        bench.claim([bench.flight(1), bench.flight(2)])
        for number in 1...2 { bench.start(number) }
        #expect(bench.core.running == 2)
        bench.return(1)
        #expect(bench.core.running == 2)
        bench.end(2, .failing)
        bench.end(1)
        #expect(bench.core.running == 0)
        let submission = try bench.place(3)
        #expect(submission.placement == .leave)
        #expect(bench.commit(submission).isEmpty)
    }

    @Test("The queue starts the most urgent flight first")
    func urgency() throws {
        var bench = CoreHarness(1)
        try bench.call(taking: 0)
        try bench.submit(1)
        for (number, priority) in [(2, Priority.low), (3, .normal), (4, .high)] { try bench.submit(number, priority) }
        var order: [Int64] = []
        var last = 1
        for _ in 0..<3 {
            last = Int(bench.end(last).started.first ?? 0)
            order.append(Int64(last))
        }
        #expect(order == [4, 3, 2])
    }

    @Test("A claim is made before the lane runs empty, and not for every flight")
    func refills() {
        var bench = CoreHarness(1, isOpen: false)
        bench.open()
        var asked = bench.claim((1...16).map { bench.flight($0) }, asked: 16).claims.count
        #expect(asked == 0)
        for number in 1...16 { asked += bench.end(number).claims.count }
        #expect(asked == 1)
    }

    // MARK: Joining

    /// Returns a core with two lanes whose backlog in the store is empty as far as is known.
    private func chained() -> CoreHarness {
        CoreHarness(["a", "b"].map { LaneDescription(provider: $0, concurrency: 1) })
    }

    @Test("A request that joins a flight in the store has it claimed for every provider of its chain")
    func joinsInStore() throws {
        var bench = chained()
        let claimed = try bench.join(8, flight: 7, .normal, to: "a", fallback: ["b"]).claimed
        #expect(claimed.sorted { $0.rawValue < $1.rawValue } == ["a", "b"])
    }

    @Test("A request that joins a queued flight raises its priority at any provider of its chain")
    func joinsHere() throws {
        var bench = chained()
        let flights = [(1, Priority.high), (2, .low), (3, .low)].map { bench.flight($0, $1, of: "b") }
        #expect(bench.claim(flights, by: "b", asked: 3).started == [1])
        #expect(try bench.join(8, flight: 3, .high, to: "a", fallback: ["b"]).isEmpty)
        #expect(bench.end(1).started == [3])
    }

    @Test("A request that joins a queued flight neither delays it nor lowers its priority")
    func keepsItsPlace() throws {
        for (joining, expected) in [([Priority.low], [2, 3]), ([.high, .low], [2, 3]), ([], [2, 3])] {
            var bench = chained()
            let flights = [(1, Priority.high), (2, .low), (3, .low)].map { bench.flight($0, $1, of: "b") }
            bench.claim(flights, by: "b", asked: 3)
            for priority in joining {
                #expect(try bench.join(8, flight: 2, priority, to: "a", fallback: ["b"]).isEmpty)
            }
            var order: [Int64] = []
            for ended in [1] + expected.dropLast() { order += bench.end(ended).started }
            #expect(order == expected.map(Int64.init), "joined by \(joining)")
        }
    }

    @Test("A request that joins a running flight changes nothing")
    func joinsUnderWay() throws {
        var bench = chained()
        bench.claim([bench.flight(1, of: "a")], by: "a")
        #expect(try bench.join(8, flight: 1, .high, to: "a", fallback: ["b"]).isEmpty)
    }

    // MARK: Events

    @Test("A started event is sent once, when the start is on disk")
    func startedEvent() throws {
        var bench = CoreHarness(2)
        bench.core.isFollowed = true
        func starts(_ effects: [EngineCore.Effect]) -> [Int] {
            effects.events.compactMap { if case .started(_, _, _, let attempt) = $0 { attempt } else { nil } }
        }
        #expect(starts(try bench.submit(1)) == [1])
        #expect(starts(bench.claim([bench.flight(2)])).isEmpty)
        #expect(starts(bench.start(2)) == [1])
        // A retry, or a job that adopts the request, makes the store report the flight again.
        #expect(starts(bench.start(2)).isEmpty && starts(bench.start(1)).isEmpty)
    }
}
