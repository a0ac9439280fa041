import Foundation
import Hablare
import HablareJSON

/// A place in a JSON value (RFC 6901): `/items/0/name`; the empty text is the value itself.
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

    /// The place of a member of it.
    subscript(name: String) -> JSONPointer { self[.member(name)] }

    /// The place of an element of it.
    subscript(index: Int) -> JSONPointer { self[.element(index)] }

    /// The place of a part of it.
    subscript(step: Step) -> JSONPointer {
        var pointer = self
        pointer.push(step)
        return pointer
    }

    mutating func push(_ step: Step) { steps.append(step) }
    mutating func pop() { steps.removeLast() }

    var description: String { Self.text(steps.map(\.text)) }

    /// The pointer's text with all names of members left out but these.
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

    /// The token that stands escaped in a pointer within a URI fragment; `nil` where it is none.
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
