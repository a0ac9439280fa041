import Testing

@testable import HablareSimulation

/// Shows each rule a handwritten history that breaks it: a rule that never finds a violation proves nothing.
struct RuleTests {
    @Test("A rule finds the violation in its guilty history", arguments: RuleCase.all)
    func guilty(ruleCase: RuleCase) {
        let found = ruleCase.rule.violations(in: ruleCase.history(isGuilty: true))
        #expect(found.contains { $0.contains(ruleCase.verdict) }, "\(found)")
    }

    @Test("A rule finds no violation in the innocent twin", arguments: RuleCase.all)
    func innocent(ruleCase: RuleCase) {
        let found = ruleCase.rule.violations(in: ruleCase.history(isGuilty: false))
        #expect(found.isEmpty, "\(found)")
    }

    @Test("Every rule has a history that breaks it")
    func everyRule() {
        let shown = Set(RuleCase.all.map { $0.rule.name })
        let rules = SimulationRules.all.map { $0.name }
        #expect(rules.filter { !shown.contains($0) } == [], "they were never seen to condemn")
        #expect(Set(rules).count == rules.count, "two rules have one name")
    }
}
