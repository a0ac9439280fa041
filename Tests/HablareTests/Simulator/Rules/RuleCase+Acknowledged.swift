import Hablare

@testable import HablareSimulation

extension RuleCase {
    /// Rules about acknowledged operations other than submissions: regenerations, retries and cancellations of all
    /// requests.
    static let acknowledged: [RuleCase] = [
        RuleCase(RegeneratedIsDurable.self, "was acknowledged and is missing") { trace, isGuilty in
            let new = trace.regenerates()
            if isGuilty { trace.finals[new] = nil }
        },
        RuleCase(RegeneratedIsDurable.self, "is not a new request") { trace, isGuilty in
            if isGuilty { trace.submit(1) }
            trace.regenerates(isGuilty ? 1 : nil)
        },
        RuleCase(RegeneratedIsDurable.self, "is the request of operation") { trace, isGuilty in
            let new = trace.regenerates()
            trace.did(.regenerate(0), .stored(isGuilty ? new : new + 1))
            trace.becomes(new + 1, .pending)
            trace.change(new + 1, supersedes: 0)
        },
        RuleCase(RegeneratedIsDurable.self, "was not found by operation") { trace, isGuilty in
            let new = Int32(trace.plan.requests.count)
            if !isGuilty { trace.did(.status(new), TraceDraft.refused(.unknownRequest)) }
            trace.regenerates()
            if isGuilty { trace.did(.status(new), TraceDraft.refused(.unknownRequest)) }
        },
        RuleCase(RegeneratedIsDurable.self, "says that it supersedes 1") { trace, isGuilty in
            trace.change(trace.regenerates(), supersedes: isGuilty ? 1 : 0)
        },
        RuleCase(RegeneratedIsDurable.self, "was answered from the cache") { trace, isGuilty in
            trace.change(trace.regenerates(), isFromCache: isGuilty)
        },
        RuleCase(RegeneratedIsDurable.self, "supersedes a request that is cancelled") { trace, isGuilty in
            trace.regenerates()
            trace.becomes(0, isGuilty ? .cancelled : .expired)
        },
        RuleCase(RetriesAreRecorded.self, "but has no attempt after its 1 attempts, and is failed") { trace, isGuilty in
            trace.submit(0)
            trace.failsForGood(trace.call(0), "bad-request-400")
            trace.retries(0, after: 1)
            if !isGuilty { trace.failsForGood(trace.call(0), "bad-request-400") }
        },
        RuleCase(RetriesAreRecorded.self, "but has no attempt after its 0 attempts, and is cancelled") {
            trace, isGuilty in
            trace.submit(0)
            trace.did(.cancel(0), .done)
            trace.becomes(0, .cancelled)
            trace.retries(0, after: 0)
            if !isGuilty { trace.did(.cancel(0), .done) }
        },
        RuleCase(RetriesAreRecorded.self, "but has no attempt after its 1 attempts, and is held") { trace, isGuilty in
            trace.submit(0)
            trace.enters(trace.call(0), .lost, .maybeBilled)
            trace.retries(0, after: 1)
            trace.becomes(0, .pending, waiting: isGuilty ? .held : .unclaimed)
        },
        RuleCase(CancelAllMeansAll.self, "was journalled after the cancellation") { trace, isGuilty in
            trace.submit(0)
            trace.cancelsAll(1, [0: isGuilty ? 0 : 1])
            trace.becomes(0, .cancelled)
            trace.stops(trace.call(0, in: 1))
        },
        RuleCase(CancelAllMeansAll.self, "had cancelled, is pending") { trace, isGuilty in
            if isGuilty { trace.submit(0) }
            trace.cancelsAll(0)
            if !isGuilty { trace.submit(0) }
        },
        RuleCase(CancelAllMeansAll.self, "has the outcome of call 0, which ended later") { trace, isGuilty in
            trace.submit(0)
            let call = trace.call(0, in: 1)
            if !isGuilty { trace.answers(call) }
            trace.cancelsAll(0)
            if isGuilty { trace.answers(call) }
        },
        RuleCase(CancelAllMeansAll.self, "call 0 continued after its own process had cancelled") { trace, isGuilty in
            trace.submit(0)
            let call = trace.call(0)
            if !isGuilty { trace.stops(call) }
            trace.cancelsAll(1)
            trace.ends(call, .cancelled)
            trace.becomes(0, .cancelled)
        },
        RuleCase(CancelAllMeansAll.self, "says that it cancelled 1 requests, but it cancelled 2") { trace, isGuilty in
            trace.submit(0)
            trace.submit(1)
            trace.cancelsAll(isGuilty ? 1 : 2)
            trace.becomes(0, .cancelled)
            trace.becomes(1, .cancelled)
        },
        RuleCase(CancelAllMeansAll.self, "says that it cancelled 2 requests, but at most 1 were possible") {
            trace, isGuilty in
            trace.submit(0)
            trace.submit(1)
            let call = trace.completes(1)
            if isGuilty { trace.did(.outcome(1), .completed(call: call)) }
            trace.cancelsAll(2)
            trace.becomes(0, .cancelled)
        },
        RuleCase(CancelAllMeansAll.self, "says that it cancelled 2 requests, but at most 1 were possible") {
            trace, isGuilty in
            trace.submit(2)
            trace.becomes(2, .cancelled)
            trace.job([0], stored: [0])
            trace.becomes(0, .cancelled)
            trace.did(isGuilty ? .cancelJob(0) : .cancelAll, .count(2))
        },
    ]
}

extension TraceDraft {
    /// Completes and regenerates request 0.
    @discardableResult
    fileprivate mutating func regenerates(_ new: Int32? = nil) -> Int32 {
        let new = new ?? Int32(plan.requests.count)
        submit(0)
        completes(0)
        did(.regenerate(0), .stored(new))
        becomes(new, .pending)
        change(new, supersedes: 0)
        return new
    }

    /// Retries a request that has this number of attempts.
    fileprivate mutating func retries(_ request: Int32, after attempts: Int32) {
        let number = called(.retry(request))
        happens(.attemptsOnDisk(operation: number, request: request, attempts: attempts), in: 0)
        returned(number, .done)
    }

    /// Cancels everything with this count, while requests have these numbers of attempts.
    fileprivate mutating func cancelsAll(_ count: Int32, _ attempts: KeyValuePairs<Int32, Int32> = [:]) {
        let number = called(.cancelAll)
        for (request, attempts) in attempts {
            happens(.attemptsOnDisk(operation: number, request: request, attempts: attempts), in: 0)
        }
        returned(number, .count(count))
    }
}
