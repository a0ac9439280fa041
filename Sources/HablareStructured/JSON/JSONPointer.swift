import Foundation
import Hablare
import HablareJSON

/// A location in a JSON value (RFC 6901), such as `/items/0/name`. The empty text is the location of the value itself.
struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// A step into a value.
    enum Step: Sendable, Hashable {
        case member(String)
        case element(Int)

        var text: String {
            switch self {
            case .member(let name): name
            case .element(let index): String(index)
            }
        }
    }

    private(set) var steps: [Step] = []

    /// The location of a member of the value at this location.
    subscript(name: String) -> JSONPointer { self[.member(name)] }

    /// The location of an element of the value at this location.
    subscript(index: Int) -> JSONPointer { self[.element(index)] }

    /// The location of a part of the value at this location.
    subscript(step: Step) -> JSONPointer {
        var pointer = self
        pointer.push(step)
        return pointer
    }

    mutating func push(_ step: Step) { steps.append(step) }
    mutating func pop() { steps.removeLast() }

    var description: String { Self.text(steps.map(\.text)) }

    /// Returns the text of the pointer. Member names that are not in `names` are replaced by `*`.
    func text(showing names: Set<ExactText>) -> String {
        Self.text(
            steps.map { step in
                if case .member(let name) = step, !names.contains(ExactText(name)) { "*" } else { step.text }
            })
    }

    private static func text(_ tokens: [String]) -> String {
        tokens.map { token in
            "/" + token.replacing("~", with: "~0").replacing("/", with: "~1")
        }.joined()
    }

    /// Decodes one part of a pointer that is written as a URI fragment. Returns `nil` if the text is not escaped
    /// correctly.
    static func token(fragment text: some StringProtocol) -> String? {
        guard let decoded = String(text).removingPercentEncoding else { return nil }
        var token = ""
        var characters = decoded.unicodeScalars.makeIterator()
        while let character = characters.next() {
            guard character == "~" else {
                token.unicodeScalars.append(character)
                continue
            }
            switch characters.next() {
            case "0": token += "~"
            case "1": token += "/"
            default: return nil
            }
        }
        return token
    }
}
