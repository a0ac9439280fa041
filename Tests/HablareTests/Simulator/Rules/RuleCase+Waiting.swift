import Hablare

@testable import HablareSimulation

extension RuleCase {
    /// Rules about what requests wait for, and until when.
    static let waiting: [RuleCase] = [
        RuleCase(DeadlinesAreKept.self, "failed because of a deadline that had not passed") { trace, isGuilty in
            trace.plan.requests[0].deadline = 5_000_000_000
            trace.submit(0)
            if !isGuilty { trace.wait(5) }
            trace.becomes(0, TraceDraft.failure("deadline-exceeded"))
            trace.did(.outcome(0), TraceDraft.failure("deadline-exceeded"))
        },
        RuleCase(DeadlinesAreKept.self, "was retried after its deadline, and failed because of this deadline") {
            trace, isGuilty in
            trace.plan.requests[0].deadline = 5_000_000_000
            trace.submit(0)
            if isGuilty { trace.wait(6) }
            trace.did(.retry(0), .done)
            trace.becomes(0, TraceDraft.failure("deadline-exceeded"))
        },
        RuleCase(DeadlinesAreKept.self, "call 0 of request 0 began after the deadline") { trace, isGuilty in
            trace.plan.requests[0].deadline = 5_000_000_000
            trace.submit(0)
            if isGuilty { trace.wait(6) }
            trace.completes(0)
        },
        RuleCase(DeadlinesAreKept.self, "continues long after the deadline") { trace, isGuilty in
            trace.plan.requests[0].deadline = 5_000_000_000
            trace.submit(0)
            let call = trace.call(0)
            trace.wait(5)
            if !isGuilty { trace.stops(call) }
            trace.wait(20)
            trace.ends(call, .cancelled)
            trace.becomes(0, TraceDraft.failure("deadline-exceeded"))
        },
        RuleCase(DeadlinesAreKept.self, "is past its deadline, but is pending") { trace, isGuilty in
            trace.plan.requests[0].deadline = 5_000_000_000
            trace.submit(0)
            if !isGuilty { trace.becomes(0, TraceDraft.failure("deadline-exceeded")) }
        },
        RuleCase(WaitsAreExplained.self, "waits for a suspension that does not exist") { trace, isGuilty in
            trace.submit(0)
            if !isGuilty { trace.did(.suspend(.background, grace: 0), .done) }
            trace.did(.snapshot(0), .waiting(.suspended(.background)))
        },
        RuleCase(WaitsAreExplained.self, "call 1 began while its request backed off") { trace, isGuilty in
            trace.submit(0)
            trace.fails(trace.call(0), "server-error-500")
            trace.did(.snapshot(0), .waiting(.backingOff(until: trace.now + 5_000_000_000)))
            trace.wait(isGuilty ? 1 : 6)
            trace.call(0)
        },
        RuleCase(WaitsAreExplained.self, "backs off before its first attempt") { trace, isGuilty in
            trace.submit(0)
            if !isGuilty { trace.fails(trace.call(0), "server-error-500") }
            trace.did(.snapshot(0), .waiting(.backingOff(until: trace.now)))
        },
        RuleCase(WaitsAreExplained.self, "call 1 began while its request was held") { trace, isGuilty in
            trace.submit(0)
            trace.fails(trace.call(0), "connection-lost")
            trace.did(.snapshot(0), .waiting(.held))
            if !isGuilty { trace.did(.retry(0), .done) }
            trace.call(0)
        },
        RuleCase(WaitsAreExplained.self, "waits for a limit that does not exist") { trace, isGuilty in
            if !isGuilty { trace.plan.providers[0].rate = RateLimit(requestsPerMinute: 60) }
            trace.submit(0)
            trace.did(.snapshot(0), .waiting(.rateLimited(until: trace.now)))
        },
        RuleCase(WaitsAreExplained.self, "waits for a provider that did not fail") { trace, isGuilty in
            trace.submit(0)
            for _ in 0..<(isGuilty ? 4 : 5) { trace.fails(trace.call(1), "server-error-500") }
            trace.did(.snapshot(0), .waiting(.providerFailing(until: trace.now)))
        },
        RuleCase(FollowersFollow.self, "which is the same request") { trace, isGuilty in
            trace.twins()
            trace.did(.snapshot(1), .waiting(.following(isGuilty ? 1 : 0)))
        },
        RuleCase(FollowersFollow.self, "which does not exist") { trace, isGuilty in
            trace.twins()
            trace.did(.snapshot(1), .waiting(.following(isGuilty ? 99 : 0)))
        },
        RuleCase(FollowersFollow.self, "which has another prompt") { trace, isGuilty in
            trace.submit(2)
            trace.twins()
            trace.did(.snapshot(1), .waiting(.following(isGuilty ? 2 : 0)))
        },
        RuleCase(FollowersFollow.self, "which was not submitted yet") { trace, isGuilty in
            if isGuilty { trace.did(.snapshot(1), .waiting(.following(0))) }
            trace.twins()
            if !isGuilty { trace.did(.snapshot(1), .waiting(.following(0))) }
        },
        RuleCase(FollowersFollow.self, "which was already completed(call: 0)") { trace, isGuilty in
            trace.twins()
            if !isGuilty { trace.did(.snapshot(1), .waiting(.following(0))) }
            trace.did(.outcome(0), .completed(call: trace.completes(0)))
            if isGuilty { trace.did(.snapshot(1), .waiting(.following(0))) }
        },
        RuleCase(FollowersFollow.self, "waits for a provider that is registered") { trace, isGuilty in
            trace.submit(0)
            trace.did(.snapshot(0), .waiting(isGuilty ? .noProvider : .unclaimed))
        },
        RuleCase(NobodyStarves.self, "request 0, low, waited while 40 requests of priority") { trace, isGuilty in
            trace.hasPriority(0, .low)
            trace.hasPriority(1, .high)
            trace.submit(0)
            for _ in 0..<(isGuilty ? 40 : 20) { trace.completes(1) }
            trace.completes(0)
        },
    ]
}

extension TraceDraft {
    /// Gives two requests the same content.
    fileprivate mutating func twins() {
        plan.requests[1] = plan.requests[0]
        submit(0)
        submit(1)
    }

    fileprivate mutating func hasPriority(_ request: Int32, _ priority: Priority) {
        plan.requests[Int(request)] = SimulationPlan.Request(
            provider: 0, content: request, priority: priority, attemptTimeout: nil, behaviours: [])
    }
}
