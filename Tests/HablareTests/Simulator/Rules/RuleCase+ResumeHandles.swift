import Hablare

@testable import HablareSimulation

extension RuleCase {
    /// Rules about work that outlives its call.
    static let remembering: [RuleCase] = [
        RuleCase(RememberedWorkIsResumed.self, "starts the work of call 0 again") { trace, isGuilty in
            let first = trace.remembers(0)
            let second = trace.call(0)
            if !isGuilty { trace.happens(.handed(call: second, work: first), in: 0) }
            trace.answers(second)
        },
        RuleCase(RememberedWorkIsResumed.self, "call 2 of request 0 starts the work of call 0 again") {
            trace, isGuilty in
            let first = trace.remembers(0)
            let second = trace.call(0)
            trace.happens(.handed(call: second, work: first), in: 0)
            if !isGuilty { trace.happens(.forgets(call: second), in: 0) }
            trace.fails(second, "connection-lost")
            trace.completes(0)
        },
        RuleCase(RememberedWorkIsResumed.self, "received work that no call began") { trace, isGuilty in
            let first = trace.remembers(0)
            let second = trace.call(0)
            trace.happens(.handed(call: second, work: isGuilty ? 7 : first), in: 0)
        },
        RuleCase(RememberedWorkIsResumed.self, "of request 1 received the work of call 0") { trace, isGuilty in
            let first = trace.remembers(0)
            trace.submit(1)
            let other = trace.call(1)
            if isGuilty { trace.happens(.handed(call: other, work: first), in: 0) }
        },
        RuleCase(RememberedWorkIsResumed.self, "which call 0 forgot") { trace, isGuilty in
            let first = trace.remembers(0)
            if isGuilty { trace.happens(.forgot(call: first), in: 0) }
            let second = trace.call(0)
            trace.happens(.handed(call: second, work: first), in: 0)
        },
        RuleCase(RememberedWorkIsResumed.self, "which began before a retry") { trace, isGuilty in
            let first = trace.remembers(0)
            trace.did(.cancel(0), .done)
            trace.did(.retry(0), .done)
            let second = trace.call(0)
            if isGuilty { trace.happens(.handed(call: second, work: first), in: 0) }
        },
        RuleCase(OnlyWantedWorkIsResumed.self, "not wanted, but call 1 received this work") { trace, isGuilty in
            let first = trace.remembers(0)
            trace.happens(.asked(call: first, isWanted: !isGuilty), in: 0)
            trace.happens(.handed(call: trace.call(0), work: first), in: 0)
        },
        RuleCase(OnlyWantedWorkIsResumed.self, "wanted, but its request was cancelled") { trace, isGuilty in
            trace.submit(0)
            let call = trace.call(0)
            trace.did(.cancel(0), .done)
            trace.becomes(0, .cancelled)
            trace.stops(call)
            trace.ends(call, .cancelled)
            trace.happens(.asked(call: call, isWanted: isGuilty), in: 0)
        },
        RuleCase(OnlyWantedWorkIsResumed.self, "wanted, but no process knows of this work") { trace, isGuilty in
            trace.happens(.ownerRegistered, in: 0)
            trace.submit(0)
            let call = trace.call(0)
            trace.happens(.ownerRetired(process: 0, isJustified: true), in: 1)
            trace.stops(call)
            trace.ends(call, .cancelled, .lost)
            trace.happens(.asked(call: call, isWanted: isGuilty), in: 0)
        },
        RuleCase(HeldIsHeld.self, "call 2 of request 0 followed call 0, whose outcome is unknown") { trace, isGuilty in
            trace.plan.requests[0].unknownOutcome = .hold
            let first = trace.remembers(0)
            let second = trace.call(0)
            trace.happens(.handed(call: second, work: first), in: 0)
            if !isGuilty { trace.happens(.forgets(call: second), in: 0) }
            trace.fails(second, "overloaded")
            trace.completes(0)
        },
        RuleCase(HeldIsHeld.self, "call 2 of request 0 followed call 1, whose outcome is unknown") { trace, isGuilty in
            trace.plan.requests[0].unknownOutcome = .hold
            trace.submit(0)
            let first = trace.call(0)
            trace.happens(.remembered(call: first), in: 0)
            trace.fails(first, "overloaded")
            let second = trace.call(0)
            trace.happens(.handed(call: second, work: first), in: 0)
            if isGuilty { trace.yields(second, 0) } else { trace.happens(.forgets(call: second), in: 0) }
            trace.ends(second, .cancelled, .failed)
            trace.completes(0)
        },
        RuleCase(LedgerIsTrue.self, "the work of call 0 is billed, and is billed again with call 0") {
            trace, isGuilty in
            trace.submit(0)
            let first = trace.call(0)
            trace.happens(.remembered(call: first), in: 0)
            trace.happens(.ownerRetired(process: 0, isJustified: true), in: 1)
            let second = trace.call(0, in: 1)
            trace.happens(.handed(call: second, work: first), in: 1)
            trace.happens(.resumed(call: second), in: 1)
            trace.happens(.callEnded(first, .answered(isPromisedType: true)), in: 0)
            let cost = SimulationCosts.cost(ofCall: first, at: 0)
            if isGuilty {
                trace.enters(first, .discarded, .billedDiscarded, cost: cost)
            } else {
                trace.enters(first, .discarded, .maybeBilled)
            }
            trace.happens(.callEnded(second, .answered(isPromisedType: true)), in: 1)
            trace.enters(second, .completed, .billed, cost: cost)
            trace.becomes(0, .completed(call: first))
        },
    ]
}

extension TraceDraft {
    /// Sends a request whose call remembers its work and fails with an unknown outcome.
    fileprivate mutating func remembers(_ request: Int32) -> Int32 {
        submit(request)
        let call = call(request)
        happens(.remembered(call: call), in: 0)
        fails(call, "connection-lost")
        return call
    }
}
