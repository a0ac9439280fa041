import Foundation
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// The rewriting of single keywords.
@Suite struct SchemaFitterTests {
    private func fit(_ json: String, to dialect: SchemaDialect = .openAI) throws -> ParameterValue {
        guard case .object(let schema) = try ParameterValue.literal(json) else { return .null }
        return .object(try dialect.fit(schema).get())
    }

    private func misfit(_ json: String, to dialect: SchemaDialect = .openAI) throws -> SchemaMisfit? {
        guard case .object(let schema) = try ParameterValue.literal(json) else { return nil }
        if case .failure(let misfit) = dialect.fit(schema) { return misfit }
        return nil
    }

    /// The fitted member `a` of an object in which it is required, or optional.
    private func member(
        _ json: String, isOptional: Bool = false, to dialect: SchemaDialect = .openAI
    ) throws -> ParameterValue? {
        let required = isOptional ? "[]" : #"["a"]"#
        return try fit(#"{"type":"object","properties":{"a":\#(json)},"required":\#(required)}"#, to: dialect)[
            member: "properties"]?[member: "a"]
    }

    @Test(
        "An optional member may be null",
        arguments: [
            (#"{"type":"string"}"#, #"{"type":["string","null"]}"#),
            (#"{"type":["string","null"]}"#, #"{"type":["string","null"]}"#),
            (#"{"type":"null"}"#, #"{"type":"null"}"#),
            (#"{"enum":["x","y"]}"#, #"{"type":["string","null"],"enum":["x","y",null]}"#),
            (#"{"enum":["x",null]}"#, #"{"type":["string","null"],"enum":["x",null]}"#),
            (#"{"const":1}"#, #"{"type":["integer","null"],"enum":[1,null]}"#),
            (
                #"{"type":"array","items":{"type":"string"}}"#,
                #"{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}"#
            ),
            (
                #"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
                #"{"anyOf":[{"type":"string"},{"type":"null"}]}"#
            ),
        ])
    func nullable(given: String, expected: String) throws {
        #expect(try member(given, isOptional: true) == .literal(expected))
    }

    @Test(
        "Keywords that are not enforced stand in the description",
        arguments: [
            (
                #"{"type":"string","maxLength":8,"minLength":1}"#, SchemaDialect.openAI,
                #"{"type":"string","description":"{maxLength: 8, minLength: 1}"}"#
            ),
            (
                #"{"type":"integer","minimum":1,"maximum":10,"description":"A number"}"#, .anthropic,
                #"{"type":"integer","description":"A number\n\n{maximum: 10, minimum: 1}"}"#
            ),
            (
                #"{"type":"integer","minimum":1,"default":2}"#, .openAI,
                #"{"type":"integer","minimum":1,"description":"{default: 2}"}"#
            ),
            (
                #"{"type":"string","format":"uri","default":null}"#, .openAI,
                #"{"type":"string","description":"{format: \"uri\"}"}"#
            ),
            (#"{"type":"string","format":"uri"}"#, .anthropic, #"{"type":"string","format":"uri"}"#),
            (
                #"{"type":"array","items":{"type":"string"},"minItems":2}"#, .anthropic,
                #"{"type":"array","items":{"type":"string"},"description":"{minItems: 2}"}"#
            ),
            (#"{"type":"array","minItems":1}"#, .anthropic, #"{"type":"array","minItems":1}"#),
            (
                #"{"type":"string","pattern":"^(?=a)"}"#, .openAI,
                #"{"type":"string","description":"{pattern: \"^(?=a)\"}"}"#
            ),
            (#"{"type":"string","pattern":"^(?:a)$"}"#, .openAI, #"{"type":"string","pattern":"^(?:a)$"}"#),
        ] as [(String, SchemaDialect, String)])
    func moved(given: String, dialect: SchemaDialect, expected: String) throws {
        #expect(try member(given, to: dialect) == .literal(expected))
    }

    @Test("A reference with a description is replaced by its target, which has the description")
    func describedReference() throws {
        let fitted = try fit(
            #"""
            {"type":"object","properties":{"a":{"$ref":"#/$defs/d","description":"Mine."},"b":{"$ref":"#/$defs/d"}},
             "required":["a","b"],"$defs":{"d":{"type":"string","description":"Its own.","pattern":"x"}}}
            """#)
        #expect(
            fitted[member: "properties"]?[member: "a"] == ["type": "string", "description": "Mine.", "pattern": "x"])
        #expect(fitted[member: "properties"]?[member: "b"] == ["$ref": "#/$defs/d"])
        #expect(fitted[member: "$defs"]?[member: "d"]?[member: "description"] == "Its own.")
    }

    @Test("Parts of allOf are merged: the narrower bound, the common types and choices, and all members")
    func merging() throws {
        let fitted = try member(
            #"""
            {"allOf":[{"type":["number","null"],"minimum":1,"maximum":9},{"type":"integer","minimum":3,"maximum":20}]}
            """#)
        #expect(try fitted == .literal(#"{"type":"integer","minimum":3,"maximum":9}"#))
        let choices = try member(#"{"allOf":[{"enum":["a","b","c"]},{"enum":["c","b"]}]}"#)
        #expect(try choices == .literal(#"{"type":"string","enum":["b","c"]}"#))
    }

    @Test(
        "Schemas that contradict themselves are not strict",
        arguments: [
            #"{"allOf":[{"type":"string"},{"type":"integer"}]}"#, #"{"allOf":[{"enum":["a"]},{"enum":["b"]}]}"#,
            #"{"allOf":[{"type":"object","properties":{},"additionalProperties":false},{"properties":{"b":{"type":"string"}}}]}"#,
            #"{"type":"string","enum":[1]}"#, #"{"anyOf":[false]}"#, "false",
        ])
    func contradictions(schema: String) throws {
        #expect(try misfit(#"{"type":"object","properties":{"a":\#(schema)},"required":["a"]}"#) == .contradiction)
    }

    @Test(
        "Malformed schemas are not strict",
        arguments: [
            #"{"type":"text"}"#, #"{"type":7}"#, #"{"type":[]}"#, #"{"enum":7}"#, #"{"enum":[]}"#,
            #"{"type":"object","properties":[]}"#, #"{"type":"object","properties":{"b":7}}"#, #"{"anyOf":{}}"#,
            #"{"anyOf":[]}"#, #"{"allOf":7}"#, #"{"$ref":7}"#, #"{"type":"object","required":"a"}"#,
            #"{"type":"array","prefixItems":[]}"#, #"{"$ref":"x"}"#, ##"{"$ref":"#x"}"##, ##"{"$ref":"#/%zz"}"##,
            ##"{"$ref":"#/properties/a"}"##, ##"{"allOf":[{"$ref":"#/properties/a"},{"minimum":1}]}"##,
        ])
    func malformed(schema: String) throws {
        let whole = #"{"type":"object","properties":{"a":\#(schema)},"required":["a"]}"#
        #expect(try misfit(whole) != nil)
        #expect(try misfit(whole, to: .anthropic) != nil)
    }

    // MARK: Size

    @Test("A schema of 1 MB with thousands of members is fitted or refused within the fitter's bound")
    func large() throws {
        var properties: [String: ParameterValue] = [:]
        for index in 0..<15_000 {
            properties["member\(index)"] = ["type": "string", "description": "A member with a description of its own."]
        }
        let schema: [String: ParameterValue] = ["type": "object", "properties": .object(properties)]
        #expect(try ParameterValue.object(schema).jsonData().count > 1_000_000)
        #expect(SchemaDialect.openAI.fit(schema) == .failure(.tooLarge))
        #expect(SchemaDialect.anthropic.fit(schema) == .failure(.tooLarge))
        let request = AIRequest(prompt: "x", parameters: ["schema": .object(schema)])
        let parameters = try OpenAITextParameters(request.parameters, of: "p", for: .chat, schemas: .openAI)
        #expect(parameters.format?["strict"] == false)
    }

    @Test("References that double at each step end at the fitter's bound")
    func doubling() throws {
        var definitions: [String: ParameterValue] = ["d40": ["type": "string"]]
        for index in 0..<40 {
            let next: ParameterValue = ["$ref": .string("#/$defs/d\(index + 1)"), "description": "Again."]
            definitions["d\(index)"] = [
                "type": "object", "properties": ["a": next, "b": next], "required": ["a", "b"],
            ]
        }
        let described: [String: ParameterValue] = [
            "type": "object", "properties": ["a": ["$ref": "#/$defs/d0"]], "$defs": .object(definitions),
        ]
        // Copies stop, so the schema becomes a finite one that nests too deep for OpenAI.
        #expect(SchemaDialect.openAI.fit(described) == .failure(.tooLarge))
        for index in 0..<40 {
            let next: ParameterValue = ["$ref": .string("#/$defs/d\(index + 1)")]
            definitions["d\(index)"] = ["allOf": [next, next]]
        }
        let merged: [String: ParameterValue] = [
            "type": "object", "properties": ["a": ["$ref": "#/$defs/d0"]], "$defs": .object(definitions),
        ]
        #expect(SchemaDialect.openAI.fit(merged) == .failure(.tooLarge))
    }

    @Test("A list of a thousand parts is merged within the fitter's bound")
    func manyParts() throws {
        let parts = (0..<5000).map { index -> ParameterValue in
            ["properties": .object(["p\(index)": ["type": "string"]])]
        }
        #expect(SchemaDialect.openAI.fit(["type": "object", "allOf": .array(parts)]) == .failure(.tooLarge))
    }
}
