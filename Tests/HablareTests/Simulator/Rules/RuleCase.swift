import Testing

@testable import HablareSimulation

/// A history that a rule must condemn, and its innocent twin, which differs in as little as possible.
struct RuleCase: Sendable, CustomTestStringConvertible {
    let rule: any SimulationRule.Type
    /// A part of what the rule says of the guilty one: each check of a rule says something else.
    let verdict: String
    private let happens: @Sendable (inout TraceDraft, Bool) -> Void

    /// - Parameters:
    ///   - rule: The rule.
    ///   - verdict: A part of what it says of the guilty one.
    ///   - happens: What happens in the guilty one, and in the innocent one.
    init(
        _ rule: any SimulationRule.Type, _ verdict: String,
        _ happens: @escaping @Sendable (_ trace: inout TraceDraft, _ isGuilty: Bool) -> Void
    ) {
        self.rule = rule
        self.verdict = verdict
        self.happens = happens
    }

    func history(isGuilty: Bool) -> SimulationHistory {
        var trace = TraceDraft()
        happens(&trace, isGuilty)
        return trace.history
    }

    var testDescription: String { "\(rule.name): \(verdict)" }

    static let all =
        durability + acknowledged + outcomes + cancelling + calls + failing + waiting + streams + limits + money
        + keeping + remembering
}
