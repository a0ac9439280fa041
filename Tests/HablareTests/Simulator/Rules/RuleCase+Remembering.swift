import Hablare

@testable import HablareTestKit

extension RuleCase {
    /// Work that outlives its call.
    static let remembering: [RuleCase] = [
        RuleCase(RememberedGoesOn.self, "begins anew what call 0 remembered") { trace, isGuilty in
            let first = trace.remembers(0)
            let second = trace.call(0)
            if !isGuilty { trace.happens(.handed(call: second, work: first), in: 0) }
            trace.answers(second)
        },
        RuleCase(RememberedGoesOn.self, "call 2 of request 0 begins anew what call 0 remembered") { trace, isGuilty in
            let first = trace.remembers(0)
            let second = trace.call(0)
            trace.happens(.handed(call: second, work: first), in: 0)
            if !isGuilty { trace.happens(.forgets(call: second), in: 0) }
            trace.fails(second, "connection-lost")
            trace.completes(0)
        },
        RuleCase(RememberedGoesOn.self, "was handed work that nobody began") { trace, isGuilty in
            let first = trace.remembers(0)
            let second = trace.call(0)
            trace.happens(.handed(call: second, work: isGuilty ? 7 : first), in: 0)
        },
        RuleCase(RememberedGoesOn.self, "of request 1 was handed the work of call 0") { trace, isGuilty in
            let first = trace.remembers(0)
            trace.submit(1)
            let other = trace.call(1)
            if isGuilty { trace.happens(.handed(call: other, work: first), in: 0) }
        },
        RuleCase(RememberedGoesOn.self, "which call 0 forgot") { trace, isGuilty in
            let first = trace.remembers(0)
            if isGuilty { trace.happens(.forgot(call: first), in: 0) }
            let second = trace.call(0)
            trace.happens(.handed(call: second, work: first), in: 0)
        },
        RuleCase(RememberedGoesOn.self, "of an earlier life") { trace, isGuilty in
            let first = trace.remembers(0)
            trace.did(.cancel(0), .done)
            trace.did(.retry(0), .done)
            let second = trace.call(0)
            if isGuilty { trace.happens(.handed(call: second, work: first), in: 0) }
        },
    ]
}

extension TraceDraft {
    /// A request is sent, its call remembers its work, and fails in a way that nobody knows what came of it.
    fileprivate mutating func remembers(_ request: Int32) -> Int32 {
        submit(request)
        let call = call(request)
        happens(.remembered(call: call), in: 0)
        fails(call, "connection-lost")
        return call
    }
}
