import Hablare

/// When no more faults occur, every acknowledged request becomes final. All processes can be shut down, and all tasks
/// of dead processes end.
enum EverythingEnds: SimulationRule {
    static let name = "everything ends"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        if history.quiet == .max {
            found.append("the history does not end")
        } else if history.liveAtQuiet > 0, !holdTheLivingForDead(history) {
            found.append("\(history.liveAtQuiet) requests are not final")
        }
        if history.processesLeft > 0 { found.append("\(history.processesLeft) processes cannot be shut down") }
        for event in history.events where event.what == .zombieStuck {
            found.append("the remaining tasks of process \(event.process) do not end")
        }
        return found
    }

    /// Returns whether a process that is alive counts as dead, because its leases have expired. This happens if the
    /// clocks of two processes differ by more than the time between the renewal of a lease and its expiry, and the two
    /// processes live to the end. Each time that one process renews its registration, the other process then retires
    /// it. A request that only the retired process may execute is then never executed.
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
