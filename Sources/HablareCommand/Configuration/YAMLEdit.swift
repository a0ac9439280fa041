import Foundation
import Yams

/// An editor that sets one value in the text of a YAML or JSON file, and leaves every other character unchanged.
///
/// The parser reports where values begin. The editor finds where they end. It supports the forms in which settings are
/// written, and not all of YAML. Therefore the caller compares the meaning of the text before and after the change.
struct YAMLEdit {
    /// An error: the text has a form in which the value cannot be set.
    struct Unsupported: Error {}

    private let scalars: [Unicode.Scalar]
    private let lineStarts: [Int]
    private let isJSON: Bool

    private init(_ text: String, isJSON: Bool) {
        let scalars = Array(text.unicodeScalars)
        self.scalars = scalars
        lineStarts = [0] + scalars.indices.filter { scalars[$0] == "\n" }.map { $0 + 1 }
        self.isJSON = isJSON
    }

    /// Returns the text with a value that is set.
    ///
    /// - Parameters:
    ///   - path: The keys to the value. Missing sections are added.
    ///   - texts: The value, or the values of a list.
    ///   - isSame: Whether a key of the text is the path's key at an index.
    /// - Throws: ``Unsupported``, and the errors of ``YAMLText/read(_:)``.
    static func setting(
        _ path: [String], to texts: [String], isList: Bool, in yaml: YAMLText, isJSON: Bool,
        isSame: (_ key: String, _ index: Int) -> Bool
    ) throws -> String {
        let edit = YAMLEdit(yaml.text, isJSON: isJSON)
        // The parser counts these as line ends.
        guard !edit.scalars.contains(where: { ["\u{85}", "\u{2028}", "\u{2029}"].contains($0) }) else {
            throw Unsupported()
        }
        let value = isList ? "[\(texts.map(edit.word).joined(separator: ", "))]" : edit.word(texts.first ?? "")
        return try yaml.read { root in
            var (node, depth, key, isFlow) = (root, 0, Node.Scalar?.none, isJSON)
            while depth < path.count, case .mapping(let mapping)? = node,
                let pair = mapping.first(where: { $0.key.scalar.map { isSame($0.string, depth) } ?? false })
            {
                isFlow = edit.isFlow(mapping.mark) || isFlow
                (node, key, depth) = (pair.value, pair.key.scalar, depth + 1)
            }
            let rest = Array(path[depth...])
            if rest.isEmpty, let node, let key { return try edit.replacing(node, of: key, with: value, isFlow) }
            if case .mapping(let mapping)? = node {
                return try edit.adding(rest, value, to: mapping, isFlow: isFlow || edit.isFlow(mapping.mark))
            }
            guard node.map(YAMLText.isNothing) ?? true else { throw Unsupported() }
            return try edit.filling(node, of: key, with: rest, value, isFlow: isFlow)
        }
    }

    // MARK: The changes

    private func replacing(_ node: Node, of key: Node.Scalar, with value: String, _ isFlow: Bool) throws -> String {
        var start = try offset(of: node.mark)
        let end = try end(of: node, isFlow)
        if case .sequence(let sequence) = node, !self.isFlow(sequence.mark) {
            // The list begins on a line of its own, and the value goes beside the key.
            let colon = try self.colon(after: key, isFlow)
            guard colon <= start, scalars[colon..<start].allSatisfy(\.properties.isWhitespace) else {
                throw Unsupported()
            }
            start = colon
            return text(replacing: start..<end, with: " \(value)")
        }
        return text(replacing: start..<end, with: value)
    }

    private func adding(_ rest: [String], _ value: String, to mapping: Node.Mapping, isFlow: Bool) throws -> String {
        guard let last = Array(mapping).last else {
            // Only {} is a mapping without pairs.
            let start = try offset(of: mapping.mark)
            guard scalars.indices.contains(start), scalars[start] == "{" else { throw Unsupported() }
            return text(replacing: start + 1..<start + 1, with: flow(rest, value))
        }
        let end = try self.end(of: last.key, last.value, isFlow)
        if isFlow { return text(replacing: end..<end, with: ", \(flow(rest, value))") }
        guard let first = mapping.first?.key.mark else { throw Unsupported() }
        return text(afterLineOf: end, adding: block(rest, value, indent: first.column - 1))
    }

    /// Adds the first value to an empty section.
    private func filling(
        _ node: Node?, of key: Node.Scalar?, with rest: [String], _ value: String, isFlow: Bool
    ) throws -> String {
        guard let key else {
            if isJSON { return "{\(flow(rest, value))}\n" }
            let text = String(String.UnicodeScalarView(scalars))
            return (text.isEmpty || text.hasSuffix("\n") ? text : text + "\n") + block(rest, value, indent: 0)
        }
        let colon = try self.colon(after: key, isFlow)
        var end = colon
        if case .scalar(let scalar)? = node, !scalar.string.isEmpty {
            end = try offset(of: scalar.mark) + scalar.string.count
        }
        if isFlow { return text(replacing: colon..<end, with: " {\(flow(rest, value))}") }
        guard let column = key.mark?.column else { throw Unsupported() }
        let without = YAMLEdit(text(replacing: colon..<end, with: ""), isJSON: isJSON)
        return without.text(afterLineOf: colon, adding: block(rest, value, indent: column - 1 + Self.step))
    }

    private static let step = 2

    private func flow(_ names: [String], _ value: String) -> String {
        guard let name = names.first else { return value }
        let inside = flow(Array(names.dropFirst()), value)
        return "\(word(name)): \(names.count > 1 ? "{\(inside)}" : inside)"
    }

    private func block(_ names: [String], _ value: String, indent: Int) -> String {
        names.enumerated().map { index, name in
            let start = String(repeating: " ", count: indent + index * Self.step) + "\(word(name)):"
            return index == names.count - 1 ? "\(start) \(value)\n" : "\(start)\n"
        }.joined()
    }

    /// Returns a text as a YAML scalar that every parser reads as this text.
    private func word(_ text: String) -> String {
        let isPlain =
            !isJSON && text.wholeMatch(of: /[A-Za-z0-9\/._~][A-Za-z0-9\/._~:@+\-]*/) != nil && !text.hasSuffix(":")
            && !["~", "null", "Null", "NULL", "---", "..."].contains(text)
        return isPlain ? text : "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }

    // MARK: Places in the text

    private func text(replacing range: Range<Int>, with new: String) -> String {
        var changed = String.UnicodeScalarView(scalars[..<range.lowerBound])
        changed.append(contentsOf: new.unicodeScalars)
        changed.append(contentsOf: scalars[range.upperBound...])
        return String(changed)
    }

    private func text(afterLineOf offset: Int, adding lines: String) -> String {
        guard let end = scalars[offset...].firstIndex(of: "\n") else {
            return text(replacing: scalars.count..<scalars.count, with: "\n" + lines)
        }
        return text(replacing: end + 1..<end + 1, with: lines)
    }

    private func offset(of mark: Mark?) throws -> Int {
        guard let mark, lineStarts.indices.contains(mark.line - 1) else { throw Unsupported() }
        let offset = lineStarts[mark.line - 1] + mark.column - 1
        guard offset <= scalars.count else { throw Unsupported() }
        return offset
    }

    /// Whether a section or a list is written in brackets. The parser reports the same style for all forms, so the text
    /// is checked.
    private func isFlow(_ mark: Mark?) -> Bool {
        guard let mark, lineStarts.indices.contains(mark.line - 1) else { return false }
        let offset = lineStarts[mark.line - 1] + mark.column - 1
        return scalars.indices.contains(offset) && (scalars[offset] == "{" || scalars[offset] == "[")
    }

    /// Returns the position after the colon of a key.
    private func colon(after key: Node.Scalar, _ isFlow: Bool) throws -> Int {
        let end = try end(of: .scalar(key), isFlow, isKey: true)
        guard let colon = scalars[end...].firstIndex(where: { !$0.properties.isWhitespace }), scalars[colon] == ":"
        else { throw Unsupported() }
        return colon + 1
    }

    private func end(of key: Node, _ value: Node, _ isFlow: Bool) throws -> Int {
        guard case .scalar(let scalar) = value, scalar.string.isEmpty, scalar.style == .plain else {
            return try end(of: value, isFlow)
        }
        guard let name = key.scalar else { throw Unsupported() }
        return try colon(after: name, isFlow)
    }

    private func end(of node: Node, _ isFlow: Bool, isKey: Bool = false) throws -> Int {
        let start = try offset(of: node.mark)
        switch node {
        case .scalar(let scalar):
            switch scalar.style {
            case .singleQuoted, .doubleQuoted: return try endOfQuote(at: start)
            case .literal, .folded: throw Unsupported()
            default: return try endOfPlain(at: start, isFlow, isKey: isKey)
            }
        case .mapping(let mapping):
            if self.isFlow(mapping.mark) { return try endOfBrackets(at: start) }
            guard let last = Array(mapping).last else { throw Unsupported() }
            return try end(of: last.key, last.value, false)
        case .sequence(let sequence):
            if self.isFlow(sequence.mark) { return try endOfBrackets(at: start) }
            guard let last = sequence.last else { throw Unsupported() }
            return try end(of: last, false)
        default: throw Unsupported()
        }
    }

    private func endOfPlain(at start: Int, _ isFlow: Bool, isKey: Bool) throws -> Int {
        var end = start
        while end < scalars.count, scalars[end] != "\n", scalars[end] != "\r" {
            let next = end + 1 < scalars.count ? scalars[end + 1] : "\n"
            if scalars[end] == "#", end > start, scalars[end - 1] == " " || scalars[end - 1] == "\t" { break }
            if isKey, scalars[end] == ":", next.properties.isWhitespace || isFlow { break }
            if isFlow, ",[]{}".unicodeScalars.contains(scalars[end]) { break }
            end += 1
        }
        while end > start, scalars[end - 1].properties.isWhitespace { end -= 1 }
        return end
    }

    private func endOfQuote(at start: Int) throws -> Int {
        guard start < scalars.count, scalars[start] == "'" || scalars[start] == "\"" else { throw Unsupported() }
        let quote = scalars[start]
        var index = start + 1
        while index < scalars.count {
            if quote == "\"", scalars[index] == "\\" {
                index += 2
            } else if scalars[index] != quote {
                index += 1
            } else if quote == "'", index + 1 < scalars.count, scalars[index + 1] == "'" {
                index += 2
            } else {
                return index + 1
            }
        }
        throw Unsupported()
    }

    private func endOfBrackets(at start: Int) throws -> Int {
        var (index, depth) = (start, 0)
        while index < scalars.count {
            switch scalars[index] {
            case "[", "{": depth += 1
            case "]", "}":
                depth -= 1
                if depth == 0 { return index + 1 }
            case "'", "\"":
                // A quotation mark inside a plain text, as in don't, is none.
                guard index > 0, " \t\n,:[{".unicodeScalars.contains(scalars[index - 1]) else { break }
                index = try endOfQuote(at: index)
                continue
            case "#" where index > 0 && scalars[index - 1].properties.isWhitespace:
                while index < scalars.count, scalars[index] != "\n" { index += 1 }
                continue
            default: break
            }
            index += 1
        }
        throw Unsupported()
    }
}
