import Hablare

/// Everything that was acknowledged becomes final once nothing goes wrong any more; every process can be shut down;
/// and what is left of a dead one comes to an end.
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

    /// Whether processes tell by their clocks who is dead, and the clocks of two that live to the end are further apart than
    /// a lease outlasts its renewal: one of them ends the other's leases as often as that renews them, and what only the
    /// other may do is never done.
    private static func holdTheLivingForDead(_ history: SimulationHistory) -> Bool {
        guard !history.plan.knowsLiveness else { return false }
        let living = history.processes.filter { !$0.isDead(at: history.quiet) }
        let isHeldForDead = living.contains { process in
            process.retirements.contains { $0.place > history.faultsEnded && $0.by != process.number }
        }
        let offsets = living.map(\.clockOffset)
        guard isHeldForDead, let first = offsets.min(), let last = offsets.max() else { return false }
        let configuration = history.plan.configuration
        let slack = configuration.leaseDuration.nanoseconds - configuration.renewalInterval.nanoseconds
        return (last - first) * 1_000_000 >= slack
    }
}
