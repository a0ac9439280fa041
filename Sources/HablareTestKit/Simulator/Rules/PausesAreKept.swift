import Hablare

/// A process that an account asked to wait sends it nothing until then.
enum PausesAreKept: SimulationRule {
    static let name = "pauses are kept"

    static func violations(in history: SimulationHistory) -> [String] {
        guard history.hasOneTime else { return [] }
        var found: [String] = []
        for call in history.calls {
            guard let end = call.end, let after = history.failure(of: call)?.retryAfter, after > .zero,
                history.processes[Int(call.process)].sleeps.isEmpty
            else { continue }
            let account = history.plan.providers[Int(call.provider)].account
            // What was under way to its provider before it was asked is not called back.
            let begin = end.time + history.hurry
            let until = end.time + min(after.nanoseconds, 24 * 3_600_000_000_000) - 1000
            for later in history.calls where later.process == call.process && later.started > end.place {
                guard history.plan.providers[Int(later.provider)].account == account, later.startedAt > begin,
                    later.startedAt < until
                else { continue }
                found.append("call \(later.number) began in the pause that call \(call.number) asked for")
            }
        }
        return found
    }
}
