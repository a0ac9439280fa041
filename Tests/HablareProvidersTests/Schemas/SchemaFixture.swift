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
    /// A value that violates the schema.
    let refused: ParameterValue?

    var testDescription: String { name }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/Schemas")

    /// The fixtures, in the order of their names.
    static func all() throws -> [SchemaFixture] { try fixtures(in: folder) + formats() }

    /// The fixtures of published formats. The schema's `$comment` has the address of the format.
    static func formats() throws -> [SchemaFixture] { try fixtures(in: folder.appending(path: "Formats")) }

    private static func fixtures(in folder: URL) throws -> [SchemaFixture] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try names.filter { $0.hasSuffix(".json") }.map { try SchemaFixture(folder.appending(path: $0)) }
    }

    private init(_ file: URL) throws {
        name = file.deletingPathExtension().lastPathComponent
        let value = try JSONReader.value(of: Data(contentsOf: file))
        guard case .object(let schema)? = value[member: "schema"] else { throw CocoaError(.fileReadCorruptFile) }
        self.schema = schema
        openai = try #require(value[member: "openai"]?.string)
        anthropic = try #require(value[member: "anthropic"]?.string)
        isJudged = value[member: "judged"] == true
        mayBeNull = value[member: "nulls"] == true
        example = value[member: "example"]
        refused = value[member: "refused"]
    }
}
