import Hablare

@testable import HablareSimulation

extension RuleCase {
    /// Rules about the number of calls and the pauses of accounts.
    static let limits: [RuleCase] = [
        RuleCase(ScopesAreKept.self, "call 0 of request 0 has no job") { trace, isGuilty in
            trace.plan.scopedSlot = 1
            trace.happens(.processStarted(slot: 1), in: 1)
            if isGuilty { trace.submit(0) } else { trace.job([0], stored: [0]) }
            trace.completes(0, in: 1)
        },
        RuleCase(ScopesAreKept.self, "call 0 of request 0 has no job") { trace, isGuilty in
            trace.plan.scopedSlot = 1
            trace.happens(.processStarted(slot: 0), in: 0)
            trace.happens(.processStarted(slot: 1), in: 1)
            // Sent by a process with the widest scope.
            trace.submit(0)
            trace.job([1], stored: [1])
            trace.completes(0, in: isGuilty ? 1 : 0)
        },
        RuleCase(ScopesAreKept.self, "call 0 of request 0 has no job") { trace, isGuilty in
            trace.plan.scopedSlot = 1
            trace.happens(.processStarted(slot: 1), in: 1)
            // Led by a request without a job. The other one shares its work, or has other content.
            if !isGuilty { trace.plan.requests[1] = trace.plan.requests[0] }
            trace.submit(0)
            trace.job([1], stored: [1])
            trace.completes(0, in: 1)
        },
        RuleCase(LimitsAreShared.self, "calls of a0 within") { trace, isGuilty in
            trace.plan.providers[0].rate = RateLimit(requestsPerMinute: 60, burst: 0.1)
            for request in Int32(0)..<8 {
                trace.completes(request, in: request % 2)
                trace.wait(isGuilty ? 0 : 2)
            }
        },
        RuleCase(LimitsAreShared.self, "units of a0 within") { trace, isGuilty in
            trace.plan.providers[0].rate = RateLimit(unitsPerMinute: 60, burst: 0.1)
            trace.completes(0)
            trace.wait(isGuilty ? 1 : 10)
            trace.completes(1)
        },
        RuleCase(PausesAreKept.self, "began in the pause that the answer of call 0 demanded") { trace, isGuilty in
            trace.fails(trace.call(0), "rate-limited")
            trace.wait(isGuilty ? 1 : 3)
            trace.call(1)
        },
        RuleCase(PausesAreKept.self, "began in the pause that the account of call 0 asked for") { trace, isGuilty in
            trace.plan.providers[0].rate = RateLimit(requestsPerMinute: 60)
            trace.fails(trace.call(0), "rate-limited")
            trace.wait(isGuilty ? 2 : 4)
            trace.call(1, in: 1)
        },
        RuleCase(PausesAreKept.self, "began in the pause that the account of call 0 asked for") { trace, isGuilty in
            trace.plan.providers[0].rate = nil
            trace.fails(trace.call(0), "rate-limited")
            trace.wait(isGuilty ? 1 : 3)
            trace.call(1, in: 1)
        },
        RuleCase(PausesAreKept.self, "began in the pause that the answer of call 0 demanded") { trace, isGuilty in
            trace.fails(trace.call(0), isGuilty ? "rate-limited" : "come-back-in-ten-years")
            trace.wait(1)
            trace.call(1)
        },
    ]
}
