import Hablare

@testable import HablareSimulation

extension RuleCase {
    /// Rules about cancellations, deletions and suspensions.
    static let cancelling: [RuleCase] = [
        RuleCase(CancelMeansCancel.self, "began after its own process had cancelled request 0") { trace, isGuilty in
            trace.submit(0)
            trace.did(.cancel(0), .done)
            trace.becomes(0, .cancelled)
            if !isGuilty { trace.did(.retry(0), .done) }
            trace.call(0)
        },
        RuleCase(CancelMeansCancel.self, "was journalled after request 0 had been cancelled") { trace, isGuilty in
            trace.submit(0)
            let number = trace.called(.cancel(0))
            trace.happens(.attemptsOnDisk(operation: number, request: 0, attempts: isGuilty ? 0 : 1), in: 0)
            trace.returned(number, .done)
            trace.becomes(0, .cancelled)
            trace.stops(trace.call(0, in: 1))
        },
        RuleCase(CancelMeansCancel.self, "continued after its own process had cancelled") { trace, isGuilty in
            trace.submit(0)
            let call = trace.call(0)
            let number = trace.called(.cancel(0))
            if !isGuilty { trace.stops(call) }
            trace.returned(number, .done)
            trace.becomes(0, .cancelled)
            trace.ends(call, .cancelled)
        },
        RuleCase(CancelMeansCancel.self, "was not stopped in time") { trace, isGuilty in
            trace.submit(0)
            let call = trace.call(0, in: 1)
            trace.did(.cancel(0), .done)
            trace.wait(isGuilty ? 60 : 5)
            trace.stops(call)
            trace.ends(call, .cancelled)
            trace.becomes(0, .cancelled)
        },
        RuleCase(CancelMeansCancel.self, "was cancelled, but is completed") { trace, isGuilty in
            trace.submit(0)
            trace.did(.cancel(0), .done)
            trace.becomes(0, isGuilty ? .completed(call: 0) : .cancelled)
        },
        RuleCase(CancelMeansCancel.self, "was deleted, but is in the store") { trace, isGuilty in
            trace.submit(0)
            trace.did(.delete(0), .done)
            if !isGuilty { trace.finals = [:] }
        },
        RuleCase(CancelMeansCancel.self, "began after its request was deleted") { trace, isGuilty in
            trace.submit(0)
            if !isGuilty { trace.call(0) }
            trace.did(.delete(0), .done)
            if isGuilty { trace.call(0) }
            trace.finals = [:]
        },
        RuleCase(SuspensionIsKept.self, "began while process 0 was suspended") { trace, isGuilty in
            trace.submit(0)
            trace.did(.suspend(.background, grace: 0), .done)
            if isGuilty { trace.call(0) }
            trace.did(.resume(.background), .done)
            if !isGuilty { trace.call(0) }
        },
        RuleCase(SuspensionIsKept.self, "continued while process 0 was suspended") { trace, isGuilty in
            trace.submit(0)
            let call = trace.call(0)
            let number = trace.called(.suspend(.background, grace: 0))
            if !isGuilty { trace.ends(call, .cancelled, .interrupted) }
            trace.returned(number, .done)
            trace.did(.resume(.background), .done)
        },
        RuleCase(SuspensionIsKept.self, "registered while it was suspended") { trace, isGuilty in
            trace.did(.suspend(isGuilty ? .background : .offline, grace: 0), .done)
            trace.happens(.ownerRegistered, in: 0)
        },
        RuleCase(SuspensionIsKept.self, "which had no network") { trace, isGuilty in
            trace.submit(0)
            let call = trace.call(0)
            trace.called(.suspend(.offline, grace: 0))
            if isGuilty {
                trace.failsForGood(call, "connection-refused")
            } else {
                trace.fails(call, "connection-refused")
            }
            trace.wait(2)
            trace.did(.resume(.offline), .done)
        },
    ]
}
