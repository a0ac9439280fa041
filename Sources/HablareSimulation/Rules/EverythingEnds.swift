import Hablare

/// Every acknowledged request becomes final once faults have ended. Every process can be shut down, and the leftovers
/// of a dead one end.
enum EverythingEnds: SimulationRule {
    static let name = "everything ends"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        if history.quiet == .max {
            found.append("the history does not come to rest")
        } else if history.liveAtQuiet > 0, !holdTheLivingForDead(history) {
            found.append("\(history.liveAtQuiet) requests are not final")
        }
        if history.processesLeft > 0 { found.append("\(history.processesLeft) processes cannot be shut down") }
        for event in history.events where event.what == .zombieStuck {
            found.append("what is left of process \(event.process) does not end")
        }
        return found
    }

    /// Returns whether lease expiry makes living processes count as dead. The clocks of two that live to the end are
    /// further apart than a lease outlasts its renewal. One of them then retires the other as often as that renews, and
    /// work that only the other may do is never done.
    private static func holdTheLivingForDead(_ history: SimulationHistory) -> Bool {
        guard !history.plan.knowsLiveness else { return false }
        let living = history.processes.filter { !$0.isDead(at: history.quiet) }
        let isHeldForDead = living.contains { process in
            process.retirements.contains { $0.position > history.faultsEnded && $0.by != process.number }
        }
        let offsets = living.map(\.clockOffset)
        guard isHeldForDead, let first = offsets.min(), let last = offsets.max() else { return false }
        let configuration = history.plan.configuration
        let slack = configuration.leaseDuration.nanoseconds - configuration.renewalInterval.nanoseconds
        return (last - first) * 1_000_000 >= slack
    }
}
