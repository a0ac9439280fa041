/// What came of a seed.
package struct SimulationVerdict: Sendable {
    /// The seed.
    package let seed: UInt64
    /// How many events its history has.
    package let events: Int
    /// How many processes crashed in it.
    package let crashes: Int
    /// How many jobs the scheduler ran.
    package let steps: Int
    /// See ``SimulationHistory/digest``; 0 unless asked for.
    package let digest: UInt64
    /// The promises that were broken.
    package let violations: [SimulationViolation]

    /// Runs the history of a seed and judges it; by all rules, unless others are given.
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

/// What came of many seeds.
package struct SimulationTally: Sendable {
    /// How many histories were run.
    package var histories = 0
    /// How many events they had.
    package var events = 0
    /// How many processes crashed in them.
    package var crashes = 0
    /// How many jobs the scheduler ran.
    package var steps = 0
    /// How many promises were broken.
    package var violations = 0
    /// All digests, in whatever order they came.
    package var digest: UInt64 = 0
    /// How many histories had so many events, in groups of ten.
    private var sizes: [Int: Int] = [:]

    /// Nothing yet.
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

    /// The number of events that half of the histories reach, to the ten.
    package var median: Int {
        var seen = 0
        for (size, count) in sizes.sorted(by: { $0.key < $1.key }) {
            seen += count
            if 2 * seen >= histories { return size * 10 }
        }
        return 0
    }

    /// The line that a run ends with.
    package var line: String {
        "histories \(histories), events \(events), crashes \(crashes), violations \(violations)"
    }
}
