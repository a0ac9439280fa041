import Foundation
import Hablare
import HablareJSON
import HablareProviders
import HablareStructured
import Yams

/// A prompt that is saved under a name, with the provider, the model and the parameters for it. It is stored in the
/// file `templates/NAME.yaml` in the configuration folder.
struct PromptTemplate: Sendable, Hashable {
    static let maximumBytes = 1 << 20
    static let folderName = "templates"
    static let ending = "yaml"
    /// The placeholder that stands for the prompt of the command line together with the piped input.
    static let input = "input"

    let url: URL
    private(set) var system: String?
    private(set) var prompt: String?
    private(set) var provider: String?
    private(set) var model: String?
    private(set) var parameters: [ParameterOption] = []
    private(set) var schema: Schema?
    /// The values of placeholders for which the command line gives no value.
    private(set) var defaults: [String: String] = [:]

    enum Schema: Sendable, Hashable {
        /// A file, relative to the template's folder.
        case file(String)
        /// The schema itself, as JSON.
        case inline(Data)
    }

    var name: String { url.deletingPathExtension().lastPathComponent }

    /// The names of placeholders in both texts, in their order, each only once.
    var placeholders: [String] {
        var names: [String] = []
        for text in [system, prompt].compactMap(\.self) {
            for name in PlaceholderText(text).names where !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// Whether the template says where the input goes.
    var placesInput: Bool { placeholders.contains(Self.input) }

    func schemaFound() throws -> JSONSchema? {
        switch schema {
        case nil: nil
        case .file(let path): try SchemaFile.schema(URL(filePath: path, relativeTo: url.deletingLastPathComponent()))
        case .inline(let data): try SchemaFile.schema(data, at: url)
        }
    }

    /// Returns options that name the template's provider, model and parameters, unless they already name others.
    func asking(_ options: ServiceOptions) -> ServiceOptions {
        var options = options
        if options.baseURL == nil || provider != nil { options.provider = options.provider ?? provider }
        if provider == nil || options.provider == provider { options.model = options.model ?? model }
        let given = Set(options.parameter.map(\.name))
        options.parameter = parameters.filter { !given.contains($0.name) } + options.parameter
        return options
    }

    /// Returns both texts with the values of their placeholders.
    ///
    /// - Throws: ``CommandFailure`` if a value is missing, or if there is no placeholder for a value.
    func filled(_ values: [PlaceholderValue], input: String?) throws -> (system: String?, prompt: String?) {
        var found = defaults
        let names = placeholders.filter { $0 != Self.input }
        for value in values {
            guard names.contains(value.name) else {
                throw CommandFailure(
                    .usage,
                    "Template \(name) has no placeholder \(value.name).\(NearestNames(names).hint(for: value.name))")
            }
            found[value.name] = value.text
        }
        let missing = names.filter { found[$0] == nil }
        guard missing.isEmpty else {
            let options = missing.map { "-p \($0)=VALUE" }.joined(separator: " ")
            throw CommandFailure(
                .usage, "Template \(name) needs \(missing.joined(separator: ", ")). Pass \(options).")
        }
        found[Self.input] = input ?? ""
        return (system.map { PlaceholderText($0).filled(found) }, prompt.map { PlaceholderText($0).filled(found) })
    }
}

// MARK: Reading

extension PromptTemplate {
    private static let keys = ["system", "prompt", "provider", "model", "parameters", "schema", "defaults"]

    /// Reads a template.
    ///
    /// - Throws: ``CommandFailure`` with the line and what to do.
    init(_ yaml: YAMLText) throws {
        url = yaml.url
        try yaml.read { root in
            let source = yaml.source(root?.mark)
            guard let root, !YAMLText.isNothing(root) else {
                throw source.failure("It is empty. Write at least a prompt, such as `prompt: Summarize {input}`.")
            }
            try yaml.refuseAnchor(of: root)
            for (key, place, node) in try yaml.pairs(
                of: root, source: source, subject: "A template", example: "prompt: Summarize {input}")
            {
                try take(key, node, at: place, in: yaml)
            }
            guard system != nil || prompt != nil else {
                throw source.failure("It has neither a prompt nor a system. Write one of them.")
            }
            for name in defaults.keys.sorted() where !placeholders.contains(name) || name == Self.input {
                let problem = name == Self.input ? "is the input, which has no default" : "is in none of the texts"
                throw source.failure("defaults: \(name) \(problem). Take it out.")
            }
        }
    }

    private mutating func take(_ key: String, _ node: Node, at place: SettingSource, in yaml: YAMLText) throws {
        switch key {
        case "system": system = try yaml.text(of: node, named: key, at: place)
        case "prompt": prompt = try yaml.text(of: node, named: key, at: place)
        case "provider": provider = try yaml.text(of: node, named: key, at: place, as: .provider)
        case "model": model = try yaml.text(of: node, named: key, at: place, as: .text)
        case "parameters":
            for (name, place, value) in try yaml.pairs(
                of: node, source: place, subject: key, example: "temperature: 0.5")
            {
                guard !name.isEmpty else { throw place.failure("A parameter has no name.") }
                parameters.append(try ParameterOption(name: name, value: try yaml.value(of: value)))
            }
        case "schema":
            if case .mapping = node {
                schema = .inline(try yaml.value(of: node).jsonData())
            } else {
                schema = .file(try yaml.text(of: node, named: key, at: place, as: .path))
            }
        case "defaults":
            for (name, place, value) in try yaml.pairs(
                of: node, source: place, subject: key, example: "language: English")
            {
                defaults[name] = try yaml.text(of: value, named: name, at: place)
            }
        default:
            throw place.failure("There is no key \(YAMLText.shown(key)).\(NearestNames(Self.keys).hint(for: key))")
        }
    }
}

extension YAMLText {
    /// The deepest nesting of a value.
    private static let deepest = 64

    fileprivate func text(
        of node: Node, named key: String, at place: SettingSource, as kind: SettingKind? = nil
    ) throws -> String {
        try refuseAnchor(of: node)
        guard case .scalar(let scalar) = node, !scalar.string.allSatisfy(\.isWhitespace) else {
            throw place.failure("\(Self.shown(key)) must be \(kind?.wanted ?? "a text").")
        }
        if let kind, kind.value(of: [scalar.string]) == nil {
            throw source(node.mark).failure("\(key) must be \(kind.wanted).")
        }
        return scalar.string
    }

    /// Returns a value as JSON has it. A word in quotes is always a text.
    func value(of node: Node, depth: Int = 0) throws -> ParameterValue {
        try refuseAnchor(of: node)
        guard depth < Self.deepest else { throw source(node.mark).failure("It is nested too deeply.") }
        switch node {
        case .scalar(let scalar):
            guard scalar.style == .plain else { return .string(scalar.string) }
            if Self.isNothing(node) { return .null }
            if let flag = ["true": true, "false": false][scalar.string] { return .bool(flag) }
            if let whole = Int64(scalar.string) { return .int(whole) }
            if let number = Double(scalar.string), number.isFinite { return .double(number) }
            return .string(scalar.string)
        case .sequence(let sequence): return .array(try sequence.map { try value(of: $0, depth: depth + 1) })
        case .mapping:
            let pairs = try pairs(of: node, source: source(node.mark), subject: "A value", example: "name: value")
            return .object(
                try Dictionary(pairs.map { ($0.name, try value(of: $0.value, depth: depth + 1)) }) { $1 })
        default: throw source(node.mark).failure("It is not a value.")
        }
    }
}

// MARK: Writing

extension PromptTemplate {
    /// The parts of a new template.
    struct Draft: Sendable {
        var system: String?
        var prompt: String?
        var provider: String?
        var model: String?
        var parameters: [ParameterOption] = []
        /// The path of the schema's file.
        var schema: String?
        var defaults: [PlaceholderValue] = []

        /// Returns the text of the file.
        func yaml() throws -> String {
            var lines: [String] = []
            for (key, text) in [
                ("provider", provider), ("model", model), ("schema", schema), ("system", system), ("prompt", prompt),
            ] {
                if let text { lines.append("\(key): \(try Self.scalar(text))") }
            }
            if !parameters.isEmpty { lines.append("parameters:") }
            for parameter in parameters {
                let value = String(decoding: try parameter.serviceValue.jsonData(), as: UTF8.self)
                lines.append("  \(try Self.quoted(parameter.name)): \(value)")
            }
            if !defaults.isEmpty { lines.append("defaults:") }
            lines += try defaults.map { "  \($0.name): \(try Self.quoted($0.text))" }
            return lines.joined(separator: "\n") + "\n"
        }

        private static func quoted(_ text: String) throws -> String { try JSONText.of(text, indented: false) }

        /// Returns a text as YAML: a text of several lines in the form in which a person would write it, and any other
        /// text in quotes.
        private static func scalar(_ text: String) throws -> String {
            let isBlock =
                text.contains("\n") && !text.hasSuffix("\n\n") && text.first.map { !$0.isWhitespace } ?? false
                && !text.unicodeScalars.contains { ShownText.isControl($0) && $0 != "\n" }
            guard isBlock else { return try quoted(text) }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let body = (text.hasSuffix("\n") ? lines.dropLast() : lines[...]).map { $0.isEmpty ? "" : "  \($0)" }
            return (text.hasSuffix("\n") ? "|\n" : "|-\n") + body.joined(separator: "\n")
        }
    }
}

/// A text with placeholders in braces, such as `{language}`. A name in double braces is not a placeholder:
/// `{{language}}` becomes `{language}`. All other braces, such as those of JSON, are text.
struct PlaceholderText: Sendable, Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func isName(_ text: some StringProtocol) -> Bool {
        String(text).wholeMatch(of: /[A-Za-z][A-Za-z0-9_\-]*/) != nil
    }

    /// The names of the placeholders, in their order.
    var names: [String] {
        text.matches(of: /\{\{[A-Za-z][A-Za-z0-9_\-]*\}\}|\{([A-Za-z][A-Za-z0-9_\-]*)\}/).compactMap {
            $0.1.map(String.init)
        }
    }

    /// Returns the text with the values of its placeholders. Placeholders within the values are not replaced. A name
    /// without a value stays as it is.
    func filled(_ values: [String: String]) -> String {
        text.replacing(/\{\{([A-Za-z][A-Za-z0-9_\-]*)\}\}|\{([A-Za-z][A-Za-z0-9_\-]*)\}/) { match in
            if let literal = match.1 { return "{\(literal)}" }
            return match.2.flatMap { values[String($0)] } ?? String(match.0)
        }
    }
}
