import Foundation
import Hablare

extension StoreContract {
    static let backoff: [Rule] = [
        Rule("A postponed attempt is in the ledger as failed, and its live request has the end of the backoff") {
            bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.postponeNext(owner, until: 60)
            let snapshot = try bench.store.snapshot(of: attempt.request)
            try require("the phase", snapshot?.phase, is: .pending)
            try require("why it waits", snapshot?.waiting, is: .backingOff(until: StoreWorkbench.date(60)))
            try require("who has it", snapshot?.holder, is: nil)
            try require("the error", snapshot?.error, is: nil)
            try require("the end", snapshot?.finishedAt, is: nil)
            try require("the attempts", snapshot?.attempts, is: 1)
            let page = try bench.store.snapshots(SnapshotFilter())
            try require("a page", page.map(\.waiting), is: [.backingOff(until: StoreWorkbench.date(60))])
            let record = attempt.record(.failed, .neverSent, error: StoreWorkbench.overloaded)
            try require("the ledger", try bench.store.attempts(of: attempt.request), is: [record])
        },
        Rule("A flight in backoff is claimed at its date and not before") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            try bench.postponeNext(owner, until: 60)
            try require("long before", try bench.claim(owner, limit: 9, at: 2).count, is: 0)
            try require("just before", try bench.claim(owner, limit: 9, at: 59).count, is: 0)
            let claimed = try bench.claimOne(owner, at: 60)
            let expected = FlightLifecycle(state: .leased(owner), token: 2, attempt: 1, generation: 1)
            try require("its life", claimed.lifecycle, is: expected)
        },
        Rule("A claim reports the next end of a backoff of its provider, whatever its scope and limit") { bench in
            let owner = try bench.register()
            for (number, until) in [(1, 90), (2, 60), (3, 70)] {
                try bench.submit(StoreWorkbench.submission(number, provider: number == 2 ? "q" : "p", job: "\(number)"))
                let attempt = try bench.start(
                    try require("a flight", bench.claim(owner, provider: number == 2 ? "q" : "p").first))
                _ = try bench.write(.settle(attempt.postponed(until: until)))
            }
            let scope = ClaimScope.job(JobKey(rawValue: "1"))
            for (scope, limit) in [(ClaimScope.everything, 9), (scope, 9), (scope, 0), (.everything, 0)] {
                let claim = try bench.ask(owner, scope: scope, limit: limit, at: 5)
                try require("the flights", claim.flights.count, is: 0)
                try require("p's next date", claim.nextDue, is: StoreWorkbench.date(70))
            }
            let other = try bench.ask(owner, provider: "q", at: 5)
            try require("q's next date", other.nextDue, is: StoreWorkbench.date(60))
            let later = try bench.ask(owner, at: 70)
            try require("the one that is due", later.flights.map(\.request.id), is: [StoreWorkbench.id(3)])
            try require("the date after it", later.nextDue, is: StoreWorkbench.date(90))
            try require("no date after the last", try bench.ask(owner, limit: 9, at: 90).nextDue, is: nil)
            try require("an unknown provider's", try bench.ask(owner, provider: "r", at: 90).nextDue, is: nil)
        },
        Rule("A request that waits, runs, is held or is final has no backoff date") { bench in
            let owner = try bench.register()
            try bench.bring(1, to: .completed, by: owner)
            try bench.bring(2, to: .failed, by: owner)
            try bench.bring(3, to: .cancelled, by: owner)
            try bench.bring(4, to: .executing, by: owner)
            try bench.submit(5)
            try bench.holdNext(owner)
            for number in 6...8 { try bench.submit(number) }
            let claim = try bench.ask(owner, at: 5)
            try require("the flights", claim.flights.map(\.request.id), is: [StoreWorkbench.id(6)])
            try require("the next date", claim.nextDue, is: nil)
        },
        Rule("Flights whose backoff ended are claimed by priority, then by arrival") { bench in
            let owner = try bench.register()
            let priorities: [Priority] = [.normal, .normal, .high, .normal, .low]
            for (number, priority) in priorities.enumerated() {
                try bench.submit(StoreWorkbench.submission(number, priority: priority))
                // The first to arrive has the longest backoff.
                try bench.postponeNext(owner, until: 60 - number)
            }
            try bench.submit(StoreWorkbench.submission(5, priority: .normal))
            let claimed = try bench.claim(owner, limit: 9, at: 60).map(\.request.id)
            try require("the order", claimed, is: [2, 0, 1, 3, 5, 4].map(StoreWorkbench.id))
        },
        Rule("A flight whose backoff ended waits like any other, and an earlier date does not restore the backoff") {
            bench in
            let owner = try bench.register()
            for number in 1...2 {
                try bench.submit(number)
                try bench.postponeNext(owner, until: 60)
            }
            try require("the first", try bench.claimOne(owner, at: 60).request.id, is: StoreWorkbench.id(1))
            let waiting = try bench.store.snapshot(of: StoreWorkbench.id(2))?.waiting
            try require("why the second waits", waiting, is: .unclaimed(ahead: 1))
            let claim = try bench.ask(owner, at: 5)
            try require("the second, by a slow clock", claim.flights.map(\.request.id), is: [StoreWorkbench.id(2)])
            try require("the next date", claim.nextDue, is: nil)
        },
        Rule("A claim with limit zero still ends backoffs that are over") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            try bench.postponeNext(owner, until: 60)
            try require("claimed", try bench.claim(owner, limit: 0, at: 60).count, is: 0)
            let waiting = try bench.store.snapshot(of: StoreWorkbench.id(1))?.waiting
            try require("why it waits", waiting, is: .unclaimed(ahead: 0))
        },
        Rule("A claim does not end backoffs of another provider") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            try bench.postponeNext(owner, until: 60)
            _ = try bench.claim(owner, provider: "q", limit: 9, at: 99)
            let waiting = try bench.store.snapshot(of: StoreWorkbench.id(1))?.waiting
            try require("why it waits", waiting, is: .backingOff(until: StoreWorkbench.date(60)))
        },
        Rule("A flight whose backoff ended is claimed in the scope of its job") { bench in
            let owner = try bench.register()
            try bench.submit(1, job: "j", position: 0)
            try bench.postponeNext(owner, until: 60)
            let other = try bench.claim(owner, scope: .job(JobKey(rawValue: "k")), limit: 9, at: 60)
            try require("another job's", other.count, is: 0)
            let claimed = try bench.claim(owner, scope: .job(JobKey(rawValue: "j")), limit: 9, at: 5)
            try require("claimed, as it waits by now", claimed.map(\.request.id), is: [StoreWorkbench.id(1)])
        },
        Rule("Flights that back off or are held do not count as queued ahead") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            try bench.postponeNext(owner, until: 60)
            try bench.submit(2)
            try bench.holdNext(owner)
            try bench.submit(3)
            let waiting = try bench.store.snapshot(of: StoreWorkbench.id(3))?.waiting
            try require("before the third", waiting, is: .unclaimed(ahead: 0))
        },
        Rule("An attempt postponed to a past date is followed by the next attempt at once") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            try bench.postponeNext(owner, until: 1, at: 5)
            try require("claimed", try bench.claim(owner, at: 6).count, is: 1)
        },
        Rule("Backoffs of extreme length are stored and do not trap") { bench in
            let owner = try bench.register()
            for (number, seconds) in [1e300, .infinity, Date.distantFuture.timeIntervalSince1970].enumerated() {
                try bench.submit(number)
                let attempt = try bench.startNext(owner)
                let date = Date(timeIntervalSince1970: seconds)
                let end = attempt.end(.postponed(StoreWorkbench.overloaded, until: date), billing: .neverSent)
                try require("the receipt", try bench.write(.settle(end)), is: .done)
            }
            let claim = try bench.ask(owner, limit: 9, at: 99)
            try require("claimed", claim.flights.count, is: 0)
            try require("the next date", claim.nextDue, is: .distantFuture)
        },
        Rule("If more backoffs are over than one claim ends, the claim asks for another claim") {
            bench in
            let owner = try bench.register()
            let count = ClaimQuery.maximumWoken + 1
            var submissions: [StoreWrite] = []
            var ends: [StoreWrite] = []
            for number in 1...count {
                var submission = try StoreWorkbench.submission(number)
                try submission.flight.leased(by: owner)
                try submission.flight.attemptStarted(token: submission.flight.token)
                submissions.append(.submit(submission))
                let attempt = RunningAttempt(
                    flight: FlightID(rawValue: Int64(number)), request: submission.request.id,
                    lifecycle: submission.flight, startedAt: StoreWorkbench.date(1))
                ends.append(.settle(attempt.postponed(until: 60)))
            }
            let receipts = try bench.store.commit(submissions).receipts
            guard case .submitted(let first) = receipts[0], first.flight == FlightID(rawValue: 1) else {
                throw ContractViolation(message: "the first flight is not 1", location: #fileID)
            }
            _ = try bench.store.commit(ends)
            let claim = try bench.ask(owner, limit: count, at: 99)
            try require("claimed", claim.flights.count, is: count - 1)
            try require("the next date", claim.nextDue, is: StoreWorkbench.date(99))
            let remainder = try bench.ask(owner, limit: count, at: 99)
            try require("the rest", remainder.flights.map(\.request.id), is: [StoreWorkbench.id(count)])
            try require("the next date", remainder.nextDue, is: nil)
        },
    ]
}

// MARK: - The end of a backoff

extension StoreContract {
    static let backoffEndings: [Rule] = [
        Rule("Retrying a request in backoff ends the backoff and resets its tries") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            try bench.postponeNext(owner, until: 60)
            let id = StoreWorkbench.id(1)
            try require("retrying", try bench.write(.retry(id, at: StoreWorkbench.date(5))), is: .done)
            try require(
                "why it waits", try bench.store.snapshot(of: id)?.waiting, is: .unclaimed(ahead: 0))
            let claim = try bench.ask(owner, at: 5)
            let claimed = try require("a flight", claim.flights.first)
            let expected = FlightLifecycle(state: .leased(owner), token: 2, attempt: 1, generation: 1, uncounted: 1)
            try require("its life", claimed.lifecycle, is: expected)
            try require("the next date", claim.nextDue, is: nil)
        },
        Rule("Retrying a request that waits, is leased or executes is refused") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            func retry() throws -> WriteReceipt {
                try bench.write(.retry(StoreWorkbench.id(1), at: StoreWorkbench.date(5)))
            }
            try require("a waiting one", try retry(), is: .invalidState(.live))
            let claimed = try bench.claimOne(owner)
            try require("a leased one", try retry(), is: .invalidState(.live))
            let attempt = try bench.start(claimed)
            try require("an executing one", try retry(), is: .invalidState(.live))
            try require("its end", try bench.write(.settle(attempt.completed())), is: .done)
        },
        Rule("A request cancelled in backoff is final and never claimed") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            let attempt = try bench.postponeNext(owner, until: 60)
            try require(
                "the flight", try bench.ended(by: .cancel(attempt.request, at: StoreWorkbench.date(5))),
                is: EndedFlight(flight, token: 1))
            let snapshot = try bench.store.snapshot(of: attempt.request)
            try require("the phase", snapshot?.phase, is: .cancelled)
            try require("why it waits", snapshot?.waiting, is: nil)
            let claim = try bench.ask(owner, limit: 9, at: 99)
            try require("claimed", claim.flights.count, is: 0)
            try require("the next date", claim.nextDue, is: nil)
            let record = attempt.record(.failed, .neverSent, error: StoreWorkbench.overloaded)
            try require("the ledger", try bench.store.attempts(of: attempt.request), is: [record])
        },
        Rule("A request deleted in backoff is erased and never claimed") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            let attempt = try bench.postponeNext(owner, until: 60)
            try require(
                "the flight", try bench.ended(by: .delete(attempt.request, at: StoreWorkbench.date(5))),
                is: EndedFlight(flight, token: 1))
            try require("the snapshot", try bench.store.snapshot(of: attempt.request), is: nil)
            let claim = try bench.ask(owner, limit: 9, at: 99)
            try require("claimed", claim.flights.count, is: 0)
            try require("the next date", claim.nextDue, is: nil)
            try require("the ledger", try bench.store.statistics().attempts, is: 1)
        },
        Rule("A late success is the outcome while its flight backs off") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.postponeNext(owner, until: 60)
            try require("the receipt", try bench.write(.settle(attempt.completed(at: 9))), is: .done)
            try require("the response", try bench.store.response(of: attempt.request), is: attempt.response(at: 9))
            let record = attempt.record(.completed, .billed, usage: RunningAttempt.usage, at: 9)
            try require("the ledger", try bench.store.attempts(of: attempt.request), is: [record])
            let claim = try bench.ask(owner, limit: 9, at: 99)
            try require("claimed", claim.flights.count, is: 0)
            try require("the next date", claim.nextDue, is: nil)
        },
        Rule("Only the newest attempt's late success is the outcome of a flight that backs off") { bench in
            let one = try bench.register(1)
            let two = try bench.register(2)
            try bench.submit(1)
            let lost = try bench.startNext(one)
            _ = try bench.write(.retireOwner(one, at: StoreWorkbench.date(5)))
            try bench.postponeNext(two, until: 60, at: 6)
            try require("the receipt", try bench.write(.settle(lost.completed(at: 9))), is: .refused(.staleToken))
            let snapshot = try bench.store.snapshot(of: lost.request)
            try require("why it waits", snapshot?.waiting, is: .backingOff(until: StoreWorkbench.date(60)))
            let records = try bench.store.attempts(of: lost.request)
            try require("the ledger", records.map(\.outcome), is: [.discarded, .failed])
        },
        Rule("A second failure of a postponed attempt changes only its ledger record") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.postponeNext(owner, until: 60)
            for end in [
                attempt.failed(StoreWorkbench.failure), attempt.postponed(until: 600), attempt.held(),
                attempt.end(.interrupted, billing: .maybeBilled),
            ] {
                try require("the receipt", try bench.write(.settle(end)), is: .refused(.staleToken))
                let waiting = try bench.store.snapshot(of: attempt.request)?.waiting
                try require("why it waits", waiting, is: .backingOff(until: StoreWorkbench.date(60)))
            }
        },
        Rule("An attempt whose lease was broken cannot postpone its flight") { bench in
            let one = try bench.register(1)
            let two = try bench.register(2)
            try bench.submit(1)
            let late = try bench.startNext(one)
            _ = try bench.write(.retireOwner(one, at: StoreWorkbench.date(40)))
            let end = late.postponed(until: 90, at: 50)
            try require("while it waits", try bench.write(.settle(end)), is: .refused(.staleToken))
            let newer = try bench.startNext(two)
            try require("while another is sent", try bench.write(.settle(end)), is: .refused(.staleToken))
            try require("the newer one's end", try bench.write(.settle(newer.completed())), is: .done)
            let record = late.record(.failed, .neverSent, error: StoreWorkbench.overloaded, at: 50)
            try require("the ledger", try bench.store.attempts(of: late.request).first, is: record)
        },
        Rule("Retiring a process does not change backoffs") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.postponeNext(owner, until: 60)
            try require(
                "the receipt", try bench.write(.retireOwner(owner, at: StoreWorkbench.date(9))), is: .broken(flights: 0)
            )
            let waiting = try bench.store.snapshot(of: attempt.request)?.waiting
            try require("why it waits", waiting, is: .backingOff(until: StoreWorkbench.date(60)))
            try require("the owners", try bench.store.owners(), is: [])
        },
    ]
}
