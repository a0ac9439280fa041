import Hablare

/// G6: two calls for one request are in flight at the same time only if the process of the earlier call is dead, has
/// lost its lease, or has abandoned the call.
enum OneFlight: SimulationRule {
    static let name = "G6 one flight"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        let grace = history.plan.configuration.cancellationGrace.nanoseconds
        // A deleted request that is submitted again counts as another request.
        for story in history.stories where story.calls.count > 1 && !story.isMurky {
            for (index, later) in story.calls.enumerated() {
                for earlier in story.calls[..<index] where earlier.isRunning(at: later.started) {
                    let process = history.processes[Int(earlier.process)]
                    let isGivenUp = earlier.cancelled.map { $0.time + grace <= later.startedAt } ?? false
                    // Another process may claim a cancelled and retried request before this one learns of the
                    // cancellation.
                    let isCancelled =
                        earlier.process != later.process
                        && (story.cancels.contains { $0.called < later.started } || story.massCancels > 0)
                    // The same holds for a request that passed its deadline and was retried.
                    let isExpired =
                        earlier.process != later.process && story.retries.contains { $0.called < later.started }
                        && history.planned(story.number)?.deadline != nil
                    let isDead =
                        process.isDead(at: later.started) || history.hasLostItsLease(earlier, before: later.started)
                    // Conversely, a process that slept sends the attempt that it had journalled.
                    let isStale = history.mayBeStale(later.process, at: later.started)
                    guard !isGivenUp, !isCancelled, !isExpired, !isDead, !isStale else { continue }
                    found.append("calls \(earlier.number) and \(later.number) of request \(story.number) overlap")
                }
            }
        }
        return found
    }
}

/// G6: no process breaks the leases of another process if it can know that the other process is alive.
enum LeasesAreRespected: SimulationRule {
    static let name = "G6 leases are respected"

    static func violations(in history: SimulationHistory) -> [String] {
        history.processes.flatMap { process in
            process.retirements.filter { !$0.isJustified }.map {
                "the lease of process \(process.number) was broken, although the process lived (event \($0.position))"
            }
        }
    }
}
