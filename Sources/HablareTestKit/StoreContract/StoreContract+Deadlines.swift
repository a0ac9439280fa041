import Foundation
import Hablare

extension StoreContract {
    static let deadlines: [Rule] = [
        Rule("A waiting request fails at its deadline, not before, and only once") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(StoreWorkbench.submission(1, deadline: 30))
            let id = StoreWorkbench.id(1)
            let before = try bench.expire(at: 29)
            try require("before", before.expired, is: [])
            try require("the next one", before.next, is: StoreWorkbench.date(30))
            let due = try bench.expire(at: 30)
            try require("at the deadline", due.expired, is: [ExpiredRequest(id: id, flight: flight, token: 0)])
            try require("the next one", due.next, is: nil)
            try require("again", try bench.expire(at: 31).expired, is: [])
            let snapshot = try bench.store.snapshot(of: id)
            try require("the phase", snapshot?.phase, is: .failed)
            try require("the error", snapshot?.error, is: .deadlineExceeded)
            try require("the end", snapshot?.finishedAt, is: StoreWorkbench.date(30))
            try require("the deadline", snapshot?.deadline, is: StoreWorkbench.date(30))
            try require("why it waits", snapshot?.waiting, is: nil)
            try require("the ledger", try bench.store.attempts(of: id), is: [])
            try require("claimed", try bench.claim(owner, limit: 9).count, is: 0)
        },
        Rule("A leased request past its deadline cannot be sent") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, deadline: 30))
            let claimed = try bench.claimOne(owner)
            let expected = ExpiredRequest(id: claimed.request.id, flight: claimed.id, token: claimed.lifecycle.token)
            try require("the expired", try bench.expire(at: 40).expired, is: [expected])
            let start = try StoreWorkbench.start(claimed.lifecycle)
            try require(
                "starting", try bench.write(.advance(claimed.id, start, at: StoreWorkbench.date(41))),
                is: .refused(.settled(.failed)))
            let snapshot = try bench.store.snapshot(of: claimed.request.id)
            try require("who has it", snapshot?.holder, is: nil)
            try require("the ledger", try bench.store.attempts(of: claimed.request.id), is: [])
        },
        Rule("An attempt of an expired request is in the ledger as possibly billed, and its late answer is refused") {
            bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, deadline: 30))
            let attempt = try bench.startNext(owner)
            let expected = ExpiredRequest(id: attempt.request, flight: attempt.flight, token: attempt.lifecycle.token)
            try require("the expired", try bench.expire(at: 40).expired, is: [expected])
            try require(
                "the ledger", try bench.store.attempts(of: attempt.request),
                is: [attempt.record(.failed, .maybeBilled, error: .deadlineExceeded, at: 40)])
            try require("the phase", try bench.store.snapshot(of: attempt.request)?.phase, is: .failed)
            let stopped = attempt.end(.failed(.deadlineExceeded), billing: .maybeBilled, at: 41)
            try require("its end", try bench.write(.settle(stopped)), is: .refused(.settled(.failed)))
            try require(
                "the ledger then", try bench.store.attempts(of: attempt.request),
                is: [attempt.record(.failed, .maybeBilled, error: .deadlineExceeded, at: 41)])
            let success = try bench.write(.settle(attempt.completed(at: 42)))
            try require("its answer", success, is: .refused(.settled(.failed)))
            try require("the response", try bench.store.response(of: attempt.request), is: nil)
            try require(
                "the ledger at last", try bench.store.attempts(of: attempt.request),
                is: [attempt.record(.discarded, .billedDiscarded, usage: RunningAttempt.usage, at: 42)])
            let snapshot = try bench.store.snapshot(of: attempt.request)
            try require("the error", snapshot?.error, is: .deadlineExceeded)
            try require("the end", snapshot?.finishedAt, is: StoreWorkbench.date(40))
        },
        Rule("A request that backs off or is held expires at its deadline") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, deadline: 30))
            let first = try bench.postponeNext(owner, until: 20)
            try bench.submit(StoreWorkbench.submission(2, deadline: 31))
            let second = try bench.holdNext(owner)
            let expected = [first, second].map { ExpiredRequest(id: $0.request, flight: $0.flight, token: 1) }
            try require("the expired", try bench.expire(at: 40).expired, is: expected)
            for attempt in [first, second] {
                try require("the phase", try bench.store.snapshot(of: attempt.request)?.phase, is: .failed)
                try require("the ledger", try bench.store.attempts(of: attempt.request).map(\.outcome), is: [.failed])
            }
            try require("held ones", try bench.store.snapshots(SnapshotFilter(isHeld: true)), is: [])
            let claim = try bench.ask(owner, limit: 9, at: 99)
            try require("claimed", claim.flights.count, is: 0)
            try require("the next back-off", claim.nextDue, is: nil)
        },
        Rule("Requests expire by deadline, then by arrival, and never more than the limit") { bench in
            let deadlines = [(5, 30), (9, 20), (2, 20), (1, 10), (7, 90)]
            for (number, deadline) in deadlines {
                try bench.submit(StoreWorkbench.submission(number, deadline: deadline))
            }
            try bench.submit(8)
            var order: [UUID] = []
            for (limit, next) in [(1, 20), (2, 30), (5, 90), (5, 90)] {
                let (expired, found) = try bench.expire(at: 50, limit: limit)
                order += expired.map(\.id)
                try require("the next deadline", found, is: StoreWorkbench.date(next))
            }
            try require("the order", order, is: [1, 9, 2, 5].map(StoreWorkbench.id))
        },
        Rule("Pages can be narrowed to live requests whose deadline has come") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(6, deadline: 20))
            try bench.finishNext(owner)
            try bench.submit(StoreWorkbench.submission(4, job: "j", position: 0, deadline: 20))
            try bench.holdNext(owner)
            try bench.submit(StoreWorkbench.submission(5, deadline: 30))
            _ = try bench.startNext(owner)
            for (number, deadline) in [(3, 10), (2, 31)] {
                try bench.submit(StoreWorkbench.submission(number, deadline: deadline))
            }
            try bench.submit(1)
            let due = StoreWorkbench.date(30)
            let cases: [(String, SnapshotFilter, [Int])] = [
                ("due", SnapshotFilter(dueBy: due), [3, 4, 5]),
                ("due earlier", SnapshotFilter(dueBy: StoreWorkbench.date(10)), [3]),
                ("none", SnapshotFilter(dueBy: StoreWorkbench.date(9)), []),
                ("the first two", SnapshotFilter(dueBy: due, limit: 2), [3, 4]),
                ("after the first", SnapshotFilter(dueBy: due, after: StoreWorkbench.id(3)), [4, 5]),
                ("held", SnapshotFilter(isHeld: true, dueBy: due), [4]),
                ("not held", SnapshotFilter(isHeld: false, dueBy: due), [3, 5]),
                ("executed", SnapshotFilter(phases: [.executing], dueBy: due), [5]),
                ("final", SnapshotFilter(phases: [.completed], dueBy: due), []),
                ("of a job", SnapshotFilter(dueBy: due, job: JobKey(rawValue: "j")), [4]),
                ("by UUID", SnapshotFilter(dueBy: due, ids: [6, 5, 3, 1].map(StoreWorkbench.id)), [5, 3]),
                ("all that is executed", SnapshotFilter(phases: [.executing]), [5]),
            ]
            for (what, filter, expected) in cases {
                let ids = try bench.store.snapshots(filter).map(\.id)
                try require(what, ids, is: expected.map(StoreWorkbench.id))
            }
        },
        Rule("A limit of zero or less expires nothing and reports the next deadline") { bench in
            try bench.submit(StoreWorkbench.submission(1, deadline: 30))
            for limit in [0, -1, .min] {
                let (expired, next) = try bench.expire(at: 50, limit: limit)
                try require("limit \(limit)", expired, is: [])
                try require("the next deadline", next, is: StoreWorkbench.date(30))
            }
        },
        Rule("Requests without a deadline never expire") { bench in
            let owner = try bench.register()
            for number in 1...3 { try bench.submit(number) }
            _ = try bench.startNext(owner)
            let (expired, next) = try bench.expire(at: 1_000_000_000)
            try require("the expired", expired, is: [])
            try require("the next deadline", next, is: nil)
        },
        Rule("Final and erased requests have no deadline") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, deadline: 30))
            try bench.finishNext(owner)
            try bench.submit(StoreWorkbench.submission(2, deadline: 30))
            try bench.finishNext(owner, failing: StoreWorkbench.failure)
            for number in 3...4 { try bench.submit(StoreWorkbench.submission(number, deadline: 30)) }
            _ = try bench.write(.cancel(StoreWorkbench.id(3), at: StoreWorkbench.date(5)))
            _ = try bench.write(.delete(StoreWorkbench.id(4), at: StoreWorkbench.date(5)))
            let before = try bench.store.snapshots(SnapshotFilter())
            let (expired, next) = try bench.expire(at: 50)
            try require("the expired", expired, is: [])
            try require("the next deadline", next, is: nil)
            try require("the requests", try bench.store.snapshots(SnapshotFilter()), is: before)
        },
        Rule("A reused UUID does not inherit a deadline") { bench in
            for (number, deadline) in [(1, 30), (2, 30)] {
                try bench.submit(StoreWorkbench.submission(number, deadline: deadline))
            }
            _ = try bench.write(.delete(StoreWorkbench.id(1), at: StoreWorkbench.date(5)))
            _ = try bench.write(.delete(StoreWorkbench.id(2), at: StoreWorkbench.date(5)))
            try bench.submit(StoreWorkbench.submission(3, deadline: 30))
            try bench.submit(StoreWorkbench.submission(2, deadline: 30))
            try bench.submit(1)
            try require("the expired", try bench.expire(at: 50).expired.map(\.id), is: [3, 2].map(StoreWorkbench.id))
        },
        Rule("Retrying drops a deadline that has passed") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, deadline: 30))
            _ = try bench.expire(at: 30)
            let id = StoreWorkbench.id(1)
            try require("retrying", try bench.write(.retry(id, at: StoreWorkbench.date(30))), is: .done)
            let snapshot = try bench.store.snapshot(of: id)
            try require("the phase", snapshot?.phase, is: .pending)
            try require("the error", snapshot?.error, is: nil)
            try require("the deadline", snapshot?.deadline, is: nil)
            try require("the request's", try bench.store.request(of: id)?.request.deadline, is: nil)
            let again = try bench.expire(at: 99)
            try require("the expired", again.expired, is: [])
            try require("the next deadline", again.next, is: nil)
            let claimed = try bench.claimOne(owner)
            try require("the claimed one's", claimed.request.deadline, is: nil)
            try require("its life", claimed.lifecycle.tries, is: 0)
        },
        Rule("Retrying keeps a future deadline, and the request expires at it") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, deadline: 30))
            try bench.finishNext(owner, failing: StoreWorkbench.failure)
            let id = StoreWorkbench.id(1)
            _ = try bench.write(.retry(id, at: StoreWorkbench.date(29)))
            try require("the deadline", try bench.store.snapshot(of: id)?.deadline, is: StoreWorkbench.date(30))
            try require("the next one", try bench.expire(at: 29).next, is: StoreWorkbench.date(30))
            try require("the expired", try bench.expire(at: 30).expired.map(\.id), is: [id])
        },
        Rule("Retrying a request that backs off past its deadline drops the deadline") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, deadline: 30))
            let attempt = try bench.postponeNext(owner, until: 20)
            try require("retrying", try bench.write(.retry(attempt.request, at: StoreWorkbench.date(40))), is: .done)
            try require("the deadline", try bench.store.snapshot(of: attempt.request)?.deadline, is: nil)
            try require("the expired", try bench.expire(at: 99).expired, is: [])
            try require("claimed", try bench.claim(owner, at: 40).count, is: 1)
        },
        Rule("After a retry, an expired attempt's answer settles the request unless a newer one was sent") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, deadline: 30))
            let attempt = try bench.startNext(owner)
            _ = try bench.expire(at: 30)
            _ = try bench.write(.retry(attempt.request, at: StoreWorkbench.date(31)))
            try require("its answer", try bench.write(.settle(attempt.completed(at: 32))), is: .done)
            try require("the response", try bench.store.response(of: attempt.request), is: attempt.response(at: 32))
        },
        Rule("Resubmitting a request with another deadline finds it and changes nothing") { bench in
            try bench.submit(StoreWorkbench.submission(1, deadline: 30))
            let receipt = try bench.write(.submit(StoreWorkbench.submission(1, deadline: 10)))
            guard case .submitted(let present) = receipt, present.wasPresent else {
                throw ContractViolation(message: "it was answered \(receipt)", location: #fileID)
            }
            let id = StoreWorkbench.id(1)
            try require("the deadline", try bench.store.snapshot(of: id)?.deadline, is: StoreWorkbench.date(30))
            try require("the expired", try bench.expire(at: 20).expired, is: [])
        },
        Rule("Deadlines beyond the calendar are clamped and do not trap") { bench in
            let farthest = [
                Date.distantFuture, Date(timeIntervalSince1970: 1e300), Date(timeIntervalSince1970: .infinity),
            ]
            let passed = [
                Date.distantPast, Date(timeIntervalSince1970: -1e300), Date(timeIntervalSince1970: -.infinity),
            ]
            for (number, deadline) in (farthest + passed).enumerated() {
                let request = AIRequest(id: StoreWorkbench.id(number), prompt: .text("\(number)"), deadline: deadline)
                try bench.submit(StoreWorkbench.submission(of: request))
                try require("it", try bench.store.snapshot(of: request.id)?.deadline != nil)
            }
            let (expired, next) = try bench.expire(at: 50)
            try require("those that passed", Set(expired.map(\.id)), is: Set((3...5).map(StoreWorkbench.id)))
            try require("the next deadline", next, is: .distantFuture)
        },
        Rule("Later writes of a commit see requests that earlier writes expired") { bench in
            let owner = try bench.register()
            try bench.submit(StoreWorkbench.submission(1, deadline: 30))
            let attempt = try bench.startNext(owner)
            let commit = try bench.store.commit([
                .expire(at: StoreWorkbench.date(30), limit: 9), .settle(attempt.completed(at: 30)),
                .cancel(attempt.request, at: StoreWorkbench.date(30)),
            ])
            try require(
                "the receipts", commit.receipts, is: [.done, .refused(.settled(.failed)), .invalidState(.failed)])
            try require(
                "the first change", commit.summary.first,
                is: .request(attempt.request, of: attempt.flight, .failed(.deadlineExceeded)))
        },
    ]
}
