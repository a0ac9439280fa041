import Hablare

/// A process that is there for one job sends nothing else. Whatever shares its work with a request of the job is of the
/// job, whoever leads it.
enum ScopesAreKept: SimulationRule {
    static let name = "scopes are kept"

    static func violations(in history: SimulationHistory) -> [String] {
        guard let slot = history.plan.scopedSlot else { return [] }
        let scoped = Set(
            history.events.compactMap { event -> Int32? in
                event.what == .processStarted(slot: Int32(slot)) ? event.process : nil
            })
        return history.calls.compactMap { call in
            guard scoped.contains(call.process), !isOfJob(call.request, history) else { return nil }
            return
                "call \(call.number) of request \(call.request) is of no job, and process \(call.process) is there for one"
        }
    }

    private static func isOfJob(_ request: Int32, _ history: SimulationHistory) -> Bool {
        history.company(of: request).contains { member in
            // Of one that is gone nobody knows what it replaced.
            guard let original = history.original(of: member) else { return true }
            return history.requests[original]?.submits.contains { submit in
                if case .submitJob(SimulationPlan.scopedJob, _, _) = submit.operation { true } else { false }
            } ?? false
        }
    }
}
