import Hablare
import HablareJSON

/// A value that is compared as JSON defines equality. Texts and names are compared by their Unicode code points.
/// Numbers are compared without conversion. Convert them to a single form first, with
/// ``ParameterValue/normalized(below:)``.
struct ExactValue: Sendable, Hashable {
    let value: ParameterValue

    init(_ value: ParameterValue) { self.value = value }

    static func == (lhs: Self, rhs: Self) -> Bool { isEqual(lhs.value, rhs.value) }

    private static func isEqual(_ one: ParameterValue, _ other: ParameterValue) -> Bool {
        switch (one, other) {
        case (.string(let one), .string(let other)): one.isExactly(other)
        case (.array(let one), .array(let other)): one.count == other.count && zip(one, other).allSatisfy(isEqual)
        case (.object(let one), .object(let other)):
            one.count == other.count
                && one.allSatisfy { name, value in other.member(exactly: name).map { isEqual(value, $0) } ?? false }
        default: one == other
        }
    }

    func hash(into hasher: inout Hasher) { Self.combine(value, into: &hasher) }

    private static func combine(_ value: ParameterValue, into hasher: inout Hasher) {
        switch value {
        case .string(let text):
            hasher.combine(0)
            hasher.combine(exactly: text)
        case .array(let values):
            hasher.combine(1)
            hasher.combine(values.count)
            for value in values { combine(value, into: &hasher) }
        case .object(let members):
            // Combines the members in any order, because equal objects may differ in it.
            var sum = 0
            for (name, value) in members {
                var member = hasher
                member.combine(exactly: name)
                combine(value, into: &member)
                sum ^= member.finalize()
            }
            hasher.combine(2)
            hasher.combine(sum)
        default: hasher.combine(value)
        }
    }
}
