import Foundation
import HablareSupport
import HablareTestKit

@testable import Hablare
@testable import HablareStructured

/// The type that the tests request.
struct Person: Codable, Sendable, Equatable {
    let name: String
    let age: Int

    static let ada = Person(name: "Ada", age: 36)
    static let json = #"{"name":"Ada","age":36}"#

    static func schema() throws -> JSONSchema {
        try JSONSchema([
            "type": "object", "properties": ["name": ["type": "string"], "age": ["type": "integer", "minimum": 0]],
            "required": ["name", "age"], "additionalProperties": false,
        ])
    }

    static func requestor(
        repairs: Int = 1, placement: StructuredConfiguration.SchemaPlacement = .parameter
    ) throws -> StructuredRequestor<Person> {
        try StructuredRequestor(
            "service.structured.small",
            StructuredConfiguration(
                schema: schema(), schemaName: "person", placement: placement, maximumRepairs: repairs))
    }
}

/// Returns a provider that answers with the texts in turn, each with its cost, and then repeats the last one.
func saying(
    _ answers: [String], metadata: [String: String] = [:], id: ProviderID = "service"
) -> ScriptedProvider {
    let left = Locked(answers)
    return ScriptedProvider(id: id) { _ in
        let text = left.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? "" }
        return .success(
            ProviderAnswer(.text(Body(text)), metadata: metadata, usage: Usage(outputTokens: 10)))
    }
}
