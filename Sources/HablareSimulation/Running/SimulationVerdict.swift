/// The result of checking the history of one seed.
package struct SimulationVerdict: Sendable {
    /// The seed.
    package let seed: UInt64
    /// The number of events in its history.
    package let events: Int
    /// The number of crashed processes.
    package let crashes: Int
    /// The number of steps of the scheduler. In each step, one job of a task runs.
    package let steps: Int
    /// The ``SimulationHistory/digest``, or 0 if it was not requested.
    package let digest: UInt64
    /// The violations found.
    package let violations: [SimulationViolation]

    /// Runs the history of a seed, and checks the given rules. Default: all rules.
    package init(seed: UInt64, digests: Bool = false, by rules: [any SimulationRule.Type] = SimulationRules.all) {
        let history = Simulation(SimulationPlan(seed: seed)).run()
        self.seed = seed
        events = history.events.count
        crashes = history.crashes
        steps = history.steps
        digest = digests ? history.digest : 0
        violations = SimulationRules.judge(history, by: rules)
    }
}

/// The combined results of many seeds.
package struct SimulationTally: Sendable {
    /// The number of histories.
    package var histories = 0
    /// The number of events.
    package var events = 0
    /// The number of crashed processes.
    package var crashes = 0
    /// The number of steps of the schedulers.
    package var steps = 0
    /// The number of violations.
    package var violations = 0
    /// The combination of all digests. It does not depend on their order.
    package var digest: UInt64 = 0
    /// The number of histories by their number of events, in groups of ten events.
    private var sizes: [Int: Int] = [:]

    /// Creates an empty tally.
    package init() {}

    /// Adds a verdict.
    package mutating func add(_ verdict: SimulationVerdict) {
        histories += 1
        events += verdict.events
        crashes += verdict.crashes
        steps += verdict.steps
        violations += verdict.violations.count
        digest &+= verdict.digest &* (2 &* verdict.seed &+ 1)
        sizes[verdict.events / 10, default: 0] += 1
    }

    /// The median number of events, rounded down to a multiple of ten.
    package var median: Int {
        var seen = 0
        for (size, count) in sizes.sorted(by: { $0.key < $1.key }) {
            seen += count
            if 2 * seen >= histories { return size * 10 }
        }
        return 0
    }

    /// The last line of a run's report.
    package var line: String {
        "histories \(histories), events \(events), crashes \(crashes), violations \(violations)"
    }
}
