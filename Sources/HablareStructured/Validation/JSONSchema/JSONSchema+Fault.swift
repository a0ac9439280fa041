public import Hablare

extension JSONSchema {
    /// A fault in a schema: its location, and the reason why the schema is invalid or not supported.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// The location in the schema, as a JSON pointer (RFC 6901) such as `/properties/age/type`. Empty if the fault
        /// concerns the whole schema. Also empty if the text is not JSON.
        public let pointer: String
        /// The offset of the first byte that is not JSON, from 0. If the text ends too early, this is the length of the
        /// text. `nil` if the text is JSON.
        public let byte: Int?
        /// The problem, as the end of a sentence, such as `is not a list of names`.
        public let reason: String

        init(at pointer: JSONPointer, _ reason: String, byte: Int? = nil) {
            self.pointer = pointer.description
            self.byte = byte
            self.reason = reason
        }

        /// A sentence with the location, the reason and what to do.
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
