import Hablare
import HablareJSON

/// Removes null members that stand for absent members.
///
/// A service may require every member of an object, and write null for optional members. Its answer then has a null
/// member where the caller's schema only allows that the member is absent.
extension SchemaValidator {
    /// Returns a value without the members that are null and optional, and for which the schema does not allow null. If
    /// the schema has several alternatives, the first alternative that the result satisfies is used. When the limit of
    /// work is reached, the rest of the value stays unchanged.
    mutating func withoutAddedNulls(_ value: ParameterValue) -> ParameterValue { stripped(value, by: 0) }

    private mutating func stripped(_ value: ParameterValue, by node: Int) -> ParameterValue {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { return value }
        var value = value
        for rule in nodes[node].rules {
            effort -= 1
            guard !isGivenUp else { return value }
            switch (rule, value) {
            case (.members(let known, let others), .object(let members)):
                value = .object(stripped(members, by: known, others, required: requiredNames(of: node)))
            case (.elements(let first, let others), .array(let values)):
                value = .array(stripped(values, by: first, others))
            case (.reference(let target), _): value = stripped(value, by: target)
            case (.all(let parts), _): for part in parts { value = stripped(value, by: part) }
            case (.any(let alternatives), _), (.exactlyOne(let alternatives), _):
                value = stripped(value, byOneOf: alternatives)
            default: break
            }
        }
        return value
    }

    private func requiredNames(of node: Int) -> Set<ExactText> {
        var names: Set<ExactText> = []
        for case .required(let required) in nodes[node].rules { names.formUnion(required.map { ExactText($0) }) }
        return names
    }

    private mutating func stripped(
        _ members: [String: ParameterValue], by known: [(name: String, node: Int)], _ others: Int?,
        required: Set<ExactText>
    ) -> [String: ParameterValue] {
        var rest = members
        var result: [String: ParameterValue] = [:]
        for (name, node) in known {
            effort -= 1
            guard let member = members.member(exactly: name) else { continue }
            rest[name] = nil
            if member == .null, !required.contains(ExactText(name)), !fits(.null, node) { continue }
            result[name] = stripped(member, by: node)
        }
        for (name, member) in rest { result[name] = others.map { stripped(member, by: $0) } ?? member }
        return result
    }

    private mutating func stripped(
        _ values: [ParameterValue], by first: [Int], _ others: Int?
    ) -> [ParameterValue] {
        values.enumerated().map { index, value in
            guard let node = index < first.count ? first[index] : others else { return value }
            return stripped(value, by: node)
        }
    }

    private mutating func stripped(_ value: ParameterValue, byOneOf alternatives: [Int]) -> ParameterValue {
        for node in alternatives {
            let candidate = stripped(value, by: node)
            if fits(candidate, node) { return candidate }
        }
        return value
    }
}
