import Foundation
import Hablare

extension StoreContract {
    static let attempts: [Rule] = [
        Rule("A journalled attempt is executing, and not yet in the ledger") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner)
            let expected = FlightLifecycle(state: .executing(owner), token: 1, attempt: 1, generation: 1)
            try require("the flight", attempt.lifecycle, is: expected)
            let snapshot = try bench.store.snapshot(of: StoreWorkbench.id(1))
            try require("the phase", snapshot?.phase, is: .executing)
            try require("the attempts", snapshot?.attempts, is: 1)
            try require("the ledger", try bench.store.attempts(of: StoreWorkbench.id(1)), is: [])
        },
        Rule("A success is stored as the outcome with its content, metadata and usage") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner)
            try require("the receipt", try bench.write(.settle(attempt.completed(at: 7))), is: .done)
            try require(
                "the response", try bench.store.response(of: attempt.request), is: attempt.response(at: 7))
            let snapshot = try bench.store.snapshot(of: attempt.request)
            try require("the phase", snapshot?.phase, is: .completed)
            try require("the end", snapshot?.finishedAt, is: StoreWorkbench.date(7))
            try require("the error", snapshot?.error, is: nil)
            try require("the holder", snapshot?.holder, is: nil)
            try require("why it waits", snapshot?.waiting, is: nil)
            let record = attempt.record(.completed, .billed, usage: RunningAttempt.usage, at: 7)
            try require("the ledger", try bench.store.attempts(of: attempt.request), is: [record])
        },
        Rule("A failure is stored as the outcome with its error") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner)
            let error = AIServiceError(
                AIServiceError.Code(rawValue: "of-its-own"), "Try later.", category: .network,
                disposition: .retry(after: .milliseconds(2500)), cause: "ü")
            let end = attempt.end(.failed(error), billing: .maybeBilled)
            try require("the receipt", try bench.write(.settle(end)), is: .done)
            let snapshot = try bench.store.snapshot(of: attempt.request)
            try require("the phase", snapshot?.phase, is: .failed)
            try require("the error", snapshot?.error, is: error)
            try require("the end", snapshot?.finishedAt, is: StoreWorkbench.date(2))
            try require("the response", try bench.store.response(of: attempt.request), is: nil)
            let record = attempt.record(.failed, .maybeBilled, error: error)
            try require("the ledger", try bench.store.attempts(of: attempt.request), is: [record])
        },
        Rule("An interrupted attempt is in the ledger, and its request waits for another attempt") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let first = try bench.startNext(owner)
            let end = first.end(.interrupted, billing: .maybeBilled)
            try require("the receipt", try bench.write(.settle(end)), is: .done)
            let snapshot = try bench.store.snapshot(of: first.request)
            try require("the phase", snapshot?.phase, is: .pending)
            try require("why it waits", snapshot?.waiting, is: .unclaimed(ahead: 0))
            try require("the end", snapshot?.finishedAt, is: nil)
            let second = try bench.startNext(owner)
            let expected = FlightLifecycle(
                state: .executing(owner), token: 2, attempt: 2, generation: 2, uncounted: 1, losses: 1)
            try require("the second attempt", second.lifecycle, is: expected)
            _ = try bench.write(.settle(second.completed(at: 4)))
            let records = [
                first.record(.interrupted, .maybeBilled),
                second.record(.completed, .billed, usage: RunningAttempt.usage, at: 4),
            ]
            try require("the ledger", try bench.store.attempts(of: first.request), is: records)
        },
        Rule("A second end of an attempt is refused and changes neither the outcome nor the ledger") {
            bench in
            let owner = try bench.register()
            try bench.submit(1)
            let attempt = try bench.startNext(owner)
            _ = try bench.write(.settle(attempt.completed()))
            let ledger = try bench.store.attempts(of: attempt.request)
            let ends = [
                attempt.completed(.text("another"), at: 5), attempt.failed(StoreWorkbench.failure),
                attempt.end(.interrupted, billing: .maybeBilled),
            ]
            for end in ends {
                try require("the receipt", try bench.write(.settle(end)), is: .refused(.settled(.completed)))
                try require("the response", try bench.store.response(of: attempt.request), is: attempt.response())
                try require("the ledger", try bench.store.attempts(of: attempt.request), is: ledger)
                let snapshot = try bench.store.snapshot(of: attempt.request)
                try require("the end", snapshot?.finishedAt, is: StoreWorkbench.date(2))
            }
        },
        Rule("A lease that was never sent cannot be settled") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            let claimed = try bench.claimOne(owner)
            let unsent = RunningAttempt(
                flight: claimed.id, request: claimed.request.id, lifecycle: claimed.lifecycle,
                startedAt: StoreWorkbench.date(1))
            try require("the receipt", try bench.write(.settle(unsent.completed())), is: .refused(.staleToken))
            let snapshot = try bench.store.snapshot(of: claimed.request.id)
            try require("the phase", snapshot?.phase, is: .pending)
            try require("why it waits", snapshot?.waiting, is: .queued(ahead: 0))
            try require("the response", try bench.store.response(of: claimed.request.id), is: nil)
        },
        Rule("A transition from another state than the flight's is refused with the reason") { bench in
            let owner = try bench.register()
            let flight = try bench.submit(1)
            let claimed = try bench.claimOne(owner)
            let start = try StoreWorkbench.start(claimed.lifecycle)
            let release = try StoreWorkbench.release(claimed.lifecycle)
            func advance(_ transition: FlightTransition, _ id: FlightID) throws -> WriteReceipt {
                try bench.write(.advance(id, transition, at: StoreWorkbench.date(1)))
            }
            try require("of an unknown flight", try advance(start, FlightID(rawValue: 4711)), is: .refused(.staleToken))
            try require("starting", try advance(start, flight), is: .done)
            try require("starting twice", try advance(start, flight), is: .refused(.outOfOrder))
            try require("giving back what was sent", try advance(release, flight), is: .refused(.outOfOrder))
            let attempt = RunningAttempt(
                flight: flight, request: claimed.request.id, lifecycle: start.new, startedAt: StoreWorkbench.date(1))
            _ = try bench.write(.settle(attempt.end(.interrupted, billing: .maybeBilled)))
            let second = try bench.claimOne(owner)
            try require("with an old token", try advance(start, flight), is: .refused(.staleToken))
            try require("giving back with it", try advance(release, flight), is: .refused(.staleToken))
            _ = try bench.write(.cancel(claimed.request.id, at: StoreWorkbench.date(3)))
            let late = try StoreWorkbench.start(second.lifecycle)
            try require("after the end", try advance(late, flight), is: .refused(.settled(.cancelled)))
        },
        Rule("The end of an attempt at an unknown flight is refused") { bench in
            let lifecycle = FlightLifecycle(
                state: .executing(OwnerID(rawValue: 1)), token: 1, attempt: 1, generation: 1)
            let attempt = RunningAttempt(
                flight: FlightID(rawValue: 4711), request: StoreWorkbench.id(1), lifecycle: lifecycle,
                startedAt: StoreWorkbench.date(0))
            try require("the receipt", try bench.write(.settle(attempt.completed())), is: .refused(.staleToken))
            try require("the ledger", try bench.store.statistics().attempts, is: 0)
        },
    ]

    static let lateOutcomes: [Rule] = [
        Rule("An attempt whose process died is recorded as lost and possibly billed") { bench in
            let one = try bench.register(1)
            try bench.submit(1)
            let attempt = try bench.startNext(one)
            try require(
                "the receipt", try bench.write(.retireOwner(one, at: StoreWorkbench.date(40))), is: .broken(flights: 1))
            try require(
                "the ledger", try bench.store.attempts(of: attempt.request),
                is: [attempt.record(.lost, .maybeBilled, at: 40)])
            try require("the phase", try bench.store.snapshot(of: attempt.request)?.phase, is: .pending)
        },
        Rule("A late success is the outcome while its flight waits") { bench in
            let one = try bench.register(1)
            try bench.submit(1)
            let attempt = try bench.startNext(one)
            _ = try bench.write(.retireOwner(one, at: StoreWorkbench.date(40)))
            try require("the receipt", try bench.write(.settle(attempt.completed(at: 50))), is: .done)
            try require(
                "the response", try bench.store.response(of: attempt.request), is: attempt.response(at: 50))
            let record = attempt.record(.completed, .billed, usage: RunningAttempt.usage, at: 50)
            try require("the ledger", try bench.store.attempts(of: attempt.request), is: [record])
            try require("claimed", try bench.claim(one, limit: 9).count, is: 0)
        },
        Rule("A late success settles a flight that is leased but not sent, and it cannot be sent any more") { bench in
            let one = try bench.register(1)
            let two = try bench.register(2)
            try bench.submit(1)
            let attempt = try bench.startNext(one)
            _ = try bench.write(.retireOwner(one, at: StoreWorkbench.date(40)))
            let claimed = try bench.claimOne(two)
            try require("the receipt", try bench.write(.settle(attempt.completed())), is: .done)
            let start = try StoreWorkbench.start(claimed.lifecycle)
            try require(
                "starting another attempt", try bench.write(.advance(claimed.id, start, at: StoreWorkbench.date(50))),
                is: .refused(.settled(.completed)))
            try require("the response", try bench.store.response(of: attempt.request), is: attempt.response())
        },
        Rule("A late success is refused once a newer attempt was sent, and is in the ledger as discarded") { bench in
            let one = try bench.register(1)
            let two = try bench.register(2)
            try bench.submit(1)
            let late = try bench.startNext(one)
            _ = try bench.write(.retireOwner(one, at: StoreWorkbench.date(40)))
            let newer = try bench.startNext(two)
            try require(
                "the receipt", try bench.write(.settle(late.completed(.text("late"), at: 50))),
                is: .refused(.staleToken))
            try require("the phase", try bench.store.snapshot(of: late.request)?.phase, is: .executing)
            try require("the newer one's end", try bench.write(.settle(newer.completed(at: 60))), is: .done)
            try require("the response", try bench.store.response(of: late.request), is: newer.response(at: 60))
            let records = [
                late.record(.discarded, .billedDiscarded, usage: RunningAttempt.usage, at: 50),
                newer.record(.completed, .billed, usage: RunningAttempt.usage, at: 60),
            ]
            try require("the ledger", try bench.store.attempts(of: late.request), is: records)
        },
        Rule("A late success after a newer attempt's is refused and ledgered, and the outcome stays") { bench in
            let one = try bench.register(1)
            let two = try bench.register(2)
            try bench.submit(1)
            let late = try bench.startNext(one)
            _ = try bench.write(.retireOwner(one, at: StoreWorkbench.date(40)))
            let newer = try bench.finishNext(two)
            let ledgered = late.record(.discarded, .billedDiscarded, usage: RunningAttempt.usage, at: 70)
            try require(
                "the receipt", try bench.write(.settle(late.completed(.text("late"), at: 70))),
                is: .refused(.settled(.completed)))
            try require("the response", try bench.store.response(of: late.request), is: newer.response())
            let records = try bench.store.attempts(of: late.request)
            try require("the ledger", records.first, is: ledgered)
            try require("the newer one's line", records.last?.outcome, is: .completed)
        },
        Rule("A late failure does not end the flight, and the ledger records its cost") { bench in
            let one = try bench.register(1)
            let two = try bench.register(2)
            try bench.submit(1)
            let late = try bench.startNext(one)
            _ = try bench.write(.retireOwner(one, at: StoreWorkbench.date(40)))
            let end = late.failed(StoreWorkbench.failure)
            let record = late.record(.failed, .neverSent, error: StoreWorkbench.failure)
            try require("while it waits", try bench.write(.settle(end)), is: .refused(.staleToken))
            try require("the phase", try bench.store.snapshot(of: late.request)?.phase, is: .pending)
            let newer = try bench.startNext(two)
            try require("while another is sent", try bench.write(.settle(end)), is: .refused(.staleToken))
            try require("the newer one's end", try bench.write(.settle(newer.completed())), is: .done)
            try require("the ledger", try bench.store.attempts(of: late.request).first, is: record)
        },
        Rule("An attempt that ends after its request's cancellation is refused, and the ledger says what it cost") {
            bench in
            let owner = try bench.register()
            for number in 1...3 { try bench.submit(number) }
            let attempts = try (1...3).map { _ in try bench.startNext(owner) }
            for number in 1...3 { _ = try bench.write(.cancel(StoreWorkbench.id(number), at: StoreWorkbench.date(5))) }
            let ends = [
                attempts[0].completed(at: 6),
                attempts[1].end(.failed(StoreWorkbench.failure), billing: .maybeBilled, at: 6),
                attempts[2].end(.interrupted, billing: .maybeBilled, at: 6),
            ]
            let records = [
                attempts[0].record(.discarded, .billedDiscarded, usage: RunningAttempt.usage, at: 6),
                attempts[1].record(.cancelled, .maybeBilled, at: 6),
                attempts[2].record(.cancelled, .maybeBilled, at: 6),
            ]
            for (index, end) in ends.enumerated() {
                try require("the receipt", try bench.write(.settle(end)), is: .refused(.settled(.cancelled)))
                try require("the ledger", try bench.store.attempts(of: end.request), is: [records[index]])
                try require("the phase", try bench.store.snapshot(of: end.request)?.phase, is: .cancelled)
                try require("the response", try bench.store.response(of: end.request), is: nil)
            }
        },
    ]
}
