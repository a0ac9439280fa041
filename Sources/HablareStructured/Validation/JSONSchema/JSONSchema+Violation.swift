import Hablare
import HablareJSON

extension JSONSchema {
    /// Where a value is not as wanted, and what is wanted there. Never says the value.
    public struct Violation: Sendable, Hashable, CustomStringConvertible {
        /// The place in the value, as a JSON pointer (RFC 6901): `/items/0/price`; empty for the value itself. Names
        /// that only the value has are in it, which are words of the answer: for logs take ``description``.
        public let pointer: String
        /// What is wanted there, in words of the schema: `a number of at least 0`.
        public let wanted: String
        /// The pointer without the names that the schema does not name.
        let shownPointer: String

        init(at pointer: JSONPointer, showing names: Set<ExactText>, wanted: String) {
            self.pointer = pointer.description
            self.wanted = wanted
            shownPointer = pointer.text(showing: names)
        }

        /// Place and want, without anything that stands in the value alone: such names are `*`.
        public var description: String { Self.text(shownPointer, wanted) }

        /// Place and want, for the model, whose words the names are; of very long ones the beginning.
        var instruction: String { Self.text(pointer.shortened(to: 200), wanted) }

        private static func text(_ pointer: String, _ wanted: String) -> String {
            "\(pointer.isEmpty ? "the whole value" : pointer) must be \(wanted)"
        }
    }
}
