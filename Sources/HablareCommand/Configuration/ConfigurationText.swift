import Foundation
import HablareProviders
import Yams

/// Reads settings from YAML, which includes JSON. It checks every key against the schema and records the place of each
/// value. Pure.
///
/// Anchors and aliases are refused: settings do not need them, and they let a small file expand into a huge one. The
/// library refuses nesting deeper than a thousand levels. Tags are ignored: every value is text until it is read.
struct ConfigurationText {
    let text: String
    let file: ConfigurationFile

    func settings() throws -> [Setting] {
        try refuseAliases()
        return try withParsed { root in
            guard let root, !Self.isNothing(root) else { return [] }
            return try settings(of: root, as: .root, at: SettingPath([]), source: source(root.mark))
        }
    }

    private func withParsed<Value>(_ body: (Node?) throws -> Value) throws -> Value {
        // The library keeps a pointer into the text beyond the call in which that is safe, unless the text is long
        // enough to have storage of its own.
        let lasting = text + "\n" + String(repeating: "\n", count: 64)
        do {
            // The default encoding reads the environment and prints. The default resolver guesses types.
            let parser = try Parser(yaml: lasting, resolver: .basic, encoding: .utf8)
            let root = try parser.singleRoot()
            // The parser owns the anchors, and nodes refer to them weakly.
            return try withExtendedLifetime(parser) { try body(root) }
        } catch let error as YamlError {
            throw failure(of: error)
        }
    }

    /// Describes a parse error. Never uses the error's own description, which contains the text.
    private func failure(of error: YamlError) -> CommandFailure {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            source(ofFault: mark).failure("It is not valid YAML from here: \(problem).")
        case .reader(let problem, let offset, _, _):
            source(at: offset ?? 0).failure("It is not valid YAML from here: \(problem).")
        case .duplicatedKeysInMapping(let names, let context):
            source(context.mark).failure(Self.duplicate(names.first ?? ""))
        default: file.failure("It is not valid YAML.")
        }
    }

    private static func duplicate(_ name: String) -> String {
        "The key \(shown(name)) occurs more than once in its section. Keep one of them."
    }

    /// Throws if the text has both an anchor and an alias, before the parser sees it. With aliases a few lines can
    /// expand so far that comparing a section's keys never ends. Either of the two alone is harmless here.
    private func refuseAliases() throws {
        let bytes = Array(text.utf8)
        guard let anchor = Self.firstMark(UInt8(ascii: "&"), in: bytes),
            Self.firstMark(UInt8(ascii: "*"), in: bytes) != nil
        else { return }
        let before = String(decoding: bytes[..<anchor], as: UTF8.self)
        throw source(at: before.unicodeScalars.count).failure(
            "\(Self.anchors) If it is none, as in a comment or a text, write it without & or *.")
    }

    /// Returns the index of the first apparent anchor or alias. Includes those in comments and quotes, which only the
    /// parser can tell apart.
    private static func firstMark(_ sign: UInt8, in bytes: [UInt8]) -> Int? {
        bytes.indices.first { index in
            guard bytes[index] == sign, index + 1 < bytes.count, isWord(bytes[index + 1]) else { return false }
            return index == 0 || !isInsideWord(bytes[index - 1])
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Whether no anchor or alias can begin after the byte, as in `R&D` or `?a=1&b=2`.
    private static func isInsideWord(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "-") && isWord(byte) || byte >= 0x80 || "./=%+~;".utf8.contains(byte)
    }

    private static let anchors =
        "Anchors and aliases (&name, *name) are not supported. Write the values in full."

    private func settings(
        of node: Node, as schema: SettingSchema, at path: SettingPath, source: SettingSource
    ) throws -> [Setting] {
        try refuseAnchor(of: node)
        switch schema {
        case .value(let kind, _): return [try value(of: node, of: kind, at: path, source: source)]
        case .section(let parts):
            return try pairs(of: node, at: path, source: source).flatMap { name, key, value in
                guard let part = parts.first(where: { $0.name == name }) else {
                    throw key.failure(Self.unknown(name, at: path, beside: parts.map(\.name)))
                }
                return try settings(of: value, as: part.schema, at: path + name, source: key)
            }
        case .each(let naming, let schema):
            return try pairs(of: node, at: path, source: source, naming).flatMap { name, key, value in
                if naming == .header, SecretNames.isSecret(name) {
                    throw key.failure("\(path + name): \(SecretNames.advice(for: path.service))")
                }
                if let problem = naming.problem(with: name) { throw key.failure("\(Self.shown(name)) \(problem).") }
                let inside = try settings(of: value, as: schema, at: path + name, source: key)
                return naming != .service ? inside : [Setting(path: path + name, texts: nil, source: key)] + inside
            }
        }
    }

    private func pairs(
        of node: Node, at path: SettingPath, source: SettingSource, _ naming: SettingNaming? = nil
    ) throws -> [(name: String, source: SettingSource, value: Node)] {
        if Self.isNothing(node) { return [] }
        guard case .mapping(let mapping) = node else {
            let subject = path.names.isEmpty ? "The file" : "\(path)"
            throw source.failure("\(subject) must have keys with values, such as `\(Self.example(at: path))`.")
        }
        var seen: Set<String> = []
        return try mapping.map { key, value in
            let keySource = self.source(key.mark)
            try refuseAnchor(of: key)
            guard case .scalar(let scalar) = key else { throw keySource.failure("A key must be a text.") }
            let name = naming?.canonical(scalar.string) ?? scalar.string
            guard seen.insert(name).inserted else { throw keySource.failure(Self.duplicate(name)) }
            return (name, keySource, value)
        }
    }

    private static func example(at path: SettingPath) -> String {
        switch path.names.count {
        case 0: "default_provider: …"
        case 1 where path.names == ["services"]: "local: …"
        default: "name: value"
        }
    }

    private static func unknown(_ name: String, at path: SettingPath, beside names: [String]) -> String {
        guard !SecretNames.isSecret(name) else { return "\(shown(name)): \(SecretNames.advice(for: path.service))" }
        let section = path.names.isEmpty ? "There is no key" : "\(path) has no key"
        return "\(section) \(shown(name)).\(NearestNames(names).hint(for: name))"
    }

    private func value(
        of node: Node, of kind: SettingKind, at path: SettingPath, source: SettingSource
    ) throws -> Setting {
        let own = self.source(node.mark)
        guard !Self.isNothing(node) else {
            throw source.failure("\(path) has no value. It must be \(kind.wanted). Give a value, or remove the key.")
        }
        switch node {
        case .scalar(let scalar): return Setting(path: path, texts: [scalar.string], source: own)
        case .sequence(let sequence) where kind.isList:
            let texts = try sequence.map { element in
                try refuseAnchor(of: element)
                guard case .scalar(let scalar) = element else {
                    throw self.source(element.mark).failure("\(path) must be \(kind.wanted).")
                }
                return scalar.string
            }
            return Setting(path: path, texts: texts, source: own)
        default: throw own.failure("\(path) must be \(kind.wanted).")
        }
    }

    private func refuseAnchor(of node: Node) throws {
        guard node.anchor == nil else { throw source(node.mark).failure(Self.anchors) }
    }

    private static func isNothing(_ node: Node) -> Bool {
        guard case .scalar(let scalar) = node else { return false }
        return scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    private func source(_ mark: Mark?) -> SettingSource {
        .file(file.url, line: mark?.line ?? 1, column: mark?.column ?? 1)
    }

    /// Returns the place of a parse error. An error in the padding after the text is reported at the text's end.
    private func source(ofFault mark: Mark) -> SettingSource {
        let end = source(at: text.unicodeScalars.count)
        if case .file(_, let last, _) = end, mark.line > last { return end }
        return source(mark)
    }

    private func source(at offset: Int) -> SettingSource {
        let before = text.unicodeScalars.prefix(offset)
        let start = before.lastIndex(of: "\n").map { before.index(after: $0) } ?? before.startIndex
        return .file(file.url, line: before.count { $0 == "\n" } + 1, column: before[start...].count + 1)
    }

    /// Returns a key in a form that is safe to show: the user may have put a secret or a whole page in its place.
    private static func shown(_ name: String) -> String {
        guard !SecretNames.looksLikeKey(name) else { return "…" }
        return name.wholeMatch(of: /[A-Za-z0-9_.\-]{1,64}/) != nil ? name : String(name.prefix(64)).debugDescription
    }
}
