import Foundation
import Yams

/// The text of a YAML file, which may be JSON, and the places in the text.
///
/// Anchors and aliases are refused: no file of this command needs them, and with them a small file can become a huge
/// value. The library refuses nesting deeper than a thousand levels. Tags are ignored: every value is a text until it
/// is read.
struct YAMLText {
    let text: String
    let url: URL

    /// - Throws: ``CommandFailure`` if the data is not UTF-8.
    init(_ data: Data, at url: URL) throws {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandFailure(file: url, Self.notText(data))
        }
        self.init(text: text.first == "\u{FEFF}" ? String(text.dropFirst()) : text, url: url)
    }

    init(text: String, url: URL) {
        (self.text, self.url) = (text, url)
    }

    private static func notText(_ data: Data) -> String {
        var decoder = Unicode.UTF8()
        var bytes = data.makeIterator()
        var valid = String.UnicodeScalarView()
        while case .scalarValue(let scalar) = decoder.decode(&bytes) { valid.append(scalar) }
        let line = valid.count { $0 == "\n" } + 1
        return """
            It is not UTF-8 from byte \(String(valid).utf8.count), in line \(line). Convert it, for example with \
            iconv.
            """
    }

    func failure(_ problem: String) -> CommandFailure { CommandFailure(file: url, problem) }

    /// Parses the text and calls `body` with the root of the text. The root of an empty text is `nil`.
    func read<Value>(_ body: (Node?) throws -> Value) throws -> Value {
        try refuseAliases()
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

    /// Returns the failure for a parse error. It never contains the error's own description, because this description
    /// contains the text.
    private func failure(of error: YamlError) -> CommandFailure {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            source(ofFault: mark).failure("It is not valid YAML from here: \(problem).")
        case .reader(let problem, let offset, _, _):
            source(at: offset ?? 0).failure("It is not valid YAML from here: \(problem).")
        case .duplicatedKeysInMapping(let names, let context):
            source(context.mark).failure(Self.duplicate(names.first ?? ""))
        default: failure("It is not valid YAML.")
        }
    }

    static func duplicate(_ name: String) -> String {
        "The key \(shown(name)) occurs more than once in its section. Keep one of them."
    }

    /// Throws an error if the text has both an anchor and an alias, before the parser reads it. With aliases, a few
    /// lines can become so large that comparing the keys of a section never ends. An anchor or an alias alone is
    /// harmless.
    private func refuseAliases() throws {
        let bytes = Array(text.utf8)
        guard let anchor = Self.firstMark(UInt8(ascii: "&"), in: bytes),
            Self.firstMark(UInt8(ascii: "*"), in: bytes) != nil
        else { return }
        let before = String(decoding: bytes[..<anchor], as: UTF8.self)
        throw source(at: before.unicodeScalars.count).failure(
            "\(Self.anchors) If it is none, as in a comment or a text, write it without & or *.")
    }

    /// Returns the index of the first character that may begin an anchor or alias. It may be in a comment or in quotes,
    /// which only the parser can distinguish.
    private static func firstMark(_ sign: UInt8, in bytes: [UInt8]) -> Int? {
        bytes.indices.first { index in
            guard bytes[index] == sign, index + 1 < bytes.count, isWord(bytes[index + 1]) else { return false }
            guard index == 0 || !isInsideWord(bytes[index - 1]) else { return false }
            // The parser refuses a name that ends otherwise, as in `&nbsp;` and `*bold*`.
            return bytes[(index + 1)...].first { !isWord($0) }.map { " \t\r\n?:,]}%@`".utf8.contains($0) } ?? true
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

    /// Returns the keys and values of a section; empty if the section is empty.
    ///
    /// - Parameters:
    ///   - subject: The name of the section in a message.
    ///   - example: A key with its value, for a message.
    ///   - canonical: A closure that returns the form in which a key is compared.
    func pairs(
        of node: Node, source: SettingSource, subject: String, example: String,
        canonical: (String) -> String = { $0 }
    ) throws -> [(name: String, source: SettingSource, value: Node)] {
        if Self.isNothing(node) { return [] }
        guard case .mapping(let mapping) = node else {
            throw source.failure("\(subject) must have keys with values, such as `\(example)`.")
        }
        var seen: Set<String> = []
        return try mapping.map { key, value in
            let keySource = self.source(key.mark)
            try refuseAnchor(of: key)
            guard case .scalar(let scalar) = key else { throw keySource.failure("A key must be a text.") }
            let name = canonical(scalar.string)
            guard seen.insert(name).inserted else { throw keySource.failure(Self.duplicate(name)) }
            return (name, keySource, value)
        }
    }

    func refuseAnchor(of node: Node) throws {
        guard node.anchor == nil else { throw source(node.mark).failure(Self.anchors) }
    }

    static func isNothing(_ node: Node) -> Bool {
        guard case .scalar(let scalar) = node else { return false }
        return scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    func source(_ mark: Mark?) -> SettingSource {
        .file(url, line: mark?.line ?? 1, column: mark?.column ?? 1)
    }

    /// Returns the place of a parse error. If the error is in the padding after the text, returns the end of the text.
    private func source(ofFault mark: Mark) -> SettingSource {
        let end = source(at: text.unicodeScalars.count)
        if case .file(_, let last, _) = end, mark.line > last { return end }
        return source(mark)
    }

    func source(at offset: Int) -> SettingSource {
        let before = text.unicodeScalars.prefix(offset)
        let start = before.lastIndex(of: "\n").map { before.index(after: $0) } ?? before.startIndex
        return .file(url, line: before.count { $0 == "\n" } + 1, column: before[start...].count + 1)
    }

    /// Returns a key in a form that is safe to show. By mistake, the user may have put a secret or a whole page in
    /// place of a key.
    static func shown(_ name: String) -> String {
        guard !SecretNames.looksLikeKey(name) else { return "…" }
        return name.wholeMatch(of: /[A-Za-z0-9_.\-]{1,64}/) != nil ? name : String(name.prefix(64)).debugDescription
    }
}
