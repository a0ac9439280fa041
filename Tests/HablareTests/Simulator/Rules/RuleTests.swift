import Testing

@testable import HablareSimulation

/// The rules that histories are judged by, each shown a history by hand that breaks it: a rule that never condemns
/// proves nothing, however many histories it sees.
struct RuleTests {
    @Test("A rule condemns what it is for", arguments: RuleCase.all)
    func guilty(ruleCase: RuleCase) {
        let found = ruleCase.rule.violations(in: ruleCase.history(isGuilty: true))
        #expect(found.contains { $0.contains(ruleCase.verdict) }, "\(found)")
    }

    @Test("A rule does not condemn the innocent twin", arguments: RuleCase.all)
    func innocent(ruleCase: RuleCase) {
        let found = ruleCase.rule.violations(in: ruleCase.history(isGuilty: false))
        #expect(found.isEmpty, "\(found)")
    }

    @Test("Every rule has a history that it condemns")
    func everyRule() {
        let shown = Set(RuleCase.all.map { $0.rule.name })
        let rules = SimulationRules.all.map { $0.name }
        #expect(rules.filter { !shown.contains($0) } == [], "they were never seen to condemn")
        #expect(Set(rules).count == rules.count, "two rules have one name")
    }
}
