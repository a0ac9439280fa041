import Foundation
import Hablare

extension StoreContract {
    static let endings: [Rule] = [
        Rule("A live request can be cancelled, and a final one cannot") { bench in
            let owner = try bench.register()
            let expected: [(RequestPhase, RequestLifecycle.State?)] = [
                (.completed, .completed), (.failed, .failed), (.cancelled, .cancelled), (.executing, nil),
                (.pending, nil),
            ]
            for (number, (phase, refusal)) in expected.enumerated() {
                try bench.bring(number, to: phase, by: owner)
                let id = StoreWorkbench.id(number)
                let before = try bench.store.snapshot(of: id)
                let receipt = try bench.write(.cancel(id, at: StoreWorkbench.date(50)))
                if let refusal {
                    try require("cancelling a \(phase) one", receipt, is: .invalidState(refusal))
                    try require("it", try bench.store.snapshot(of: id), is: before)
                } else {
                    try require("cancelling a \(phase) one", receipt, is: .done)
                    let after = try bench.store.snapshot(of: id)
                    try require("the phase", after?.phase, is: .cancelled)
                    try require("the end", after?.finishedAt, is: StoreWorkbench.date(50))
                    try require("the holder", after?.holder, is: nil)
                    try require("why it waits", after?.waiting, is: nil)
                }
            }
            try require(
                "an unknown one", try bench.write(.cancel(StoreWorkbench.id(99), at: StoreWorkbench.date(1))),
                is: .unknownRequest)
        },
        Rule("Cancelling reports the ended flight, and its attempt in flight is in the ledger as possibly billed") {
            bench in
            let owner = try bench.register()
            let waiting = try bench.submit(1)
            let id = StoreWorkbench.id(1)
            try require(
                "the waiting one", try bench.ended(by: .cancel(id, at: StoreWorkbench.date(1))),
                is: EndedFlight(waiting, token: 0))
            try require("its ledger", try bench.store.attempts(of: id), is: [])
            try bench.submit(2)
            let leased = try bench.claimOne(owner)
            try require(
                "the leased one", try bench.ended(by: .cancel(leased.request.id, at: StoreWorkbench.date(1))),
                is: EndedFlight(leased.id, token: leased.lifecycle.token))
            try require("its ledger", try bench.store.attempts(of: leased.request.id), is: [])
            try bench.submit(3)
            let attempt = try bench.startNext(owner)
            try require(
                "the executing one", try bench.ended(by: .cancel(attempt.request, at: StoreWorkbench.date(8))),
                is: EndedFlight(attempt.flight, token: attempt.lifecycle.token))
            try require(
                "its ledger", try bench.store.attempts(of: attempt.request),
                is: [attempt.record(.cancelled, .maybeBilled, at: 8)])
        },
        Rule("A record that an attempt was billed is not overwritten by a later record that knows less") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner)
            _ = try bench.write(.cancel(attempt.request, at: StoreWorkbench.date(2)))
            _ = try bench.write(.settle(attempt.completed(at: 3)))
            // The engine had already abandoned it, and its result arrives last.
            _ = try bench.write(
                .settle(attempt.end(.failed(StoreWorkbench.failure), billing: .maybeBilled, at: 4)))
            let records = try bench.store.attempts(of: attempt.request)
            try require("the ledger", records.map(\.billing), is: [.billedDiscarded])
            try require("the outcomes", records.map(\.outcome), is: [.discarded])
        },
        Rule("Only a failed or cancelled request can be retried") { bench in
            let owner = try bench.register()
            let expected: [(RequestPhase, RequestLifecycle.State?)] = [
                (.completed, .completed), (.executing, .live), (.failed, nil), (.cancelled, nil), (.pending, .live),
            ]
            for (number, (phase, refusal)) in expected.enumerated() {
                if phase == .cancelled { _ = try bench.startNext(owner) }  // takes the retried one out of the way
                try bench.bring(number, to: phase, by: owner)
                let receipt = try bench.write(.retry(StoreWorkbench.id(number), at: StoreWorkbench.date(50)))
                try require("retrying a \(phase) one", receipt, is: refusal.map { .invalidState($0) } ?? .done)
                let after = try bench.store.snapshot(of: StoreWorkbench.id(number))
                try require("the phase", after?.phase, is: refusal == nil ? .pending : phase)
            }
            try require(
                "an unknown one", try bench.write(.retry(StoreWorkbench.id(99), at: StoreWorkbench.date(1))),
                is: .unknownRequest)
        },
        Rule("A retried request has no error and no end, keeps its ledger, and gets a new token and attempt") {
            bench in
            let owner = try bench.register()
            try bench.submit(1)
            let first = try bench.finishNext(owner, failing: StoreWorkbench.failure)
            _ = try bench.write(.retry(first.request, at: StoreWorkbench.date(5)))
            let snapshot = try bench.store.snapshot(of: first.request)
            try require("the error", snapshot?.error, is: nil)
            try require("the end", snapshot?.finishedAt, is: nil)
            try require("the attempts", snapshot?.attempts, is: 1)
            let second = try bench.startNext(owner)
            let expected = FlightLifecycle(
                state: .executing(owner), token: 2, attempt: 2, generation: 2, uncounted: 1)
            try require("the second attempt", second.lifecycle, is: expected)
            try require("its end", try bench.write(.settle(second.completed(at: 6))), is: .done)
            let records = try bench.store.attempts(of: first.request)
            try require("the ledger", records.map(\.outcome), is: [.failed, .completed])
            try require("the response", try bench.store.response(of: first.request), is: second.response(at: 6))
        },
        Rule("Evicting a completed response deletes its bytes and keeps its metadata") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.finishNext(owner)
            for _ in 0..<2 {
                try require("evicting", try bench.write(.evict(attempt.request)), is: .done)
                let response = try bench.store.response(of: attempt.request)
                try require("the response", response, is: attempt.response().evicted())
            }
            let snapshot = try bench.store.snapshot(of: attempt.request)
            try require("the phase", snapshot?.phase, is: .completed)
            try require("the request", try bench.store.request(of: attempt.request)?.request.prompt, is: "prompt 1")
            try require("claimed", try bench.claim(owner, limit: 9).count, is: 0)
        },
        Rule("Only a completed request can be evicted") { bench in
            let owner = try bench.register()
            for (number, phase) in [RequestPhase.failed, .cancelled, .executing, .pending].enumerated() {
                try bench.bring(number, to: phase, by: owner)
                let before = try bench.store.snapshot(of: StoreWorkbench.id(number))
                let state: RequestLifecycle.State =
                    switch phase {
                    case .failed: .failed
                    case .cancelled: .cancelled
                    case .pending, .executing, .completed: .live
                    }
                try require(
                    "a \(phase) one", try bench.write(.evict(StoreWorkbench.id(number))), is: .invalidState(state))
                try require("it", try bench.store.snapshot(of: StoreWorkbench.id(number)), is: before)
            }
            try require("an unknown one", try bench.write(.evict(StoreWorkbench.id(99))), is: .unknownRequest)
        },
        Rule("Deleting erases a request and keeps its ledger") { bench in
            let owner = try bench.register()
            for (number, phase) in [RequestPhase.completed, .failed, .cancelled, .executing, .pending].enumerated() {
                let id = StoreWorkbench.id(number)
                try bench.bring(number, to: phase, by: owner)
                let ended = try bench.ended(by: .delete(id, at: StoreWorkbench.date(50)))
                try require("ended: \(phase)", ended != nil, is: phase == .executing || phase == .pending)
                try require("the snapshot", try bench.store.snapshot(of: id), is: nil)
                try require("the request", try bench.store.request(of: id), is: nil)
                try require("the response", try bench.store.response(of: id), is: nil)
                try require("its attempts", try bench.store.attempts(of: id), is: [])
                try require(
                    "deleting again", try bench.write(.delete(id, at: StoreWorkbench.date(51))), is: .unknownRequest)
                try require(
                    "cancelling", try bench.write(.cancel(id, at: StoreWorkbench.date(51))), is: .unknownRequest)
                try require("retrying", try bench.write(.retry(id, at: StoreWorkbench.date(51))), is: .unknownRequest)
                try require("evicting", try bench.write(.evict(id)), is: .unknownRequest)
            }
            try require("pages", try bench.store.snapshots(SnapshotFilter()), is: [])
            let statistics = try bench.store.statistics()
            try require("requests", statistics.requests, is: [:])
            try require("attempts in the ledger", statistics.attempts, is: 3)
            try require("usage in the ledger", statistics.usage, is: RunningAttempt.usage)
        },
        Rule("The outcome of a deleted request is refused and recorded in the ledger") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner)
            _ = try bench.write(.delete(attempt.request, at: StoreWorkbench.date(5)))
            try require(
                "the receipt", try bench.write(.settle(attempt.completed())), is: .refused(.settled(.cancelled)))
            try require("the response", try bench.store.response(of: attempt.request), is: nil)
            try require("the ledger", try bench.store.statistics().attempts, is: 1)
        },
        Rule("A deleted request's UUID can be reused for other content and inherits nothing") { bench in
            let owner = try bench.register()
            try bench.submit(1, job: "j", position: 0)
            let old = try bench.startNext(owner)
            _ = try bench.write(.delete(old.request, at: StoreWorkbench.date(5)))
            let next = try StoreWorkbench.submission(1, prompt: "something else", job: "j", position: 0)
            let flight = try bench.submit(next)
            try require("another flight", flight > old.flight)
            try require(
                "the old outcome", try bench.write(.settle(old.completed())), is: .refused(.settled(.cancelled)))
            let snapshot = try bench.store.snapshot(of: old.request)
            try require("the phase", snapshot?.phase, is: .pending)
            try require("the attempts", snapshot?.attempts, is: 0)
            try require("the ledger", try bench.store.attempts(of: old.request), is: [])
            let attempt = try bench.finishNext(owner)
            try require("the flight", attempt.flight, is: flight)
            try require("the response", try bench.store.response(of: old.request), is: attempt.response())
        },
    ]
}
