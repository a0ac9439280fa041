import Hablare

@testable import HablareSimulation

extension RuleCase {
    /// Rules about the costs of calls and the calls that are saved.
    static let money: [RuleCase] = [
        RuleCase(BudgetsAreKept.self, "6 was charged, but the limit is 5") { trace, isGuilty in
            trace.plan.configuration.budgets = [Budget("b", microDollars: isGuilty ? 5 : 6, period: .total)]
            for request in Int32(0)..<3 { trace.completes(request) }
        },
        RuleCase(BudgetsAreKept.self, "1 attempts cannot cost") { trace, isGuilty in
            let limit = SimulationCosts.bound - (isGuilty ? 0 : 1)
            trace.plan.configuration.budgets = [Budget("b", microDollars: limit, period: .total)]
            trace.completes(0)
            trace.submit(1)
            trace.did(.outcome(1), TraceDraft.failure("budget-exceeded"))
        },
        RuleCase(BudgetsAreKept.self, "was refused, but there is no budget") { trace, isGuilty in
            trace.submit(0)
            trace.did(.outcome(0), TraceDraft.failure(isGuilty ? "budget-exceeded" : "timeout"))
        },
        RuleCase(LedgerIsTrue.self, "the ledger's sum counts 2 attempts, but 1 were made") { trace, isGuilty in
            trace.submit(0)
            trace.completes(0)
            trace.sum = LedgerSum(attempts: isGuilty ? 2 : 1, usage: Usage(costMicroDollars: 1))
        },
        RuleCase(LedgerIsTrue.self, "call 0 cost 1, but its line in the ledger says -1") { trace, isGuilty in
            trace.submit(0)
            let call = trace.call(0)
            trace.happens(.callEnded(call, .answered(isPromisedType: true)), in: 0)
            trace.enters(call, .completed, .billed, cost: isGuilty ? nil : 1)
        },
        RuleCase(LedgerIsTrue.self, "the ledger's sum is 0, but the sum of its lines is 1") { trace, isGuilty in
            trace.submit(0)
            trace.completes(0)
            trace.sum = LedgerSum(attempts: 1, usage: Usage(costMicroDollars: isGuilty ? 0 : 1))
        },
        RuleCase(LedgerIsTrue.self, "7 is recorded as spent, but the attempts cost 1 to 1") { trace, isGuilty in
            trace.plan.configuration.budgets = [Budget("b", microDollars: 1000, period: .total)]
            trace.submit(0)
            trace.completes(0)
            trace.spent = ["b": isGuilty ? 7 : 1]
        },
        RuleCase(CacheIsHonest.self, "is answered from the cache, but was sent") { trace, isGuilty in
            let call = trace.cached()
            if isGuilty { trace.call(1) }
            trace.finds(call)
        },
        RuleCase(CacheIsHonest.self, "is answered from the cache, but is cancelled") { trace, isGuilty in
            let call = trace.cached()
            trace.finds(call)
            if isGuilty { trace.becomes(1, .cancelled) }
        },
        RuleCase(CacheIsHonest.self, "was answered by call 9, which does not exist") { trace, isGuilty in
            let call = trace.cached()
            trace.did(.peek(1), .completed(call: isGuilty ? 9 : call))
        },
        RuleCase(CacheIsHonest.self, "but requested a new answer") { trace, isGuilty in
            let call = trace.cached(isGuilty ? .refresh : .use)
            trace.finds(call)
        },
        RuleCase(CacheIsHonest.self, "which was for another prompt") { trace, isGuilty in
            let call = trace.cached()
            trace.plan.requests[2].caching = .use
            trace.did(.peek(isGuilty ? 2 : 1), .completed(call: call))
        },
        RuleCase(CacheIsHonest.self, "which had not answered") { trace, isGuilty in
            trace.plan.requests[0].caching = .use
            trace.submit(0)
            let call = trace.call(0)
            if !isGuilty { trace.answers(call) }
            trace.did(.peek(0), .completed(call: call))
            if isGuilty { trace.answers(call) }
        },
        RuleCase(CacheIsHonest.self, "whose answer must not be shared") { trace, isGuilty in
            trace.plan.requests[1] = trace.plan.requests[0]
            trace.plan.requests[1].caching = .use
            if !isGuilty { trace.plan.requests[0].caching = .refresh }
            trace.submit(0)
            let call = trace.completes(0)
            trace.did(.peek(1), .completed(call: call))
        },
        RuleCase(CacheIsHonest.self, "whose answer is too old") { trace, isGuilty in
            let call = trace.cached(.use(within: isGuilty ? 1 : 10))
            trace.wait(5)
            trace.did(.peek(1), .completed(call: call))
        },
        RuleCase(CacheIsHonest.self, "whose answer was no longer in the cache") { trace, isGuilty in
            let call = trace.cached()
            if !isGuilty { trace.did(.peek(1), .completed(call: call)) }
            trace.wait(3)
            trace.did(.invalidate, .count(1))
            if isGuilty { trace.did(.peek(1), .completed(call: call)) }
        },
        RuleCase(CacheIsHonest.self, "was paid for, although call 0 had already answered the same prompt") {
            trace, isGuilty in
            let call = trace.cached()
            trace.wait(3)
            if isGuilty {
                trace.submit(1)
                trace.completes(1)
            } else {
                trace.finds(call)
            }
        },
    ]
}

extension TraceDraft {
    /// Makes a call whose answer is cached. Request 1 has the same content.
    fileprivate mutating func cached(_ policy: CachePolicy = .use) -> Int32 {
        plan.requests[0].caching = .use
        plan.requests[1] = plan.requests[0]
        plan.requests[1].caching = policy
        submit(0)
        return completes(0)
    }

    /// Submits request 1, which is answered from the cache.
    fileprivate mutating func finds(_ call: Int32) {
        submit(1)
        becomes(1, .completed(call: call))
        change(1, isFromCache: true)
    }
}
