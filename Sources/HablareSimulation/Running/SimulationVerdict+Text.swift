extension SimulationVerdict {
    /// What is said of a history that breaks a promise, in lines: what it breaks, how to see it event by event, and a
    /// smaller history that breaks the same.
    ///
    /// - Parameter rules: Those that it was judged by.
    /// - Returns: `nil` when it breaks none.
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
