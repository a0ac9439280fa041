import Foundation
import Hablare
import HablareJSON
import Testing

@testable import HablareStructured

/// Nulls that a service adds because it requires every member.
@Suite struct AddedNullsTests {
    private struct Person: Decodable, Equatable {
        var name: String
        var age: Int?
    }

    private static let schema: ParameterValue = [
        "type": "object",
        "properties": [
            "name": ["type": "string"], "age": ["type": "integer"],
            "friends": ["type": "array", "items": ["$ref": "#"]],
            "pet": ["oneOf": [["$ref": "#/$defs/cat"], ["$ref": "#/$defs/dog"]]],
            "note": ["type": ["string", "null"]],
        ],
        "required": ["name"],
        "$defs": [
            "cat": [
                "type": "object", "properties": ["kind": ["const": "cat"], "lives": ["type": "integer"]],
                "required": ["kind"],
            ],
            "dog": [
                "type": "object", "properties": ["kind": ["const": "dog"], "breed": ["type": "string"]],
                "required": ["kind"],
            ],
        ],
    ]

    private func value(
        of answer: ParameterValue, _ placement: StructuredConfiguration.SchemaPlacement = .parameter,
        schema: ParameterValue = schema
    ) async throws -> ParameterValue {
        let configuration = StructuredConfiguration(schema: try JSONSchema(schema), placement: placement)
        let requestor = try StructuredRequestor<ParameterValue>("p.structured.m", configuration)
        let response = AIResponseData(
            requestID: UUID(), providerID: "p", result: .success(.structured(answer)), receivedAt: .now)
        return try await requestor.output(of: response).value
    }

    @Test("An optional member that is null and may not be null is absent, at any depth and in alternatives")
    func absent() async throws {
        let answer: ParameterValue = [
            "name": "Ann", "age": .null, "note": .null,
            "friends": [["name": "Bob", "age": 7, "friends": .null, "pet": .null, "note": "x"]],
            "pet": ["kind": "dog", "breed": .null],
        ]
        let expected: ParameterValue = [
            "name": "Ann", "note": .null, "friends": [["name": "Bob", "age": 7, "note": "x"]], "pet": ["kind": "dog"],
        ]
        #expect(try await value(of: answer) == expected)
    }

    @Test("A decoded type has no value for such a member")
    func decoded() async throws {
        let configuration = StructuredConfiguration(schema: try JSONSchema(Self.schema))
        let requestor = try StructuredRequestor<Person>("p.structured.m", configuration)
        let response = AIResponseData(
            requestID: UUID(), providerID: "p", result: .success(.text(#"{"name":"Ann","age":null}"#)),
            receivedAt: .now)
        #expect(try await requestor.output(of: response).value == Person(name: "Ann", age: nil))
    }

    @Test(
        "Nulls elsewhere stay violations",
        arguments: [
            ["name": .null], ["name": "Ann", "friends": [.null]], ["name": "Ann", "pet": ["kind": .null]],
        ] as [ParameterValue])
    func others(answer: ParameterValue) async throws {
        await #expect(throws: AIServiceError.self) { try await value(of: answer) }
    }

    @Test("With the schema in the prompt, a null is what the model wrote")
    func prompt() async throws {
        await #expect(throws: AIServiceError.self) { try await value(of: ["name": "Ann", "age": .null], .prompt) }
    }

    @Test("A hostile schema takes bounded time")
    func bounded() async throws {
        let alternatives = ParameterValue.array(Array(repeating: ["$ref": "#"], count: 20))
        let schema: ParameterValue = [
            "type": "object",
            "properties": ["a": ["oneOf": alternatives], "b": ["type": "string"]],
        ]
        var answer: ParameterValue = ["b": .null]
        for _ in 0..<50 { answer = ["a": answer, "b": .null] }
        await #expect(throws: AIServiceError.self) { try await value(of: answer, schema: schema) }
    }
}
