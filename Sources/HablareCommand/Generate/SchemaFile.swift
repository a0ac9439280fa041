import Foundation
import Hablare

/// A JSON schema in a file.
enum SchemaFile {
    /// The largest file: 1 MiB.
    static let mostBytes = 1 << 20

    /// Reads a schema.
    ///
    /// - Throws: ``CommandFailure``: the file is not there, or is no schema that is understood, and where.
    static func schema(_ url: URL) throws -> JSONSchema {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw CommandFailure(
                .inputMissing,
                "The schema \(url.path) cannot be read: it is not there, a folder, or not yours. Name another.")
        }
        guard data.count <= mostBytes else {
            throw CommandFailure(.badInput, "The schema \(url.path) has more than \(mostBytes) bytes. Shorten it.")
        }
        do throws(JSONSchema.Fault) {
            return try JSONSchema(json: data)
        } catch {
            throw CommandFailure(.badInput, "\(url.path) is no schema. \(error.description)")
        }
    }
}
