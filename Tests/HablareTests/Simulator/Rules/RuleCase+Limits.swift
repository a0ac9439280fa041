import Hablare

@testable import HablareTestKit

extension RuleCase {
    /// How much is sent, and when accounts want to hear nothing.
    static let limits: [RuleCase] = [
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
        RuleCase(PausesAreKept.self, "began in the pause that call 0 asked for") { trace, isGuilty in
            trace.fails(trace.call(0), "rate-limit-exceeded")
            trace.wait(isGuilty ? 1 : 3)
            trace.call(1)
        },
        RuleCase(PausesAreKept.self, "began in the pause that the account of call 0 asked for") { trace, isGuilty in
            trace.plan.providers[0].rate = RateLimit(requestsPerMinute: 60)
            trace.fails(trace.call(0), "rate-limited")
            trace.wait(isGuilty ? 2 : 4)
            trace.call(1, in: 1)
        },
    ]
}
