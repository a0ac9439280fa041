import Hablare
import HablareJSON

/// The keywords of one schema. The type of each keyword's value is checked.
struct SchemaKeywords {
    let pointer: JSONPointer
    private let values: [String: ParameterValue]

    init(_ values: [String: ParameterValue], at pointer: JSONPointer) {
        self.values = values
        self.pointer = pointer
    }

    subscript(name: String) -> ParameterValue? { values[name] }

    private func refusal(_ name: String, _ reason: String) -> JSONSchema.Fault {
        SchemaCompiler.refusal(pointer[name], reason)
    }

    // MARK: Reading

    /// Returns the value of a keyword that must be a whole number of at least 0.
    private func count(_ name: String) throws(JSONSchema.Fault) -> Int? {
        guard let value = values[name] else { return nil }
        guard case .whole(let number)? = JSONNumber(value), number >= 0, let count = Int(exactly: number) else {
            throw refusal(name, "is not a whole number of at least 0")
        }
        return count
    }

    func counts(_ least: String, _ most: String) throws(JSONSchema.Fault) -> ClosedRange<Int>? {
        let (lower, upper) = (try count(least), try count(most))
        guard lower != nil || upper != nil else { return nil }
        guard lower ?? 0 <= upper ?? .max else { throw refusal(most, "is less than \(least)") }
        return (lower ?? 0)...(upper ?? .max)
    }

    private func number(_ name: String) throws(JSONSchema.Fault) -> JSONNumber? {
        guard let value = values[name] else { return nil }
        guard let number = JSONNumber(value) else { throw refusal(name, "is not a number") }
        return number
    }

    private func text(_ name: String) throws(JSONSchema.Fault) -> String? {
        guard let value = values[name] else { return nil }
        guard case .string(let text) = value else { throw refusal(name, "is not a text") }
        return text
    }

    func flag(_ name: String) throws(JSONSchema.Fault) -> Bool {
        guard let value = values[name] else { return false }
        guard case .bool(let flag) = value else { throw refusal(name, "is not true or false") }
        return flag
    }

    /// Returns the value of a keyword that must be a list of different texts.
    func names(_ name: String) throws(JSONSchema.Fault) -> [String]? {
        guard let value = values[name] else { return nil }
        guard case .array(let values) = value else { throw refusal(name, "is not a list of names") }
        var names: [String] = []
        var known: Set<ExactText> = []
        for value in values {
            guard case .string(let text) = value else { throw refusal(name, "is not a list of names") }
            guard known.insert(ExactText(text)).inserted else { throw refusal(name, "has a duplicate name") }
            names.append(text)
        }
        return names
    }

    /// Returns the value of a keyword that must be an object of schemas, in the order of the names.
    func schemasByName(
        _ name: String
    ) throws(JSONSchema.Fault) -> [(name: String, schema: ParameterValue, pointer: JSONPointer)] {
        guard let value = values[name] else { return [] }
        guard case .object(let schemas) = value else { throw refusal(name, "is not an object of schemas") }
        return schemas.sorted { $0.key < $1.key }.map { ($0.key, $0.value, pointer[name][$0.key]) }
    }

    // MARK: Rules of the value itself

    /// Returns the rules for types, fixed values, numbers and texts.
    func valueRules() throws(JSONSchema.Fault) -> [SchemaRule] {
        var rules: [SchemaRule] = []
        if let types = try types() { rules.append(.types(types)) }
        rules += try choiceRules()
        if let number = try number("minimum") { rules.append(.minimum(number, isExclusive: false)) }
        if let number = try number("exclusiveMinimum") { rules.append(.minimum(number, isExclusive: true)) }
        if let number = try number("maximum") { rules.append(.maximum(number, isExclusive: false)) }
        if let number = try number("exclusiveMaximum") { rules.append(.maximum(number, isExclusive: true)) }
        if let number = try number("multipleOf") {
            guard JSONNumber.whole(0) < number else { throw refusal("multipleOf", "is not above 0") }
            rules.append(.multiple(of: number))
        }
        if let counts = try counts("minLength", "maxLength") { rules.append(.length(counts)) }
        if let pattern = try text("pattern") {
            do {
                rules.append(.pattern(try PatternProgram(pattern), shown: pattern.shortened(to: 120)))
            } catch {
                throw refusal("pattern", "\(error.reason)")
            }
        }
        if let name = try text("format"), let format = SchemaFormat(rawValue: name) { rules.append(.format(format)) }
        return rules
    }

    private func types() throws(JSONSchema.Fault) -> JSONTypes? {
        guard let value = values["type"] else { return nil }
        let words = if case .array(let words) = value { words } else { [value] }
        var types: JSONTypes = []
        for word in words {
            guard case .string(let name) = word, let known = JSONTypes.names.first(where: { $0.name == name }) else {
                let names = JSONTypes.names.map(\.name)
                throw refusal("type", "is not one of \(names.joined(separator: ", ")), or a list of them")
            }
            types.formUnion(known.type)
        }
        guard !types.isEmpty else { throw refusal("type", "is an empty list") }
        return types
    }

    private func choiceRules() throws(JSONSchema.Fault) -> [SchemaRule] {
        var rules: [SchemaRule] = []
        if let value = values["enum"] {
            guard case .array(let choices) = value, !choices.isEmpty else {
                throw refusal("enum", "is not a list with at least one value")
            }
            rules.append(try rule("enum", choosing: choices))
        }
        if let value = values["const"] { rules.append(try rule("const", choosing: [value])) }
        return rules
    }

    private func rule(
        _ name: String, choosing choices: [ParameterValue]
    ) throws(JSONSchema.Fault) -> SchemaRule {
        var shown: [String] = []
        do throws(AIServiceError) {
            for choice in choices.prefix(12) { shown.append(try choice.jsonText().shortened(to: 60)) }
        } catch {
            throw refusal(name, "has a number that is not finite")
        }
        let words = choices.count > 12 ? shown.joined(separator: ", ") + " …" : shown.alternatives
        return .values(Set(choices.compactMap { $0.normalized().map(ExactValue.init) }), shown: words)
    }
}

extension String {
    /// Returns the text, with at most `count` characters. If the text is longer, returns its beginning with an
    /// ellipsis.
    func shortened(to count: Int) -> String {
        let start = prefix(count)
        return start.endIndex == endIndex ? self : start + "…"
    }
}
