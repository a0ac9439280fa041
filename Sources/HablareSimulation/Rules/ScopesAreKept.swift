import Hablare

/// A process whose claim scope is one job sends no requests outside this job. A request that shares its work with a
/// request of the job counts as a request of the job.
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
                "call \(call.number) of request \(call.request) has no job, but process \(call.process) runs only a job"
        }
    }

    private static func isOfJob(_ request: Int32, _ history: SimulationHistory) -> Bool {
        history.company(of: request).contains { member in
            // The origin of a deleted request is unknown.
            guard let original = history.original(of: member) else { return true }
            return history.requests[original]?.submits.contains { submit in
                if case .submitJob(SimulationPlan.scopedJob, _, _) = submit.operation { true } else { false }
            } ?? false
        }
    }
}
