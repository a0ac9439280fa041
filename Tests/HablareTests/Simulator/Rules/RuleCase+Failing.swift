import Hablare

@testable import HablareSimulation

extension RuleCase {
    /// Rules about what may follow a failure.
    static let failing: [RuleCase] = [
        RuleCase(RetriesAreBounded.self, "failed 4 times; at most 3 are allowed") { trace, isGuilty in
            trace.submit(0)
            for _ in 0..<(isGuilty ? 4 : 3) { trace.fails(trace.call(0), "server-error-500") }
        },
        RuleCase(RetriesAreBounded.self, "followed the failure of call 0, which is final") { trace, isGuilty in
            trace.submit(0)
            trace.fails(trace.call(0), isGuilty ? "bad-request-400" : "server-error-500")
            trace.wait(1)
            trace.call(0)
        },
        RuleCase(
            NobodyGivesUpEarly.self, "request 0 failed because of call 0, which was attempt 1 of 3 allowed attempts"
        ) { trace, isGuilty in
            if !isGuilty { trace.plan.requests[0].maximumAttempts = 1 }
            trace.submit(0)
            trace.failsForGood(trace.call(0), "server-error-500")
        },
        RuleCase(RetryAfterIsKept.self, "after call 0, which asked for") { trace, isGuilty in
            trace.submit(0)
            trace.fails(trace.call(0), "rate-limit-exceeded")
            trace.wait(isGuilty ? 1 : 3)
            trace.call(0)
        },
        RuleCase(RetryAfterIsKept.self, "backs off beyond the policy's bound") { trace, isGuilty in
            trace.plan.configuration.retry = RetryPolicy(maximumElapsed: .seconds(5))
            trace.submit(0)
            trace.fails(trace.call(0), "server-error-500")
            trace.did(.snapshot(0), .waiting(.backingOff(until: isGuilty ? 20_000_000_000 : 2_000_000_000)))
        },
        // An unreadable prompt is deferred by five seconds under any policy.
        RuleCase(RetryAfterIsKept.self, "backs off beyond the policy's bound") { trace, isGuilty in
            trace.plan.configuration.retry = RetryPolicy(maximumElapsed: .seconds(2))
            trace.submit(0)
            trace.fails(trace.call(0), "server-error-500")
            if !isGuilty { trace.happens(.readFailed, in: 0) }
            trace.did(.snapshot(0), .waiting(.backingOff(until: trace.now + 5_000_000_000)))
        },
        RuleCase(FailingIsLeftAlone.self, "before the pause of p0 was over") { trace, isGuilty in
            trace.plan.configuration.breaker = BreakerPolicy(threshold: 1, pause: .seconds(5))
            trace.fails(trace.call(0), "server-error-500")
            trace.wait(isGuilty ? 2 : 6)
            trace.call(0)
        },
        RuleCase(FailingIsLeftAlone.self, "began during the trial call of the circuit breaker, call 1") {
            trace, isGuilty in
            trace.plan.configuration.breaker = BreakerPolicy(threshold: 1, pause: .seconds(5))
            trace.fails(trace.call(0), "server-error-500")
            trace.wait(6)
            let probe = trace.call(0)
            if !isGuilty { trace.answers(probe) }
            trace.call(1)
        },
        RuleCase(ChainsAreFollowed.self, "calls p1, which the request does not name") { trace, isGuilty in
            trace.chain(isGuilty ? [] : [1])
            trace.submit(0)
            trace.call(0, provider: 1)
        },
        RuleCase(ChainsAreFollowed.self, "request 0 is sent to p1 first") { trace, isGuilty in
            trace.chain([1])
            trace.submit(0)
            trace.fails(trace.call(0, provider: isGuilty ? 1 : 0), "server-error-500")
        },
        RuleCase(ChainsAreFollowed.self, "moved from position 0 of its fallback chain to position 2") {
            trace, isGuilty in
            trace.chain([1, 2])
            trace.submit(0)
            trace.fails(trace.call(0), "server-error-500")
            trace.answers(trace.call(0, provider: isGuilty ? 2 : 1))
        },
        RuleCase(ChainsAreFollowed.self, "has an attempt at a provider that the request does not name") {
            trace, isGuilty in
            trace.chain(isGuilty ? [] : [1])
            trace.submit(0)
            trace.fails(trace.call(0), "server-error-500")
            trace.answers(trace.call(0, provider: 1))
        },
        RuleCase(ChainsAreFollowed.self, "continued after attempt 1, which is interrupted") { trace, isGuilty in
            trace.chain([1])
            trace.submit(0)
            let call = trace.call(0)
            if isGuilty { trace.ends(call, .cancelled, .interrupted) } else { trace.fails(call, "server-error-500") }
            trace.answers(trace.call(0, provider: 1))
        },
        RuleCase(ChainsAreFollowed.self, "continued after attempt 1, which is cancelled") { trace, isGuilty in
            trace.chain([1])
            trace.submit(0)
            trace.ends(trace.call(0), .failed(row: TraceDraft.row("server-error-500")), .cancelled)
            // Without an uncertain commit, the end of the attempt is recorded only once.
            if !isGuilty { trace.happens(.commitUncertain(wasMade: true), in: 0) }
            trace.did(.cancel(0), .done)
            trace.did(.retry(0), .done)
            trace.answers(trace.call(0, provider: 1))
        },
        RuleCase(ChainsAreFollowed.self, "request 0, which is invalid, continued after call 0") { trace, isGuilty in
            trace.chain([1])
            trace.submit(0)
            trace.fails(trace.call(0), isGuilty ? "invalid-request" : "bad-request-400")
            trace.answers(trace.call(0, provider: 1))
        },
        RuleCase(ChainsAreFollowed.self, "failed because of call 0, but has further fallback providers") {
            trace, isGuilty in
            trace.chain(isGuilty ? [1] : [])
            trace.submit(0)
            trace.failsForGood(trace.call(0), "bad-request-400")
        },
        RuleCase(ChainsAreFollowed.self, "failed because of call 0, but has further fallback providers") {
            trace, isGuilty in
            trace.chain([1])
            trace.plan.requests[0].deadline = (isGuilty ? 60 : 1) * 1_000_000_000
            trace.submit(0)
            let call = trace.call(0)
            trace.wait(1)
            trace.failsForGood(call, "overloaded")
        },
        RuleCase(HeldIsHeld.self, "followed call 0, whose outcome is unknown") { trace, isGuilty in
            trace.plan.requests[0].unknownOutcome = .hold
            trace.submit(0)
            trace.fails(trace.call(0), "connection-lost")
            if !isGuilty { trace.did(.retry(0), .done) }
            trace.call(0)
        },
        RuleCase(HeldIsHeld.self, "whose policy is to run again, is held after 9 lost attempts") { trace, isGuilty in
            trace.submit(0)
            for _ in 0..<(isGuilty ? 9 : 10) { trace.loses(trace.call(0)) }
            trace.becomes(0, .pending, waiting: .held)
        },
        RuleCase(HeldIsHeld.self, "request 0 was sent again after 10 lost attempts in a row") { trace, isGuilty in
            trace.submit(0)
            for number in 0..<10 {
                let call = trace.call(0)
                // One in the middle is known not to be sent.
                if number == 5 { trace.enters(call, .interrupted, .neverSent) } else { trace.loses(call) }
            }
            trace.loses(trace.call(0))
            if !isGuilty { trace.did(.retry(0), .done) }
            trace.completes(0)
        },
        RuleCase(HeldIsHeld.self, "request 0 was sent again after 10 lost attempts in a row") { trace, isGuilty in
            trace.submit(0)
            for number in 0..<10 {
                let call = trace.call(0)
                if number == 5, !isGuilty { trace.fails(call, "overloaded") } else { trace.loses(call) }
            }
            trace.completes(0)
        },
        RuleCase(HeldIsHeld.self, "is held, but was never sent") { trace, isGuilty in
            trace.plan.requests[0].unknownOutcome = .hold
            trace.submit(0)
            if !isGuilty { trace.fails(trace.call(0), "connection-lost") }
            trace.becomes(0, .pending, waiting: .held)
        },
    ]
}

extension TraceDraft {
    /// Lets a call die with its process.
    fileprivate mutating func loses(_ call: Int32) { enters(call, .lost, .maybeBilled) }

    /// Gives request 0 a fallback chain of three providers.
    fileprivate mutating func chain(_ fallback: [Int]) {
        plan.providers = Array(repeating: plan.providers[0], count: 3)
        plan.requests[0].fallback = fallback
    }
}
