import Foundation
import HablareTestKit
import Testing

@testable import Hablare
@testable import HablareStructured

/// Random schemas and values against a slow model.
@Suite struct SchemaHistoryTests {
    @Test("JSONSchema agrees with the model on random schemas and values", arguments: Seeds.choose(100))
    func sameAsModel(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var fitting = 0
        for _ in 0..<10 {
            let source = Self.schema(depth: 3, using: &random)
            let schema = try JSONSchema(source)
            let model = SchemaModel(root: source)
            for _ in 0..<15 {
                let value = RandomJSON.value(depth: 3, using: &random)
                let fits = model.takes(value, source)
                fitting += fits ? 1 : 0
                // An expectation for each value would take longer than everything else.
                guard schema.validate(value).isEmpty != fits else { continue }
                Issue.record("seed \(seed): \(source) and \(value)")
            }
        }
        #expect(fitting > 0 && fitting < 150, "seed \(seed) shows nothing")
    }

    @Test("Violations are deterministic and bounded in number", arguments: Seeds.choose(20))
    func deterministic(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let schema = try JSONSchema(Self.schema(depth: 3, using: &random))
            let value = RandomJSON.value(depth: 4, using: &random)
            let violations = schema.validate(value)
            #expect(violations == schema.validate(value))
            #expect(violations.count <= JSONSchema.maximumViolations)
        }
    }

    /// An object has only one of several canonically equivalent names.
    private static let definitionNames = RandomJSON.names.reduce(into: [String]()) { names, name in
        if !names.contains(name) { names.append(name) }
    }

    private static func schema(depth: Int, using random: inout SeededGenerator) -> ParameterValue {
        var definitions: [String: ParameterValue] = [:]
        for name in definitionNames { definitions[name] = part(depth: 1, refers: false, using: &random) }
        guard case .object(var members) = part(depth: depth, refers: true, using: &random) else {
            return .bool(Bool.random(using: &random))
        }
        members["$defs"] = .object(definitions)
        return .object(members)
    }

    private static func part(depth: Int, refers: Bool, using random: inout SeededGenerator) -> ParameterValue {
        if Int.random(in: 0..<12, using: &random) == 0 { return .bool(Bool.random(using: &random)) }
        var members: [String: ParameterValue] = [:]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let (keyword, value) = keyword(depth: depth, refers: refers, using: &random)
            members[keyword] = value
        }
        return .object(members)
    }

    private static func keyword(
        depth: Int, refers: Bool, using random: inout SeededGenerator
    ) -> (String, ParameterValue) {
        func least() -> ParameterValue { .int(Int64.random(in: 0...1, using: &random)) }
        func most() -> ParameterValue { .int(Int64.random(in: 1...2, using: &random)) }
        func number() -> ParameterValue { .double(Double(Int.random(in: -4...8, using: &random)) / 2) }
        func name() -> ParameterValue { .string(RandomJSON.names.randomElement(using: &random) ?? "a") }
        let types = ["null", "boolean", "integer", "number", "string", "array", "object"]
        func type() -> ParameterValue { .string(types.randomElement(using: &random) ?? "null") }
        func inner() -> ParameterValue { part(depth: depth - 1, refers: refers, using: &random) }
        switch Int.random(in: 0..<(depth > 0 ? 26 : 15), using: &random) {
        case 0: return ("type", type())
        case 1: return ("type", .array([type(), type()]))
        case 2: return ("enum", .array((0..<3).map { _ in RandomJSON.value(depth: 1, using: &random) }))
        case 3: return ("const", RandomJSON.value(depth: 1, using: &random))
        case 4: return ("minimum", number())
        case 5: return ("maximum", number())
        case 6: return ("exclusiveMinimum", number())
        case 7: return ("exclusiveMaximum", number())
        case 8: return ("multipleOf", .double([0.5, 1, 1.5, 2].randomElement(using: &random) ?? 1))
        case 9: return ("minLength", least())
        case 10: return ("maxLength", most())
        case 11: return ("minItems", least())
        case 12: return ("maxItems", most())
        case 13: return ("uniqueItems", .bool(Bool.random(using: &random)))
        case 14: return ("required", .array([name()]))
        case 15, 16:
            return (
                "properties", .object(Dictionary([(name().text ?? "", inner()), (name().text ?? "", inner())]) { $1 })
            )
        case 17: return ("additionalProperties", inner())
        case 18: return ("items", inner())
        case 19: return ("prefixItems", .array([inner(), inner()]))
        case 20: return ("anyOf", .array([inner(), inner()]))
        case 21: return ("oneOf", .array([inner(), inner()]))
        case 22: return ("allOf", .array([inner(), inner()]))
        case 23: return ("not", inner())
        case 24: return ("minProperties", least())
        default:
            let name = definitionNames.randomElement(using: &random) ?? "a"
            return refers ? ("$ref", .string("#/$defs/\(name)")) : ("maxProperties", most())
        }
    }
}
