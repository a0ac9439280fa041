public import Hablare

extension JSONSchema {
    /// Why something is no schema that is understood, and where.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// The place in the schema, as a JSON pointer (RFC 6901): `/properties/age/type`; empty for the schema itself, and
        /// where the text is no JSON.
        public let pointer: String
        /// At which byte, from 0, a text stops being JSON; where it ends too early, its length. `nil` where it is JSON.
        public let byte: Int?
        /// What is wrong there, the end of a sentence: `is no list of names`.
        public let reason: String

        init(at pointer: JSONPointer, _ reason: String, byte: Int? = nil) {
            self.pointer = pointer.description
            self.byte = byte
            self.reason = reason
        }

        /// Place and reason, a sentence, and what to do.
        public var description: String {
            "The schema\(pointer.isEmpty ? "" : " at \(pointer)") \(reason). Mend it."
        }
    }
}

extension AIServiceError {
    /// The error of a request that has such a schema: ``/Hablare/AIServiceError/Code/invalidRequest``.
    public init(_ fault: JSONSchema.Fault) {
        self.init(.invalidRequest, fault.description)
    }
}
