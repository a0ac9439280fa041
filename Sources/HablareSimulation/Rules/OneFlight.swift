import Hablare

/// G6: two calls of one request overlap only when the earlier one's process is dead, lost its lease, or gave it up.
enum OneFlight: SimulationRule {
    static let name = "G6 one flight"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        let grace = history.plan.configuration.cancellationGrace.nanoseconds
        // A deleted request that is submitted anew is another one.
        for story in history.stories where story.calls.count > 1 && !story.isMurky {
            for (index, later) in story.calls.enumerated() {
                for earlier in story.calls[..<index] where earlier.isRunning(at: later.started) {
                    let process = history.processes[Int(earlier.process)]
                    let isGivenUp = earlier.cancelled.map { $0.time + grace <= later.startedAt } ?? false
                    // Another process may take a cancelled and retried request up before this one has heard.
                    let isCancelled =
                        earlier.process != later.process
                        && (story.cancels.contains { $0.called < later.started } || story.massCancels > 0)
                    // So may it one that ran out of time and was retried.
                    let isExpired =
                        earlier.process != later.process && story.retries.contains { $0.called < later.started }
                        && history.planned(story.number)?.deadline != nil
                    let isDead =
                        process.isDead(at: later.started) || history.hasLostItsLease(earlier, before: later.started)
                    // The other way round: a process that slept sends what it had journalled.
                    let isStale = history.mayBeStale(later.process, at: later.started)
                    guard !isGivenUp, !isCancelled, !isExpired, !isDead, !isStale else { continue }
                    found.append("calls \(earlier.number) and \(later.number) of request \(story.number) overlap")
                }
            }
        }
        return found
    }
}

/// G6: nobody breaks the lease of a process that lives, as far as that can be told.
enum LeasesAreRespected: SimulationRule {
    static let name = "G6 leases are respected"

    static func violations(in history: SimulationHistory) -> [String] {
        history.processes.flatMap { process in
            process.retirements.filter { !$0.isJustified }.map {
                "the lease of process \(process.number), which lived, was broken (event \($0.place))"
            }
        }
    }
}
