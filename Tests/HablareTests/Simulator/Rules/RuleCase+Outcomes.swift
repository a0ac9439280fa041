import Hablare

@testable import HablareSimulation

extension RuleCase {
    /// Rules about the outcomes of requests and their delivery.
    static let outcomes: [RuleCase] = [
        RuleCase(OneRecordedOutcome.self, "was completed twice") { trace, isGuilty in
            trace.submit(0)
            let first = trace.completes(0)
            trace.did(.outcome(0), .completed(call: first))
            trace.did(.outcome(0), .completed(call: isGuilty ? first + 1 : first))
        },
        RuleCase(OneRecordedOutcome.self, "the client received completed(call: 0), but the store recorded cancelled") {
            trace, isGuilty in
            trace.submit(0)
            trace.did(.outcome(0), .completed(call: trace.completes(0)))
            if isGuilty { trace.becomes(0, .cancelled) }
        },
        RuleCase(OneRecordedOutcome.self, "had outcomes") { trace, isGuilty in
            trace.submit(0)
            trace.did(.cancel(0), .done)
            if !isGuilty { trace.did(.retry(0), .done) }
            trace.did(.outcome(0), .completed(call: trace.completes(0)))
        },
        RuleCase(OneRecordedOutcome.self, "had an outcome and is missing") { trace, isGuilty in
            trace.submit(0)
            trace.did(.outcome(0), .completed(call: trace.completes(0)))
            if isGuilty { trace.finals = [:] }
        },
        RuleCase(AnswersAreTrue.self, "is completed by call 1, which does not exist") { trace, isGuilty in
            trace.submit(0)
            trace.completes(0)
            trace.did(.outcome(0), .completed(call: isGuilty ? 1 : 0))
        },
        RuleCase(AnswersAreTrue.self, "which did not answer it") { trace, isGuilty in
            trace.submit(0)
            trace.submit(1)
            trace.completes(0)
            trace.completes(1)
            trace.did(.outcome(1), .completed(call: isGuilty ? 0 : 1))
        },
        RuleCase(AnswersAreTrue.self, "the text comes from call 1, not from call 0") { trace, isGuilty in
            trace.submit(0)
            trace.completes(0)
            if isGuilty { trace.change(0, answer: 1) }
        },
        RuleCase(AnswersAreTrue.self, "has 2 completed attempts") { trace, isGuilty in
            trace.submit(0)
            let first = trace.call(0)
            trace.ends(first, .answered(isPromisedType: true), isGuilty ? .completed : .discarded)
            trace.completes(0)
        },
        RuleCase(AnswersAreTrue.self, "is cancelled with a completed attempt") { trace, isGuilty in
            trace.submit(0)
            let call = trace.call(0)
            trace.ends(call, .answered(isPromisedType: true), isGuilty ? .completed : .discarded)
            trace.becomes(0, .cancelled)
        },
        RuleCase(AnswersAreTrue.self, "which did not fail in this way") { trace, isGuilty in
            trace.submit(0)
            trace.failsForGood(trace.call(0), "bad-request-400")
            trace.did(.outcome(0), TraceDraft.failure(isGuilty ? "not-found-404" : "bad-request-400", of: 0))
        },
        RuleCase(AnswersAreTrue.self, "timed out, but none of its calls took so long") { trace, isGuilty in
            trace.submit(0)
            let call = trace.call(0)
            trace.wait(isGuilty ? 2 : 30)
            trace.stops(call)
            trace.ends(call, .cancelled, .failed)
            trace.becomes(0, TraceDraft.failure("timeout"))
        },
        RuleCase(AnswersAreTrue.self, "failed with an invalid response, but no provider returned one") {
            trace, isGuilty in
            trace.submit(0)
            trace.ends(trace.call(0), .answered(isPromisedType: isGuilty), .failed)
            trace.becomes(0, TraceDraft.failure("invalid-response"))
        },
        RuleCase(AnswersAreTrue.self, "which no provider returned") { trace, isGuilty in
            trace.submit(0)
            trace.failsForGood(trace.call(0), "server-error-500")
            trace.did(.outcome(0), TraceDraft.failure("server-error-500", of: isGuilty ? -1 : 0))
        },
        RuleCase(FinalIsFinal.self, "began after its completion") { trace, isGuilty in
            trace.submit(0)
            let call = trace.completes(0)
            if isGuilty { trace.did(.outcome(0), .completed(call: call)) }
            trace.call(0)
            if !isGuilty { trace.did(.outcome(0), .completed(call: call)) }
        },
        RuleCase(FinalIsFinal.self, "began after its failure") { trace, isGuilty in
            trace.submit(0)
            trace.failsForGood(trace.call(0), "bad-request-400")
            trace.did(.outcome(0), TraceDraft.failure("bad-request-400", of: 0))
            if !isGuilty { trace.did(.retry(0), .done) }
            trace.completes(0)
        },
        RuleCase(LateReadersKnow.self, "which no client submitted") { trace, isGuilty in
            trace.did(.status(0), isGuilty ? .pending : TraceDraft.refused(.unknownRequest))
        },
        RuleCase(LateReadersKnow.self, "received pending after request 0 was") { trace, isGuilty in
            trace.submit(0)
            let call = trace.completes(0)
            trace.did(.outcome(0), .completed(call: call))
            trace.did(.status(0), isGuilty ? .pending : .completed(call: call))
        },
        RuleCase(EveryWaitEnds.self, "never ended") { trace, isGuilty in
            trace.submit(0)
            let number = trace.called(.outcome(0))
            let call = trace.completes(0)
            if !isGuilty { trace.returned(number, .completed(call: call)) }
        },
        RuleCase(EveryWaitEnds.self, "ended only by the last shutdown") { trace, isGuilty in
            trace.submit(0)
            let number = trace.called(.outcome(0))
            let call = trace.completes(0)
            if !isGuilty { trace.returned(number, .completed(call: call)) }
            trace.comesToRest()
            if isGuilty { trace.returned(number, TraceDraft.refused(.suspended)) }
        },
        RuleCase(EveryWaitEnds.self, "received a shutdown that no process ordered") { trace, isGuilty in
            trace.submit(0)
            let number = trace.called(.outcome(0))
            if !isGuilty { trace.happens(.shutdownOrdered, in: 0) }
            trace.returned(number, TraceDraft.refused(.suspended))
        },
        RuleCase(EveryWaitEnds.self, "received a cancellation, but was not cancelled") { trace, isGuilty in
            trace.submit(0)
            let number = trace.called(.outcome(0))
            if !isGuilty { trace.happens(.operationCancelled(number), in: 0) }
            trace.returned(number, .cancellationError)
        },
        RuleCase(EveryWaitEnds.self, "ended without the outcome") { trace, isGuilty in
            trace.submit(0)
            trace.did(.watch(0), isGuilty ? .executing : .completed(call: trace.completes(0)))
        },
        RuleCase(EveryWaitEnds.self, "continued after the outcome") { trace, isGuilty in
            trace.submit(0)
            let number = trace.called(.watch(0))
            if !isGuilty { trace.happens(.told(number, .executing), in: 0) }
            let call = trace.completes(0)
            trace.happens(.told(number, .completed(call: call)), in: 0)
            if isGuilty { trace.happens(.told(number, .executing), in: 0) }
            trace.returned(number, .completed(call: call))
        },
    ]
}
