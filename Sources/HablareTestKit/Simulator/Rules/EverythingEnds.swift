/// Everything that was acknowledged becomes final once nothing goes wrong any more; every process can be shut down;
/// and what is left of a dead one comes to an end.
enum EverythingEnds: SimulationRule {
    static let name = "everything ends"

    static func violations(in history: SimulationHistory) -> [String] {
        var found: [String] = []
        if history.quiet == .max {
            found.append("the history does not come to rest")
        } else if history.liveAtQuiet > 0 {
            found.append("\(history.liveAtQuiet) requests are not final")
        }
        if history.processesLeft > 0 { found.append("\(history.processesLeft) processes cannot be shut down") }
        for event in history.events where event.what == .zombieStuck {
            found.append("what is left of process \(event.process) does not end")
        }
        return found
    }
}
