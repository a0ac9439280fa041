public import Hablare

extension AIRequest {
    /// The parameter in which the schema of a structured answer stands.
    public static let schemaParameter = "schema"
    /// The parameter in which the schema's name stands.
    public static let schemaNameParameter = "schema_name"

    /// What the answer must look like; `nil` where the request does not say.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` where its parameter is no schema.
    public var schema: JSONSchema? {
        get throws(AIServiceError) {
            guard let source = parameters[Self.schemaParameter], source != .null else { return nil }
            do {
                return try JSONSchema(source)
            } catch {
                throw AIServiceError(error)
            }
        }
    }

    /// Says what the answer must look like, or with `nil` that it may be anything.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - name: What the service calls it: 1 to 64 letters, digits, `_` and `-`; `nil` leaves it to the provider.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` where the name is none. Nothing is changed then.
    public mutating func setSchema(_ schema: JSONSchema?, named name: String? = nil) throws(AIServiceError) {
        if let name {
            guard (1...64).contains(name.utf8.count), name.unicodeScalars.allSatisfy(Self.isNamePart) else {
                throw AIServiceError(
                    .invalidRequest, "The name of a schema is none: use 1 to 64 letters, digits, _ and -.")
            }
        }
        parameters[Self.schemaParameter] = schema?.source
        parameters[Self.schemaNameParameter] = schema == nil ? nil : name.map { .string($0) }
    }

    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        ScalarSet.isWord(scalar) || scalar == "-"
    }
}
