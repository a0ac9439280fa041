import Hablare
import HablareJSON

extension JSONSchema {
    /// The location of a violation, and the requirement at that location. It never contains the value.
    public struct Violation: Sendable, Hashable, CustomStringConvertible {
        /// The location in the value, as a JSON pointer (RFC 6901) such as `/items/0/price`. Empty for the value
        /// itself. It may contain member names that occur only in the value. Such names are words of the answer. In
        /// logs, use ``description``.
        public let pointer: String
        /// The requirement as a phrase, such as `a number of at least 0`. It comes only from the schema.
        public let wanted: String
        /// The pointer, with `*` in place of names that the schema does not contain.
        let shownPointer: String

        init(at pointer: JSONPointer, showing names: Set<ExactText>, wanted: String) {
            self.pointer = pointer.description
            self.wanted = wanted
            shownPointer = pointer.text(showing: names)
        }

        /// The location and the requirement. Names that occur only in the value are replaced by `*`.
        public var description: String { Self.text(shownPointer, wanted) }

        /// The location and the requirement, for the model. Member names are shown, because the model wrote them. Long
        /// pointers are shortened.
        var instruction: String { Self.text(pointer.shortened(to: 200), wanted) }

        private static func text(_ pointer: String, _ wanted: String) -> String {
            "\(pointer.isEmpty ? "the whole value" : pointer) must be \(wanted)"
        }
    }
}
