public import Hablare

extension AIRequest {
    /// The name of the request parameter that contains the schema of a structured answer.
    public static let schemaParameter = "schema"
    /// The name of the request parameter that contains the name of the schema.
    public static let schemaNameParameter = "schema_name"

    /// The schema of the answer, or `nil` if the request has none.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` if the request's schema parameter is not a valid
    ///   schema.
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

    /// Sets the schema of the answer. With `nil`, any answer is valid.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - name: The name of the schema, which the service receives. It has 1 to 64 letters, digits, `_` and `-`. With
    ///     `nil`, the provider chooses a name.
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` if the name is invalid. After this error, the request
    ///   is unchanged.
    public mutating func setSchema(_ schema: JSONSchema?, named name: String? = nil) throws(AIServiceError) {
        if let name {
            guard (1...64).contains(name.utf8.count), name.unicodeScalars.allSatisfy(Self.isNamePart) else {
                throw AIServiceError(
                    .invalidRequest, "The name of the schema is not valid. Use 1 to 64 letters, digits, _ and -.")
            }
        }
        parameters[Self.schemaParameter] = schema?.source
        parameters[Self.schemaNameParameter] = schema == nil ? nil : name.map { .string($0) }
    }

    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        ScalarSet.isWord(scalar) || scalar == "-"
    }
}
