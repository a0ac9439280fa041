import Hablare
import HablareJSON

/// The keywords of one schema while it is rewritten. Methods take the keywords one by one. If the service does not
/// enforce a keyword, it is moved into the description, as in the official SDKs.
struct SchemaParts {
    private var members: [String: ParameterValue]
    private var moved: [String: ParameterValue] = [:]

    init(_ members: [String: ParameterValue]) { self.members = members }

    subscript(name: String) -> ParameterValue? {
        get { members[name] }
        set { members[name] = newValue }
    }

    mutating func take(_ name: String) -> ParameterValue? { members.removeValue(forKey: name) }

    // MARK: Kinds of keywords

    /// The keywords that do not constrain a value, such as the name of the schema and words for other programs.
    private static let ignored: Set<String> = [
        "$schema", "$id", "$anchor", "$dynamicAnchor", "$comment", "$vocabulary", "$defs", "definitions", "id",
        "discriminator", "deprecated", "readOnly", "writeOnly", "xml", "externalDocs",
    ]
    private static let annotations: Set<String> = ["title", "description", "default", "example", "examples"]

    static func isIgnored(_ name: String) -> Bool { ignored.contains(name) || name.hasPrefix("x-") }
    static func isAnnotation(_ name: String) -> Bool { annotations.contains(name) }

    /// The names of all constraints, sorted.
    var constraintNames: [String] { members.keys.filter { !Self.isAnnotation($0) }.sorted() }

    /// Takes all constraints.
    mutating func takeConstraints() -> [String: ParameterValue] {
        let taken = members.filter { !Self.isAnnotation($0.key) }
        members = members.filter { Self.isAnnotation($0.key) }
        return taken
    }

    /// Takes the constraints that apply to one type.
    mutating func takeParts(of type: SchemaType) -> SchemaParts {
        var taken: [String: ParameterValue] = [:]
        for name in constraintNames where SchemaType.constrained(by: name).contains(type) { taken[name] = take(name) }
        return SchemaParts(taken)
    }

    /// Moves the remaining constraints into the description.
    mutating func moveConstraints() { moved.merge(takeConstraints()) { $1 } }

    // MARK: Values

    /// Takes the object of a keyword. Returns an empty object if the keyword is missing.
    mutating func takeObject(_ name: String) throws(SchemaMisfit) -> [String: ParameterValue] {
        switch take(name) {
        case nil: return [:]
        case .object(let members)?: return members
        default: throw .malformed(keyword: name)
        }
    }

    /// Takes the list of texts of a keyword. Returns an empty list if the keyword is missing.
    mutating func takeNames(_ name: String) throws(SchemaMisfit) -> Set<String> {
        switch take(name) {
        case nil: return []
        case .array(let values)?:
            let names = values.compactMap(\.string)
            guard names.count == values.count else { throw .malformed(keyword: name) }
            return Set(names)
        default: throw .malformed(keyword: name)
        }
    }

    /// Takes the types. If the keyword `type` is missing, returns the types to which the constraints apply. Returns an
    /// empty list if there are none.
    mutating func takeTypes() throws(SchemaMisfit) -> [SchemaType] {
        if let value = take("type") { return try SchemaType.list(value) }
        guard members["enum"] == nil, members["const"] == nil else { return [] }
        let types = constraintNames.map { SchemaType.constrained(by: $0) }
        // A keyword about numbers is about both of their types.
        return SchemaType.allCases.filter { type in type != .integer && types.contains { $0.contains(type) } }
    }

    /// Takes the fixed values of these types; `nil` if there are none. An empty list of types stands for all types.
    mutating func takeChoices(of types: [SchemaType]) throws(SchemaMisfit) -> [ParameterValue]? {
        let (one, list) = (take("const"), take("enum"))
        var choices: [ParameterValue]
        switch (one, list) {
        case (nil, nil): return nil
        case (let one?, nil): choices = [one]
        case (let one, .array(let values)?): choices = one.map { one in values.filter { $0 == one } } ?? values
        default: throw .malformed(keyword: "enum")
        }
        if !types.isEmpty { choices = choices.filter { value in types.contains { $0.includes(value) } } }
        guard !choices.isEmpty else { throw .contradiction }
        guard choices.allSatisfy({ SchemaType(of: $0) != nil }) else { throw .compoundChoice }
        return choices
    }

    // MARK: Annotations

    var title: String? { members["title"]?.string }

    /// Returns the description, followed by the moved keywords, the default and the examples, such as `{maxLength:
    /// 80}`.
    func description() throws(SchemaMisfit) -> String? {
        var notes = moved
        for name in ["default", "example", "examples"] where members[name] != .null { notes[name] = members[name] }
        let given = members["description"]?.string
        guard !notes.isEmpty else { return given }
        var texts: [String] = []
        for (name, value) in notes.sorted(by: { $0.key < $1.key }) {
            do throws(AIServiceError) {
                texts.append("\(name): \(try value.jsonText())")
            } catch {
                throw .malformed(keyword: name)
            }
        }
        return [given, "{\(texts.joined(separator: ", "))}"].compactMap(\.self).joined(separator: "\n\n")
    }
}
