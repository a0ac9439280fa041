extension SimulationVerdict {
    /// Returns a text that describes the violations of a history. It contains the violations, the command that repeats
    /// the history, and a smaller history with the same violation.
    ///
    /// - Parameter rules: The rules that were checked.
    /// - Returns: The text, or `nil` if there is no violation.
    package func explained(by rules: [any SimulationRule.Type] = SimulationRules.all) -> String? {
        guard let violation = violations.first else { return nil }
        var lines = ["VIOLATION in seed \(seed)"]
        for violation in violations.prefix(5) { lines.append("  \(violation.rule): \(violation.message)") }
        lines.append("  replay: make simulate SEEDS=1 SEED=\(seed) TRACE=1")
        if let small = SimulationShrinker.shrink(seed: seed, rule: violation.rule, among: rules) {
            lines.append("  shrunk to \(small.plan.count) events of the plan, after \(small.tries) histories:")
            lines.append("  \(small.violation.rule): \(small.violation.message)")
            lines.append(small.history.text)
        } else {
            lines.append("  it does not fail again: the simulation is not deterministic")
        }
        return lines.joined(separator: "\n")
    }
}
