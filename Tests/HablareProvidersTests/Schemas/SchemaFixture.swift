import Foundation
import Hablare
import HablareJSON
import Testing

@testable import HablareProviders

/// A schema from a well-known format, with the expected result of fitting it to each service's rules.
struct SchemaFixture: Sendable, CustomTestStringConvertible {
    let name: String
    let schema: [String: ParameterValue]
    /// `strict`, or the name of the misfit.
    let openai: String
    /// `fitted`, or the name of the misfit.
    let anthropic: String
    /// Whether our own judge understands the schema.
    let isJudged: Bool
    /// Whether the schema itself lets absent members be null, so that they stay null.
    let mayBeNull: Bool
    /// A value that satisfies the schema.
    let example: ParameterValue?

    var testDescription: String { name }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/Schemas")

    /// The fixtures, in the order of their names.
    static func all() throws -> [SchemaFixture] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try names.filter { $0.hasSuffix(".json") }.map { try SchemaFixture(file: $0) }
    }

    private init(file: String) throws {
        name = String(file.dropLast(5))
        let value = try JSONReader.value(of: Data(contentsOf: Self.folder.appending(path: file)))
        guard case .object(let schema)? = value[member: "schema"] else { throw CocoaError(.fileReadCorruptFile) }
        self.schema = schema
        openai = try #require(value[member: "openai"]?.string)
        anthropic = try #require(value[member: "anthropic"]?.string)
        isJudged = value[member: "judged"] == true
        mayBeNull = value[member: "nulls"] == true
        example = value[member: "example"]
    }
}
