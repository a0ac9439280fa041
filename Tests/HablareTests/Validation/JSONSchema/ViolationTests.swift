import Foundation
import Testing

@testable import Hablare
@testable import HablareStructured

/// The content of violations.
@Suite struct ViolationTests {
    private static func violations(_ schema: ParameterValue, _ value: ParameterValue) throws -> [String] {
        try JSONSchema(schema).validate(value).map { "\($0.pointer): \($0.wanted)" }
    }

    @Test(
        "A violation has the path and the expectation",
        arguments: [
            (["type": ["string", "null"]], 1, ": a text or null"), (["type": "number"], "1", ": a number"),
            (["enum": ["a", 1]], "b", #": "a" or 1"#), (["minimum": 1.5], 1, ": a number of at least 1.5"),
            (["exclusiveMaximum": 3], 3, ": a number below 3"), (["multipleOf": 2], 3, ": a multiple of 2"),
            (["maxLength": 1], "ab", ": a text of at most 1 characters"),
            (["minItems": 2, "maxItems": 3], [1], ": a list of 2 to 3 elements"),
            (["required": ["a"]], [:], "/a: present"),
            (["additionalProperties": false], ["x": 1], "/x: absent: no value is allowed here"),
            (["items": ["properties": ["a/b": ["type": "null"]]]], [["a/b": 1]], "/0/a~1b: null"),
            (["format": "uuid"], "x", ": a UUID"), (["pattern": "^a$"], "b", ": a text that matches the pattern ^a$"),
        ] as [(ParameterValue, ParameterValue, String)])
    func words(schema: ParameterValue, value: ParameterValue, wanted: String) throws {
        #expect(try Self.violations(schema, value) == [wanted])
    }

    @Test("Violations of alternatives describe the nearest one")
    func alternatives() throws {
        let schema: ParameterValue = [
            "anyOf": [
                ["required": ["a", "b", "c"]], ["required": ["a"], "properties": ["k": ["const": "x"]]],
            ]
        ]
        #expect(
            try Self.violations(schema, ["k": "x"])
                == [": a value that matches at least one of 2 alternatives", "/a: present"])
    }

    @Test("A violation never contains the value, and in logs no names from the value")
    func secrecy() throws {
        let schema = try JSONSchema([
            "properties": ["known": ["additionalProperties": ["enum": ["wanted"]]]], "additionalProperties": false,
        ])
        let secret = "swordfish"
        let violations = schema.validate(["known": [secret: .string(secret)], secret: .string(secret)])
        #expect(violations.map(\.pointer) == ["/known/swordfish", "/swordfish"])
        #expect(
            violations.map(\.description) == [
                #"/known/* must be "wanted""#, "/* must be absent: no value is allowed here",
            ])
        #expect(schema.validate(["known": ["555": 1]]).map(\.description) == [#"/known/* must be "wanted""#])
        #expect(!violations.contains { $0.wanted.contains(secret) })
        #expect(schema.validate("swordfish").isEmpty)
        #expect(
            try JSONSchema(["type": "null"]).validate(.string(secret)).map(\.description) == [
                "the whole value must be null"
            ])
    }

    @Test("The number of reported violations is bounded")
    func many() throws {
        let schema = try JSONSchema(["items": ["type": "null"]])
        #expect(schema.validate(.array(Array(repeating: 1, count: 100_000))).count == JSONSchema.maximumViolations)
    }

    @Test("A value that nests too deeply or has a non-finite number is a violation")
    func strangeValues() throws {
        var deep: ParameterValue = 1
        for _ in 0..<2_000 { deep = [deep] }
        let schema = try JSONSchema(["items": ["$ref": "#"]])
        #expect(schema.validate(.array([.double(.infinity)])).count == 1)
        #expect(schema.validate(deep).count == 1)
    }

    @Test(
        "A schema that would take forever is reported as a violation",
        arguments: [
            // Two ways at each level of the value.
            [
                "anyOf": [["items": ["$ref": "#"], "type": "array"], ["items": ["$ref": "#"], "type": "array"]],
                "type": "array",
            ],
            [
                "$ref": "#/$defs/a",
                "$defs": ["a": ["not": ["items": ["anyOf": [["$ref": "#/$defs/a"], ["$ref": "#/$defs/a"]]]]]],
            ],
            ["allOf": [["items": ["$ref": "#"]], ["items": ["$ref": "#"]], ["items": ["$ref": "#"]]]],
        ] as [ParameterValue])
    func effort(schema: ParameterValue) throws {
        var value: ParameterValue = 1
        for _ in 0..<60 { value = [value] }
        let violations = try JSONSchema(schema).validate(value, effort: 20_000)
        #expect(violations.last?.wanted == "smaller, because checking it takes too long")
        #expect(violations.count <= JSONSchema.maximumViolations)
    }

    @Test("Valid parts of a value count towards the effort limit", arguments: work)
    func silentEffort(case row: Work) throws {
        let violations = try JSONSchema(row.schema).validate(row.value, effort: 20_000)
        #expect(violations.last?.wanted == "smaller, because checking it takes too long")
    }

    /// Has a name because schemas and values are too long to show.
    struct Work: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let schema: ParameterValue
        let value: ParameterValue

        init(_ name: String, _ schema: ParameterValue, _ value: ParameterValue) {
            testDescription = name
            self.schema = schema
            self.value = value
        }

        /// Returns a keyword with one schema fifty times.
        static func many(_ keyword: String, _ schema: ParameterValue) -> ParameterValue {
            ParameterValue.object([keyword: ParameterValue.array(Array(repeating: schema, count: 50))])
        }
    }

    private static let work: [Work] = {
        let numbers = 0..<1000
        let members = ParameterValue.object(Dictionary(uniqueKeysWithValues: numbers.map { ("m\($0)", .int(1)) }))
        let names = ParameterValue.array(numbers.map { .string("m\($0)") })
        let absent = numbers.prefix(100).map { ("x\($0)", ParameterValue.bool(true)) }
        let anything = ParameterValue.object(["properties": .object(Dictionary(uniqueKeysWithValues: absent))])
        let objects = ParameterValue.array(Array(repeating: .object(["y": .int(1)]), count: 10))
        let long = ParameterValue.string(String(repeating: "long ", count: 20_000))
        let texts = ParameterValue.array(Array(repeating: .string("x"), count: 1000))
        return [
            Work("members to put in order", Work.many("anyOf", ["additionalProperties": false]), members),
            Work("members to look for", Work.many("allOf", ["required": names]), members),
            Work("members to look at", ["items": Work.many("allOf", anything)], objects),
            Work("a long text to compare", ["not": Work.many("anyOf", ["const": "short"])], long),
            Work("a long text to find", Work.many("allOf", ["enum": ParameterValue.array([long])]), long),
            Work("room for a long program", ["items": ["pattern": "^ba{9000}|x"]], texts),
        ]
    }()

    @Test("A very long name is shortened in the instruction to the model")
    func longNames() throws {
        let schema = try JSONSchema(["additionalProperties": ["type": "null"]])
        let name = String(repeating: "n", count: 10_000)
        let violation = try #require(schema.validate(.object([name: 1])).first)
        #expect(violation.pointer == "/" + name && violation.instruction.count < 250)
    }

    @Test("A long text with a large pattern is reported as a violation")
    func patternEffort() throws {
        let schema = try JSONSchema(["pattern": "^(a?){2000}b$"])
        let violations = schema.validate(.string(String(repeating: "a", count: 10_000)), effort: 20_000)
        #expect(violations.map(\.wanted) == ["smaller, because checking it takes too long"])
    }

    @Test("A value of the maximum size is checked completely")
    func large() throws {
        let schema = try JSONSchema([
            "items": [
                "type": "object",
                "properties": ["id": ["type": "integer", "minimum": 0], "name": ["pattern": "^[a-z ]+$"]],
                "required": ["id", "name"], "additionalProperties": false,
            ]
        ])
        var values = (0..<2_000).map { ParameterValue.object(["id": .int(Int64($0)), "name": "some one or other"]) }
        #expect(schema.validate(.array(values)).isEmpty)
        values.append(["id": -1, "name": "x"])
        #expect(schema.validate(.array(values)).map(\.pointer) == ["/2000/id"])
    }
}
