import Hablare

@testable import HablareSimulation

extension RuleCase {
    /// Rules about acknowledged submissions and their content.
    static let durability: [RuleCase] = [
        RuleCase(AcknowledgedIsDurable.self, "was acknowledged and is missing") { trace, isGuilty in
            trace.submit(0)
            if isGuilty { trace.finals = [:] }
        },
        RuleCase(AcknowledgedIsDurable.self, "was stored as") { trace, isGuilty in
            trace.submit(1)
            trace.did(.submit(0, content: 0), .stored(isGuilty ? 1 : 0))
            trace.becomes(0, .pending)
        },
        RuleCase(AcknowledgedIsDurable.self, "did not find request") { trace, isGuilty in
            if isGuilty { trace.submit(0) }
            trace.did(.status(0), TraceDraft.refused(.unknownRequest))
            if !isGuilty { trace.submit(0) }
        },
        RuleCase(AcknowledgedIsDurable.self, "was never submitted") { trace, isGuilty in
            if !isGuilty { trace.called(.submit(0, content: 0)) }
            trace.becomes(0, .pending)
        },
        RuleCase(AcknowledgedIsDurable.self, "a job of 2 was stored as") { trace, isGuilty in
            trace.job([0, 1], stored: isGuilty ? [0] : [0, 1])
        },
        RuleCase(AcknowledgedIsDurable.self, "of the job had request 0 and then request 2") { trace, isGuilty in
            trace.job([0, 1], stored: [0, 1])
            trace.job([2, 1], stored: [isGuilty ? 2 : 0, 1])
        },
        RuleCase(AcknowledgedIsDurable.self, "of the job was acknowledged and is missing") { trace, isGuilty in
            trace.job([0, 1], stored: [0, 1])
            if isGuilty { trace.finals[1] = nil }
        },
        RuleCase(ContentIsKept.self, "was stored with two contents") { trace, isGuilty in
            trace.submit(0)
            trace.did(.submit(0, content: 7), isGuilty ? .stored(0) : TraceDraft.refused(.conflict))
        },
        RuleCase(ContentIsKept.self, "is reported to conflict with itself") { trace, isGuilty in
            trace.submit(0)
            trace.did(.submit(0, content: isGuilty ? 0 : 7), TraceDraft.refused(.conflict))
        },
        RuleCase(ContentIsKept.self, "which no client submitted") { trace, isGuilty in
            trace.submit(0)
            trace.call(0, content: isGuilty ? 7 : 0)
        },
        RuleCase(ContentIsKept.self, "was sent with two contents") { trace, isGuilty in
            trace.submit(0)
            trace.did(.submit(0, content: 7), TraceDraft.refused(.conflict))
            trace.call(0)
            trace.call(0, content: isGuilty ? 7 : 0)
        },
        RuleCase(ContentIsKept.self, "was acknowledged with content 0, but sent with content 7") { trace, isGuilty in
            trace.submit(0)
            trace.did(.submit(0, content: 7), TraceDraft.refused(.conflict))
            trace.call(0, content: isGuilty ? 7 : 0)
        },
        RuleCase(ErrorsAreTyped.self, "threw an error of another type") { trace, isGuilty in
            trace.did(.status(0), isGuilty ? .foreignError : TraceDraft.refused(.unknownRequest))
        },
        RuleCase(ErrorsAreTyped.self, "threw an unknown code") { trace, isGuilty in
            trace.did(.status(0), isGuilty ? .refused(code: -1) : TraceDraft.refused(.unknownRequest))
        },
        RuleCase(ErrorsAreTyped.self, "reports a failure of the store, which did not fail") { trace, isGuilty in
            let number = trace.called(.submit(0, content: 0))
            if !isGuilty { trace.happens(.commitFailed, in: 0) }
            trace.returned(number, TraceDraft.refused(AIServiceErrorCode(.storageFailed)))
        },
        RuleCase(ErrorsAreTyped.self, "reports a failure of the store, which did not fail") { trace, isGuilty in
            if isGuilty { trace.happens(.readFailed, in: 0) }
            let number = trace.called(.status(0))
            if !isGuilty { trace.happens(.readFailed, in: 0) }
            trace.returned(number, TraceDraft.refused(AIServiceErrorCode(.storageBusy)))
        },
        RuleCase(ErrorsAreTyped.self, "reports a failure of the store, which did not fail") { trace, isGuilty in
            trace.submit(0, in: 1)
            let number = trace.called(.execute(0))
            if isGuilty { trace.happens(.commitFailed, in: 1) }
            trace.call(0, in: 1)
            if !isGuilty { trace.happens(.commitFailed, in: 1) }
            trace.returned(number, TraceDraft.refused(AIServiceErrorCode(.storageFailed)))
        },
        RuleCase(ErrorsAreTyped.self, "reports a failure of the store, which did not fail") { trace, isGuilty in
            trace.hasFiles()
            trace.submit(0)
            let call = trace.completes(0)
            trace.happens(.fileLost(.answer(call)))
            trace.did(
                .executeStored(0), TraceDraft.refused(AIServiceErrorCode(isGuilty ? .storageFull : .storageFailed)))
        },
        RuleCase(ErrorsAreTyped.self, "the engine of process 0") { trace, isGuilty in
            trace.happens(.serviceEnded(isGuilty ? .foreignError : .done), in: 0)
        },
        RuleCase(EverythingEnds.self, "does not end") { trace, isGuilty in
            if isGuilty { trace.doesNotRest() }
        },
        RuleCase(EverythingEnds.self, "1 requests are not final") { trace, isGuilty in
            trace.comesToRest(live: isGuilty ? 1 : 0)
        },
        // If leases decide which process is dead, clocks must agree.
        RuleCase(EverythingEnds.self, "1 requests are not final") { trace, isGuilty in
            trace.plan.knowsLiveness = isGuilty
            trace.happens(.processStarted(slot: 0), in: 0)
            trace.happens(.processStarted(slot: 1), in: 1)
            trace.happens(.clockJumped(milliseconds: -52_000), in: 0)
            trace.comesToRest(live: 1, takenForDead: 0)
        },
        RuleCase(EverythingEnds.self, "1 requests are not final") { trace, isGuilty in
            trace.plan.knowsLiveness = false
            trace.happens(.processStarted(slot: 0), in: 0)
            trace.happens(.processStarted(slot: 1), in: 1)
            trace.happens(.clockJumped(milliseconds: isGuilty ? -100 : -52_000), in: 0)
            trace.comesToRest(live: 1, takenForDead: 0)
        },
        RuleCase(EverythingEnds.self, "1 requests are not final") { trace, isGuilty in
            trace.plan.knowsLiveness = false
            trace.happens(.processStarted(slot: 0), in: 0)
            trace.happens(.processStarted(slot: 1), in: 1)
            trace.happens(.clockJumped(milliseconds: -52_000), in: 0)
            if isGuilty { trace.happens(.crashed, in: 0) }
            trace.comesToRest(live: 1, takenForDead: 0)
        },
        RuleCase(EverythingEnds.self, "1 processes cannot be shut down") { trace, isGuilty in
            trace.comesToRest(left: isGuilty ? 1 : 0)
        },
        RuleCase(EverythingEnds.self, "the remaining tasks of process 0 do not end") { trace, isGuilty in
            trace.happens(isGuilty ? .zombieStuck : .processGone, in: 0)
        },
    ]
}
