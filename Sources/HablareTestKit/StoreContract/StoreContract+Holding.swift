import Foundation
import Hablare

extension StoreContract {
    static let holding: [Rule] = [
        Rule("A held attempt is in the ledger as possibly billed, and its request is held until a retry") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.holdNext(owner)
            let snapshot = try bench.store.snapshot(of: attempt.request)
            try require("the phase", snapshot?.phase, is: .pending)
            try require("why it waits", snapshot?.waiting, is: .held)
            try require("who has it", snapshot?.holder, is: nil)
            try require("the end", snapshot?.finishedAt, is: nil)
            let record = attempt.record(.failed, .maybeBilled, error: StoreWorkbench.lostTouch)
            try require("the ledger", try bench.store.attempts(of: attempt.request), is: [record])
        },
        Rule("A held flight is never claimed") { bench in
            let owner = try bench.register()
            try bench.submit(1, job: "j", position: 0)
            try bench.holdNext(owner)
            let claim = try bench.ask(owner, limit: 9, at: 1_000_000_000)
            try require("claimed", claim.flights.count, is: 0)
            try require("the next date", claim.nextDue, is: nil)
            let ofJob = try bench.claim(owner, scope: .job(JobKey(rawValue: "j")), limit: 9, at: 1_000_000_000)
            try require("claimed of its job", ofJob.count, is: 0)
        },
        Rule("Retrying a held request releases it and resets its tries") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.holdNext(owner)
            try require("retrying", try bench.write(.retry(attempt.request, at: StoreWorkbench.date(5))), is: .done)
            let claimed = try bench.claimOne(owner)
            let expected = FlightLifecycle(state: .leased(owner), token: 2, attempt: 1, generation: 1, uncounted: 1)
            try require("its life", claimed.lifecycle, is: expected)
            try require("tried since", claimed.triedSince, is: nil)
        },
        Rule("Cancelling or deleting a held request ends it") { bench in
            let owner = try bench.register()
            for number in 1...2 {
                let flight = try bench.submit(number)
                let attempt = try bench.holdNext(owner)
                let date = StoreWorkbench.date(9)
                let ending: StoreWrite =
                    number == 1 ? .cancel(attempt.request, at: date) : .delete(attempt.request, at: date)
                let ended = try bench.ended(by: ending)
                try require("the flight", ended, is: EndedFlight(flight, token: 1))
                let snapshot = try bench.store.snapshot(of: attempt.request)
                try require("the phase", snapshot?.phase, is: number == 1 ? .cancelled : nil)
                try require("held ones", try bench.store.snapshots(SnapshotFilter(isHeld: true)), is: [])
                try require("claimed", try bench.claim(owner, limit: 9, at: 99).count, is: 0)
            }
        },
        Rule("A late success is the outcome of a held flight") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.holdNext(owner)
            try require("the receipt", try bench.write(.settle(attempt.completed(at: 9))), is: .done)
            try require("the response", try bench.store.response(of: attempt.request), is: attempt.response(at: 9))
            let record = attempt.record(.completed, .billed, usage: RunningAttempt.usage, at: 9)
            try require("the ledger", try bench.store.attempts(of: attempt.request), is: [record])
        },
        Rule("An earlier lease holder cannot move a held flight") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            let claimed = try bench.claimOne(owner)
            let attempt = try bench.start(claimed)
            _ = try bench.write(.settle(attempt.held()))
            for transition in [
                try StoreWorkbench.start(claimed.lifecycle), try StoreWorkbench.release(claimed.lifecycle),
            ] {
                try require(
                    "a move", try bench.write(.advance(flight, transition, at: StoreWorkbench.date(5))),
                    is: .refused(.outOfOrder))
            }
            for end in [attempt.failed(StoreWorkbench.failure), attempt.postponed(until: 9), attempt.held()] {
                try require("an end", try bench.write(.settle(end)), is: .refused(.staleToken))
            }
            try require("why it waits", try bench.store.snapshot(of: attempt.request)?.waiting, is: .held)
        },
        Rule("An attempt lost with its process holds its flight if the request's policy is hold") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, unknownOutcome: .hold))
            let attempt = try bench.startNext(owner)
            try require(
                "the receipt", try bench.write(.retireOwner(owner, at: StoreWorkbench.date(9))), is: .broken(flights: 1)
            )
            try require("why it waits", try bench.store.snapshot(of: attempt.request)?.waiting, is: .held)
            try require("the owners", try bench.store.owners(), is: [])
            try require(
                "the ledger", try bench.store.attempts(of: attempt.request),
                is: [attempt.record(.lost, .maybeBilled, at: 9)])
            let next = try bench.register(2)
            try require("claimed", try bench.claim(next, limit: 9, at: 99).count, is: 0)
        },
        Rule("Broken leases and stopped attempts that were never sent do not hold the flight") { bench in
            let one = try bench.register(1)
            let two = try bench.register(2)
            try bench.submit(StoreWorkbench.submission(1, unknownOutcome: .hold))
            _ = try bench.claimOne(one)
            _ = try bench.write(.retireOwner(one, at: StoreWorkbench.date(9)))
            let attempt = try bench.startNext(two)
            _ = try bench.write(.settle(attempt.end(.interrupted, billing: .maybeBilled)))
            let waiting = try bench.store.snapshot(of: attempt.request)?.waiting
            try require("why it waits", waiting, is: .unclaimed(ahead: 0))
        },
        Rule("A request whose process dies repeatedly is held, whatever its policy") { bench in
            try bench.submit(1)
            for loss in 1...FlightLifecycle.maximumLosses {
                try bench.loseNext(at: loss * 10)
                let waiting = try bench.store.snapshot(of: StoreWorkbench.id(1))?.waiting
                let expected: RequestSnapshot.WaitReason =
                    loss < FlightLifecycle.maximumLosses ? .unclaimed(ahead: 0) : .held
                try require("after loss \(loss)", waiting, is: expected)
            }
        },
        Rule("A request whose possibly billed attempts are stopped repeatedly is held") {
            bench in
            let owner = try bench.register(1)
            try bench.submit(1)
            for loss in 1...FlightLifecycle.maximumLosses {
                // An attempt that was never sent cost nothing and does not count.
                for billing in [BillingState.neverSent, .maybeBilled] {
                    let attempt = try bench.startNext(owner)
                    _ = try bench.write(.settle(attempt.end(.interrupted, billing: billing)))
                    let waiting = try bench.store.snapshot(of: StoreWorkbench.id(1))?.waiting
                    let expected: RequestSnapshot.WaitReason =
                        loss < FlightLifecycle.maximumLosses || billing == .neverSent ? .unclaimed(ahead: 0) : .held
                    try require("after stop \(loss), \(billing)", waiting, is: expected)
                }
            }
        },
        Rule("A known end and a retry reset the count of losses") { bench in
            let owner = try bench.register(99)
            try bench.submit(1)
            for _ in 1..<FlightLifecycle.maximumLosses { try bench.loseNext(at: 10) }
            try bench.postponeNext(owner, until: 30, at: 20)
            for _ in 1..<FlightLifecycle.maximumLosses { try bench.loseNext(at: 40) }
            let waiting = try bench.store.snapshot(of: StoreWorkbench.id(1))?.waiting
            try require("after a failure between the losses", waiting, is: .unclaimed(ahead: 0))
            try bench.loseNext(at: 50)
            _ = try bench.write(.retry(StoreWorkbench.id(1), at: StoreWorkbench.date(60)))
            try bench.loseNext(at: 70)
            let retried = try bench.store.snapshot(of: StoreWorkbench.id(1))?.waiting
            try require("after the retry", retried, is: .unclaimed(ahead: 0))
        },
        Rule("Pages can be filtered to held requests, and to those that are not held") { bench in
            let owner = try bench.register()
            for number in [4, 2, 6] {
                try bench.submit(number, job: "j", position: number)
                try bench.holdNext(owner)
            }
            try bench.submit(5)
            try bench.holdNext(owner)
            try bench.submit(1, job: "j", position: 0)
            try bench.postponeNext(owner, until: 60)
            try bench.bring(3, to: .completed, by: owner)
            func numbers(_ filter: SnapshotFilter) throws -> [UUID] { try bench.store.snapshots(filter).map(\.id) }
            let job = JobKey(rawValue: "j")
            let cases: [(String, SnapshotFilter, [Int])] = [
                ("held", SnapshotFilter(isHeld: true), [2, 4, 5, 6]),
                ("not held", SnapshotFilter(isHeld: false), [1, 3]),
                ("the first two", SnapshotFilter(isHeld: true, limit: 2), [2, 4]),
                ("after the second", SnapshotFilter(isHeld: true, after: StoreWorkbench.id(4)), [5, 6]),
                ("of a job, by place", SnapshotFilter(isHeld: true, job: job), [2, 4, 6]),
                ("of a job, not held", SnapshotFilter(isHeld: false, job: job), [1]),
                ("pending and held", SnapshotFilter(phases: [.pending], isHeld: true), [2, 4, 5, 6]),
                ("pending and not held", SnapshotFilter(phases: [.pending], isHeld: false), [1]),
                ("completed and held", SnapshotFilter(phases: [.completed], isHeld: true), []),
                ("of no phase", SnapshotFilter(phases: [], isHeld: true, job: job), []),
                ("by UUID", SnapshotFilter(isHeld: true, ids: [6, 3, 2].map(StoreWorkbench.id)), [6, 2]),
                ("by UUID, not held", SnapshotFilter(isHeld: false, ids: [6, 3, 2].map(StoreWorkbench.id)), [3]),
            ]
            for (what, filter, expected) in cases {
                try require(what, try numbers(filter), is: expected.map(StoreWorkbench.id))
            }
        },
        Rule("A request that backs off or is held counts as pending") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            try bench.postponeNext(owner, until: 60)
            try bench.submit(2)
            try bench.holdNext(owner)
            let statistics = try bench.store.statistics()
            try require("requests", statistics.requests, is: [.pending: 2])
            try require("attempts", statistics.attempts, is: 2)
            let page = try bench.store.snapshots(SnapshotFilter(phases: [.pending]))
            try require("pending ones", page.map(\.id), is: [1, 2].map(StoreWorkbench.id))
        },
    ]

    static let tries: [Rule] = [
        Rule("Failures count as tries, and interrupted or lost attempts do not") { bench in
            let owner = try bench.register(99)
            try bench.submit(1)
            try bench.postponeNext(owner, until: 10)
            let interrupted = try bench.startNext(owner, at: 10)
            _ = try bench.write(.settle(interrupted.end(.interrupted, billing: .maybeBilled, at: 11)))
            try bench.loseNext(at: 20)
            let claimed = try bench.claimOne(owner)
            let expected = FlightLifecycle(
                state: .leased(owner), token: 4, attempt: 3, generation: 3, uncounted: 2, losses: 2)
            try require("its life", claimed.lifecycle, is: expected)
            try require("its tries", claimed.lifecycle.tries, is: 1)
            let attempt = try bench.start(claimed)
            _ = try bench.write(.settle(attempt.postponed(until: 30)))
            let next = try bench.claimOne(owner, at: 30)
            let later = FlightLifecycle(state: .leased(owner), token: 5, attempt: 4, generation: 4, uncounted: 2)
            try require("its life after a failure", next.lifecycle, is: later)
        },
        Rule("The time of the tries begins with the first counted attempt and is reset by a retry") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            for (started, until) in [(3, 20), (20, 40)] {
                try bench.postponeNext(owner, until: until, at: started)
                let claimed = try bench.claimOne(owner, at: until)
                try require("tried since", claimed.triedSince, is: StoreWorkbench.date(3))
                _ = try bench.write(
                    .advance(claimed.id, try StoreWorkbench.release(claimed.lifecycle), at: StoreWorkbench.date(until)))
            }
            try bench.finishNext(owner, failing: StoreWorkbench.failure)
            _ = try bench.write(.retry(StoreWorkbench.id(1), at: StoreWorkbench.date(60)))
            let retried = try bench.claimOne(owner, at: 60)
            try require("after the retry", retried.triedSince, is: nil)
            let attempt = try bench.start(retried, at: 61)
            _ = try bench.write(.settle(attempt.postponed(until: 70)))
            try require("after a failure", try bench.claimOne(owner, at: 70).triedSince, is: StoreWorkbench.date(61))
        },
        Rule("An attempt that is not counted does not begin the time of the tries") { bench in
            let owner = try bench.register(99)
            try bench.submit(1)
            try bench.loseNext(at: 10)
            let interrupted = try bench.startNext(owner, at: 20)
            _ = try bench.write(.settle(interrupted.end(.interrupted, billing: .maybeBilled, at: 21)))
            let claimed = try bench.claimOne(owner)
            try require("tried since", claimed.triedSince, is: nil)
            let attempt = try bench.start(claimed, at: 30)
            _ = try bench.write(.settle(attempt.postponed(until: 40)))
            try bench.loseNext(at: 50)
            try require("with a failure", try bench.claimOne(owner).triedSince, is: StoreWorkbench.date(30))
        },
        Rule("A submission written as executing is tried since its submission") { bench in
            let owner = try bench.register()
            var executing = try StoreWorkbench.submission(3)
            try executing.flight.leased(by: owner)
            try executing.flight.attemptStarted(token: executing.flight.token)
            let attempt = RunningAttempt(
                flight: try bench.submit(executing), request: executing.request.id, lifecycle: executing.flight,
                startedAt: executing.createdAt)
            _ = try bench.write(.settle(attempt.postponed(until: 20)))
            try require("tried since", try bench.claimOne(owner, at: 20).triedSince, is: StoreWorkbench.date(3))
        },
    ]
}

extension StoreWorkbench {
    /// Starts an attempt of the next flight in a separate process. This process then dies.
    fileprivate func loseNext(at seconds: Int) throws {
        let owner = try register()
        _ = try startNext(owner, at: seconds)
        try require(
            "the death of a process", try write(.retireOwner(owner, at: Self.date(seconds + 1))),
            is: .broken(flights: 1))
    }
}
