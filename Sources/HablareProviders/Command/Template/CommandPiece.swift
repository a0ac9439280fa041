#if os(macOS) || os(Linux)
import Hablare

/// An argument of a template, parsed into literal text and placeholders.
struct CommandPiece: Sendable, Hashable {
    enum Segment: Sendable, Hashable {
        case literal(String)
        case placeholder(String)
    }

    let segments: [Segment]

    /// Parses a piece.
    ///
    /// - Throws: ``AIServiceError/Code/invalidConfiguration`` for an unmatched brace or a malformed name.
    init(_ text: String) throws(AIServiceError) {
        var segments: [Segment] = []
        var literal = ""
        var remainder = text[...]
        while let character = remainder.popFirst() {
            if (character == "{" || character == "}"), remainder.first == character {
                literal.append(character)
                remainder.removeFirst()
            } else if character == "{" {
                guard let end = remainder.firstIndex(of: "}"), Self.isName(remainder[..<end]) else {
                    throw Self.malformed(text)
                }
                if !literal.isEmpty { segments.append(.literal(literal)) }
                literal = ""
                segments.append(.placeholder(String(remainder[..<end])))
                remainder = remainder[remainder.index(after: end)...]
            } else if character == "}" || character == "\0" {
                throw Self.malformed(text)
            } else {
                literal.append(character)
            }
        }
        if !literal.isEmpty || segments.isEmpty { segments.append(.literal(literal)) }
        self.segments = segments
    }

    /// The names of the placeholders, in order.
    var placeholders: [String] {
        segments.compactMap { segment in
            if case .placeholder(let name) = segment { name } else { nil }
        }
    }

    /// The placeholder at the argument's beginning; `nil` if the argument begins with literal text.
    var leading: String? {
        if case .placeholder(let name)? = segments.first { name } else { nil }
    }

    /// Returns the argument with every placeholder replaced. Returns `nil` if a placeholder has no value.
    func filled(_ values: [String: String]) -> String? {
        var result = ""
        for segment in segments {
            switch segment {
            case .literal(let text):
                result += text
            case .placeholder(let name):
                guard let value = values[name] else { return nil }
                result += value
            }
        }
        return result
    }

    /// Returns whether a text is a valid name of a placeholder.
    static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
    }

    private static func malformed(_ text: String) -> AIServiceError {
        AIServiceError(
            .invalidConfiguration,
            "The argument \(text.debugDescription) is malformed. "
                + "Write placeholders as {name}, and a brace itself as {{ or }}.")
    }
}
#endif
