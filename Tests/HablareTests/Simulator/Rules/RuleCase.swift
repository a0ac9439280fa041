import Testing

@testable import HablareSimulation

/// A history that breaks a rule, and its innocent twin, which differs in as little as possible.
struct RuleCase: Sendable, CustomTestStringConvertible {
    let rule: any SimulationRule.Type
    /// A part of the rule's message about the guilty history. Each check of a rule has another message.
    let verdict: String
    private let happens: @Sendable (inout TraceDraft, Bool) -> Void

    /// - Parameters:
    ///   - rule: The rule.
    ///   - verdict: A part of the rule's message about the guilty history.
    ///   - happens: Writes the events of the guilty or the innocent history.
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
