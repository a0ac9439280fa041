import Hablare

/// In the queue of a provider, the three priorities share the calls in rounds of 8, 4 and 1 calls. While a request
/// waits, no other priority gets more rounds than the request's own priority, except for a tolerance.
enum NobodyStarves: SimulationRule {
    static let name = "nobody starves"

    static func violations(in history: SimulationHistory) -> [String] {
        // Several processes share a backlog in an unknown way, and failures delay requests.
        guard history.plan.slots == 1, history.processes.count <= 2,
            history.processes.allSatisfy({ !$0.hasCrashed && $0.sleeps.isEmpty && $0.storeFailures.isEmpty })
        else { return [] }
        var found: [String] = []
        for story in history.stories where !story.isMurky && story.retries.isEmpty {
            guard let planned = history.planned(story.number), let first = story.calls.first,
                let since = AcknowledgedIsDurable.acknowledgement(of: story, in: history), since < first.started,
                Int(first.provider) == planned.provider
            else { continue }
            var passed: [Int: Int] = [:]
            for call in history.calls
            where call.started > since && call.started < first.started && Int(call.provider) == planned.provider {
                guard let other = history.planned(call.request) else { continue }
                passed[other.priority.rawValue, default: 0] += 1
            }
            let own = weight(planned.priority)
            let rounds = (passed[planned.priority.rawValue, default: 0] + own) / own
            for priority in Priority.allCases where priority != planned.priority {
                // A window of others may have been claimed before the request came, and one round may be in progress.
                let bound =
                    weight(priority) * (rounds + 1) + 4 * max(4, history.plan.providers[planned.provider].concurrency)
                let count = passed[priority.rawValue, default: 0]
                if count > bound {
                    found.append(
                        "request \(story.number), \(planned.priority), waited while \(count) requests of priority \(priority) were sent; the limit is \(bound)"
                    )
                }
            }
        }
        return found
    }

    private static func weight(_ priority: Priority) -> Int {
        switch priority {
        case .high: 8
        case .normal: 4
        case .low: 1
        }
    }
}
