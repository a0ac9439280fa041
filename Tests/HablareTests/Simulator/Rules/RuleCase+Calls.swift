import Hablare

@testable import HablareSimulation

extension RuleCase {
    /// Rules about which calls are made, which of them overlap, and their lines in the ledger.
    static let calls: [RuleCase] = [
        RuleCase(OneFlight.self, "calls 0 and 1 of request 0 overlap") { trace, isGuilty in
            trace.submit(0)
            let call = trace.call(0)
            if !isGuilty { trace.fails(call, "server-error-500") }
            trace.call(0, in: 1)
        },
        RuleCase(LeasesAreRespected.self, "was broken, although the process lived") { trace, isGuilty in
            trace.submit(0)
            trace.happens(.ownerRetired(process: 0, isJustified: !isGuilty), in: 1)
        },
        RuleCase(WorkIsShared.self, "calls 0 and 1, which do the same work, overlap") { trace, isGuilty in
            if isGuilty { trace.plan.requests[1] = trace.plan.requests[0] }
            trace.submit(0)
            trace.submit(1)
            trace.call(0)
            trace.call(1)
        },
        RuleCase(WorkIsShared.self, "had already answered the same work") { trace, isGuilty in
            trace.plan.requests[1] = trace.plan.requests[0]
            trace.submit(0)
            if isGuilty { trace.submit(1) }
            trace.completes(0)
            if !isGuilty { trace.submit(1) }
            trace.completes(1)
        },
        RuleCase(WorkIsShared.self, "call 0 answered request 1, which is pending") { trace, isGuilty in
            trace.plan.requests[1] = trace.plan.requests[0]
            trace.submit(0)
            trace.submit(1)
            let call = trace.completes(0)
            if !isGuilty { trace.becomes(1, .completed(call: call)) }
        },
        // The first submission of a request decides its content.
        RuleCase(WorkIsShared.self, "call 0 answered request 1, which is pending") { trace, isGuilty in
            trace.plan.requests[1] = trace.plan.requests[0]
            trace.submit(0)
            if !isGuilty { trace.did(.submit(1, content: 10_000), .stored(1)) } else { trace.submit(1) }
            trace.becomes(1, .pending)
            trace.completes(0)
        },
        RuleCase(NothingPaidInSilence.self, "was sent before its attempt was on disk") { trace, isGuilty in
            trace.submit(0)
            trace.answers(trace.call(0, journalled: isGuilty ? 0 : 1))
        },
        RuleCase(NothingPaidInSilence.self, "there are 2 calls, but 1 lines in the ledger") { trace, isGuilty in
            trace.submit(0)
            trace.fails(trace.call(0), "server-error-500")
            if isGuilty { trace.call(0) } else { trace.completes(0) }
        },
        RuleCase(NothingPaidInSilence.self, "attempt 1 of request 0 was sent twice") { trace, isGuilty in
            trace.submit(0)
            trace.fails(trace.call(0), "server-error-500")
            trace.answers(trace.call(0, attempt: isGuilty ? 1 : 2))
        },
        RuleCase(NothingPaidInSilence.self, "call 0 of request 0 is not in the ledger") { trace, isGuilty in
            trace.submit(0)
            let call = trace.call(0)
            if isGuilty { trace.furtherLines = 1 } else { trace.enters(call, .lost, .maybeBilled) }
        },
        RuleCase(NothingPaidInSilence.self, "has the ledger line") { trace, isGuilty in
            trace.submit(0)
            let call = trace.call(0)
            trace.happens(.callEnded(call, .answered(isPromisedType: true)), in: 0)
            trace.enters(call, .completed, isGuilty ? .maybeBilled : .billed)
        },
        RuleCase(NothingPaidInSilence.self, "call 0 failed, but the ledger says interrupted") { trace, isGuilty in
            trace.submit(0)
            let row = TraceDraft.row("server-error-500")
            trace.ends(trace.call(0), .failed(row: row), isGuilty ? .interrupted : .failed)
        },
        RuleCase(NothingPaidInSilence.self, "attempt 2 of request 0 is billed, but was never sent") { trace, isGuilty in
            trace.submit(0)
            trace.completes(0)
            trace.change(0) { lines in
                lines.append(
                    FinalRecord.Attempt(
                        attempt: 2, outcome: .discarded, billing: isGuilty ? .billedDiscarded : .neverSent,
                        provider: nil, cost: nil))
            }
        },
        RuleCase(NothingPaidInSilence.self, "request 0 was sent, but is not in the store") { trace, isGuilty in
            trace.submit(0)
            trace.completes(0)
            if isGuilty {
                trace.finals = [:]
                trace.furtherLines = 1
            }
        },
        RuleCase(ConcurrencyIsLimited.self, "began while 4 other calls ran; the limit is 4") { trace, isGuilty in
            for request in Int32(0)..<(isGuilty ? 5 : 4) { trace.call(request) }
        },
    ]
}
