import Foundation

@testable import Hablare

/// A plain model of schema validation. It reads the schema for each value, compiles nothing, and answers only yes or
/// no. It knows no patterns and no formats.
struct SchemaModel {
    let root: ParameterValue

    static func understands(_ schema: ParameterValue) -> Bool {
        switch schema {
        case .object(let members):
            members["pattern"] == nil && members["format"] == nil
                && members.values.allSatisfy(understands)
        case .array(let values): values.allSatisfy(understands)
        case .double(let number): number.magnitude < 1e100  // the range of Decimal
        default: true
        }
    }

    func takes(_ value: ParameterValue, _ schema: ParameterValue) -> Bool {
        guard case .object(let keywords) = schema else { return schema == .bool(true) }
        return keywords.allSatisfy { takes(value, $0.key, $0.value, keywords) }
    }

    private func takes(
        _ value: ParameterValue, _ keyword: String, _ want: ParameterValue, _ keywords: [String: ParameterValue]
    ) -> Bool {
        switch keyword {
        case "type": list(want).contains { isOfType(value, $0) }
        case "enum": list(want).contains { isEqual(value, $0) }
        case "const": isEqual(value, want)
        case "minimum": number(value).map { $0 >= number(want) ?? 0 } ?? true
        case "maximum": number(value).map { $0 <= number(want) ?? 0 } ?? true
        case "exclusiveMinimum": number(value).map { $0 > number(want) ?? 0 } ?? true
        case "exclusiveMaximum": number(value).map { $0 < number(want) ?? 0 } ?? true
        case "multipleOf":
            number(value).map { number in
                let quotient = number / (self.number(want) ?? 1)
                var rounded = quotient
                var whole = Decimal()
                NSDecimalRound(&whole, &rounded, 0, .plain)
                return whole == quotient
            } ?? true
        case "minLength": text(value).map { $0.unicodeScalars.count >= count(want) } ?? true
        case "maxLength": text(value).map { $0.unicodeScalars.count <= count(want) } ?? true
        case "minItems": elements(value).map { $0.count >= count(want) } ?? true
        case "maxItems": elements(value).map { $0.count <= count(want) } ?? true
        case "minProperties": members(value).map { $0.count >= count(want) } ?? true
        case "maxProperties": members(value).map { $0.count <= count(want) } ?? true
        case "uniqueItems":
            want == .bool(false)
                || (elements(value) ?? []).enumerated().allSatisfy { index, element in
                    !(elements(value) ?? []).dropFirst(index + 1).contains { isEqual($0, element) }
                }
        case "required":
            members(value).map { members in list(want).allSatisfy { member($0.text ?? "", of: members) != nil } }
                ?? true
        case "properties":
            (members(want) ?? [:]).allSatisfy { name, schema in
                member(name, of: members(value) ?? [:]).map { takes($0, schema) } ?? true
            }
        case "additionalProperties":
            (members(value) ?? [:]).allSatisfy { name, value in
                keywords["properties"].flatMap { member(name, of: members($0) ?? [:]) } != nil || takes(value, want)
            }
        case "prefixItems": zip(elements(value) ?? [], list(want)).allSatisfy { takes($0, $1) }
        case "items":
            (elements(value) ?? []).dropFirst(keywords["prefixItems"].map { list($0).count } ?? 0)
                .allSatisfy { takes($0, want) }
        case "allOf": list(want).allSatisfy { takes(value, $0) }
        case "anyOf": list(want).contains { takes(value, $0) }
        case "oneOf": list(want).count { takes(value, $0) } == 1
        case "not": !takes(value, want)
        case "$ref": takes(value, target(want.text ?? ""))
        default: true
        }
    }

    private func target(_ reference: String) -> ParameterValue {
        var schema = root
        for part in reference.split(separator: "/").dropFirst() {
            let token = (part.removingPercentEncoding ?? "").replacing("~1", with: "/").replacing("~0", with: "~")
            schema = member(token, of: members(schema) ?? [:]) ?? .bool(false)
        }
        return schema
    }

    private func isOfType(_ value: ParameterValue, _ type: ParameterValue) -> Bool {
        switch (type.text, value) {
        case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object),
            ("number", .int), ("number", .double), ("integer", .int):
            true
        case ("integer", .double(let number)): number.truncatingRemainder(dividingBy: 1) == 0
        default: false
        }
    }

    private func isEqual(_ one: ParameterValue, _ other: ParameterValue) -> Bool {
        switch (one, other) {
        case (.array(let one), .array(let other)): one.count == other.count && zip(one, other).allSatisfy(isEqual)
        case (.object(let one), .object(let other)):
            one.count == other.count
                && one.allSatisfy { name, value in member(name, of: other).map { isEqual(value, $0) } ?? false }
        case (.string(let one), .string(let other)): isSame(one, other)
        default: number(one).map { $0 == number(other) } ?? (number(other) == nil && one == other)
        }
    }

    /// Compares names scalar by scalar: a dictionary would also find canonically equivalent names.
    private func member(_ name: String, of members: [String: ParameterValue]) -> ParameterValue? {
        members.first { isSame($0.key, name) }?.value
    }

    private func isSame(_ one: String, _ other: String) -> Bool {
        Array(one.unicodeScalars) == Array(other.unicodeScalars)
    }

    private func number(_ value: ParameterValue) -> Decimal? {
        switch value {
        case .int, .double: value.text.flatMap { Decimal(string: $0) }
        default: nil
        }
    }

    private func count(_ value: ParameterValue) -> Int {
        number(value).map { NSDecimalNumber(decimal: $0).intValue } ?? 0
    }
    private func text(_ value: ParameterValue) -> String? { if case .string(let text) = value { text } else { nil } }
    private func elements(_ value: ParameterValue) -> [ParameterValue]? {
        if case .array(let values) = value { values } else { nil }
    }
    private func members(_ value: ParameterValue) -> [String: ParameterValue]? {
        if case .object(let members) = value { members } else { nil }
    }
    private func list(_ value: ParameterValue) -> [ParameterValue] { elements(value) ?? [value] }
}
