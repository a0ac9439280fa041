import Foundation
import Hablare
import HablareStructured

/// A JSON schema in a file.
enum SchemaFile {
    /// The largest file: 1 MiB.
    static let mostBytes = 1 << 20

    /// Reads a schema.
    static func schema(_ url: URL) throws -> JSONSchema {
        let data = try InputFile.read(url, atMost: mostBytes, what: "schema")
        do throws(JSONSchema.Fault) {
            return try JSONSchema(json: data)
        } catch {
            throw CommandFailure(.badInput, "\(url.path) is no schema. \(error.description)")
        }
    }
}
