/// Makes the plan of a failing history smaller. It removes every part of the plan that the failure does not need.
package struct SimulationShrinker: Sendable {
    /// A smaller plan that still violates the rule.
    package struct Result: Sendable {
        /// The plan.
        package let plan: SimulationPlan
        /// The violation.
        package let violation: SimulationViolation
        /// The history.
        package let history: SimulationHistory
        /// The number of histories that were tried.
        package let tries: Int
    }

    private let rule: String
    private let rules: [any SimulationRule.Type]
    private var tries = 0
    private let bound: Int
    private var best: (plan: SimulationPlan, violation: SimulationViolation, history: SimulationHistory)?

    /// Shrinks the plan of a seed.
    ///
    /// - Parameters:
    ///   - seed: The seed.
    ///   - rule: The name of the rule that the history of the seed violates.
    ///   - rules: The rules, including this rule.
    ///   - bound: The maximum number of histories to try.
    /// - Returns: The smallest plan that was found, or `nil` if the history of the seed does not violate the rule.
    package static func shrink(
        seed: UInt64, rule: String, among rules: [any SimulationRule.Type] = SimulationRules.all, bound: Int = 3000
    ) -> Result? {
        var shrinker = SimulationShrinker(rule: rule, among: rules, bound: bound)
        let plan = SimulationPlan(seed: seed)
        guard shrinker.attempt(plan) else { return nil }
        shrinker.shrink()
        guard let best = shrinker.best else { return nil }
        return Result(plan: best.plan, violation: best.violation, history: best.history, tries: shrinker.tries)
    }

    private init(rule: String, among rules: [any SimulationRule.Type], bound: Int) {
        self.rule = rule
        self.rules = rules.filter { $0.name == rule }
        self.bound = bound
    }

    private mutating func attempt(_ plan: SimulationPlan) -> Bool {
        tries += 1
        let history = Simulation(plan).run()
        guard let violation = SimulationRules.judge(history, by: rules).first else { return false }
        best = (plan, violation, history)
        return true
    }

    /// Returns whether a smaller plan still violates the rule. Tries several orders of simultaneous events, because the
    /// same random numbers have other effects after events were removed.
    private mutating func holds(_ plan: SimulationPlan) -> Bool {
        for shift in 0..<4 where tries < bound {
            var plan = plan
            plan.interleaving &+= UInt64(shift) &* 0x9e37_79b9
            if attempt(plan) { return true }
        }
        return false
    }

    private mutating func shrink() {
        var size = -1
        while let plan = best?.plan, plan.size != size, tries < bound {
            size = plan.size
            dropEvents()
            dropBehaviours()
            simplify()
        }
    }

    private mutating func dropEvents() {
        var width = max(1, (best?.plan.events.count ?? 0) / 2)
        while width >= 1, tries < bound {
            var start = 0
            while let plan = best?.plan, start < plan.events.count, tries < bound {
                var smaller = plan
                smaller.events.removeSubrange(start..<min(start + width, plan.events.count))
                if !holds(smaller) { start += width }
            }
            width /= 2
        }
    }

    private mutating func dropBehaviours() {
        guard let count = best?.plan.requests.count else { return }
        for request in 0..<count {
            while let plan = best?.plan, let last = plan.requests[request].behaviours.indices.last, tries < bound {
                var smaller = plan
                smaller.requests[request].behaviours.remove(at: last)
                if !holds(smaller) { break }
            }
        }
    }

    private mutating func simplify() {
        let changes: [@Sendable (inout SimulationPlan) -> Void] = [
            { $0.endsAfresh = false }, { $0.commitDelay = 0 }, { $0.style.drift = 0 }, { $0.style.slowLane = nil },
            { $0.style.order = .oldest }, { $0.lostSignals = 0 }, { $0.signalDelay = 0 }, { $0.knowsLiveness = true },
            { $0.scopedSlot = nil },
        ]
        for change in changes {
            guard var plan = best?.plan, tries < bound else { return }
            change(&plan)
            if plan.traits != best?.plan.traits { _ = holds(plan) }
        }
    }
}

extension SimulationPlan {
    /// The size of the plan: the number of its events, behaviours and traits.
    var size: Int { events.count + requests.reduce(0) { $0 + $1.behaviours.count } + traits.count { $0 != "0" } }

    /// The properties of the plan that can be made simpler.
    var traits: [String] {
        [
            endsAfresh ? "afresh" : "0", commitDelay > 0 ? "commit" : "0", style.drift > 0 ? "drift" : "0",
            style.slowLane == nil ? "0" : "slow", style.order == .oldest ? "0" : "\(style.order)",
            lostSignals > 0 ? "lost" : "0", signalDelay > 0 ? "delay" : "0", knowsLiveness ? "0" : "nil",
            scopedSlot == nil ? "0" : "scope",
        ]
    }
}
