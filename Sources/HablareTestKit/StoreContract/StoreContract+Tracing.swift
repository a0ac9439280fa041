import Foundation
import Hablare

extension StoreContract {
    static let tracing: [Rule] = [
        Rule("A claimed flight contains the trace and date of its submission, also for a later attempt") { bench in
            let owner = try bench.register()
            var submission = try StoreWorkbench.submission(1)
            submission.trace = TraceContext(trace)
            try bench.submit(submission)
            let first = try bench.claimOne(owner)
            try require("the trace", first.trace?.fields, is: trace)
            try require("the date", first.submittedAt, is: StoreWorkbench.date(1))
            let attempt = try bench.start(first)
            try require("postponing", try bench.write(.settle(attempt.postponed(until: 9))), is: .done)
            let again = try bench.claimOne(owner, at: 9)
            try require("the trace of the next attempt", again.trace?.fields, is: trace)
            try require("its date", again.submittedAt, is: StoreWorkbench.date(1))
        },
        Rule("A request submitted without a trace has none") { bench in
            let owner = try bench.register()
            try bench.submit(1)
            try require("the trace", try bench.claimOne(owner).trace, is: nil)
        },
        Rule("A retried request continues the trace of its submission") { bench in
            let owner = try bench.register()
            var submission = try StoreWorkbench.submission(1)
            submission.trace = TraceContext(trace)
            try bench.submit(submission)
            try bench.finishNext(owner, failing: StoreWorkbench.failure)
            try require(
                "the retry", try bench.write(.retry(StoreWorkbench.id(1), at: StoreWorkbench.date(9))), is: .done)
            try require("the trace", try bench.claimOne(owner, at: 9).trace?.fields, is: trace)
        },
        Rule("A shared flight continues the trace of its leader") { bench in
            let owner = try bench.register()
            var leader = try StoreWorkbench.submission(1)
            leader.trace = TraceContext(trace)
            let flight = try bench.submit(leader)
            var twin = try StoreWorkbench.twin(2)
            twin.trace = TraceContext(["traceparent": "00-2-2-01"])
            try bench.join(twin, flight)
            _ = try bench.write(.cancel(leader.request.id, at: StoreWorkbench.date(3)))
            let claimed = try bench.claimOne(owner)
            try require("who leads", claimed.request.id, is: twin.request.id)
            try require("the trace", claimed.trace?.fields, is: ["traceparent": "00-2-2-01"])
            try require("the date", claimed.submittedAt, is: twin.createdAt)
        },
        Rule("Submitting a request again does not change its trace") { bench in
            let owner = try bench.register()
            var submission = try StoreWorkbench.submission(1)
            submission.trace = TraceContext(trace)
            try bench.submit(submission)
            submission.trace = TraceContext(["traceparent": "00-2-2-01"])
            _ = try bench.write(.submit(submission))
            try require("the trace", try bench.claimOne(owner).trace?.fields, is: trace)
        },
    ]

    private static let trace = [
        "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "tracestate": "vendor=\"Grüß Gott\" \\ /",
    ]
}
