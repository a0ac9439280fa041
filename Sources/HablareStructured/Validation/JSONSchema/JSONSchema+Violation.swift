import Hablare
import HablareJSON

extension JSONSchema {
    /// A violation of a schema: its location in the value, and the requirement that the value does not satisfy. A
    /// violation never contains the value at this location.
    public struct Violation: Sendable, Hashable, CustomStringConvertible {
        /// The location in the value, as a JSON pointer (RFC 6901) such as `/items/0/price`. Empty if the violation
        /// concerns the whole value. The pointer may contain member names that the schema does not contain. Such names
        /// come from the model's answer. In logs, use ``description`` instead.
        public let pointer: String
        /// The requirement as a phrase, such as `a number of at least 0`. It contains only text from the schema.
        public let wanted: String
        /// The pointer, with `*` in place of names that the schema does not contain.
        let shownPointer: String

        init(at pointer: JSONPointer, showing names: Set<ExactText>, wanted: String) {
            self.pointer = pointer.description
            self.wanted = wanted
            shownPointer = pointer.text(showing: names)
        }

        /// The location and the requirement. Member names that the schema does not contain are replaced by `*`.
        public var description: String { Self.text(shownPointer, wanted) }

        /// The location and the requirement, for the model. All member names are shown, because the model itself wrote
        /// them. Long pointers are shortened.
        var instruction: String { Self.text(pointer.shortened(to: 200), wanted) }

        private static func text(_ pointer: String, _ wanted: String) -> String {
            "\(pointer.isEmpty ? "the whole value" : pointer) must be \(wanted)"
        }
    }
}
