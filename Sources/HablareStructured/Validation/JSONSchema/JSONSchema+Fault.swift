public import Hablare

extension JSONSchema {
    /// The reason why a schema is invalid or unsupported, and the location of the fault.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// The location in the schema, as a JSON pointer (RFC 6901) such as `/properties/age/type`. Empty for the
        /// schema itself. Also empty if the text is not JSON.
        public let pointer: String
        /// The offset of the first byte that is not JSON, from 0. If the text ends too early, the length of the text.
        /// `nil` if the text is JSON.
        public let byte: Int?
        /// The problem, as the end of a sentence, such as `is not a list of names`.
        public let reason: String

        init(at pointer: JSONPointer, _ reason: String, byte: Int? = nil) {
            self.pointer = pointer.description
            self.byte = byte
            self.reason = reason
        }

        /// A sentence with the location, the reason, and the advice.
        public var description: String {
            "The schema\(pointer.isEmpty ? "" : " at \(pointer)") \(reason). Correct the schema."
        }
    }
}

extension AIServiceError {
    /// Creates the error for a request with an invalid schema: ``/Hablare/AIServiceError/Code/invalidRequest``.
    public init(_ fault: JSONSchema.Fault) {
        self.init(.invalidRequest, fault.description)
    }
}
