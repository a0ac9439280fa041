import Hablare
import HablareJSON

/// A rewriter of one schema for the rules of a service (a ``SchemaDialect``).
///
/// Parts that apply to the same value are merged first: the parts of `allOf`, and a reference with the keywords beside
/// it. Each value is then rewritten by its type. A definition is rewritten only once, when the first reference to it is
/// found. So the result of a recursive schema is finite.
struct SchemaFitter {
    typealias Members = [String: ParameterValue]

    /// The maximum number of schemas that are rewritten or merged. References inside `allOf` are copied, so without
    /// this maximum, chains of such references could grow exponentially. A schema of 1 MB needs about a third of this
    /// number.
    static let mostVisits = 300_000
    /// The number of visits after which a reference with annotations is kept instead of being replaced by a copy of its
    /// target.
    private static let visitsForCopies = 50_000
    /// The maximum nesting depth of schemas.
    private static let deepest = 64

    let root: Members
    let dialect: SchemaDialect
    private var visits = 0
    /// The fitted definitions, by their new names.
    private var definitions: [String: ParameterValue] = [:]
    /// The new names of the definitions that references point to, by pointer.
    private var names: [String: String] = [:]
    /// For each name, the number of definitions whose new name begins with this name.
    private var namesakes: [String: Int] = [:]
    private var pending: [(pointer: String, name: String, schema: ParameterValue)] = []
    /// The definitions to which each definition refers. The root of the schema has the empty name.
    private var uses: [String: Set<String>] = [:]
    private var current = ""

    init(_ schema: Members, to dialect: SchemaDialect) {
        root = schema
        self.dialect = dialect
    }

    /// Returns the whole fitted schema.
    mutating func fitted() throws(SchemaMisfit) -> Members {
        let flat = try flattened(root, copying: true, depth: 0, open: ["#"])
        var fitted = try fit(flat: flat.members, depth: 0, open: flat.open)
        guard !dialect.needsObject || fitted["type"] == "object" else { throw .root }
        while let next = pending.popLast() {
            current = next.name
            definitions[next.name] = .object(try fit(next.schema, depth: 0, open: [next.pointer]))
        }
        if !dialect.allowsRecursion { try refuseRecursion() }
        if !definitions.isEmpty { fitted["$defs"] = .object(definitions) }
        return fitted
    }

    mutating func visit(_ depth: Int) throws(SchemaMisfit) {
        visits += 1
        guard visits <= Self.mostVisits, depth <= Self.deepest else { throw .tooLarge }
    }

    /// Counts the members of a copied schema as visits, because there may be many members.
    mutating func visit(_ depth: Int, copying members: Members) throws(SchemaMisfit) {
        if case .object(let properties)? = members["properties"] { visits += properties.count }
        if case .array(let names)? = members["required"] { visits += names.count }
        try visit(depth)
    }

    // MARK: Values

    /// Returns a rewritten schema.
    ///
    /// - Parameter open: The pointers whose targets contain this schema. A target is not copied into itself.
    mutating func fit(
        _ schema: ParameterValue, depth: Int, open: Set<String>
    ) throws(SchemaMisfit) -> Members {
        guard case .object(let members) = schema else {
            switch schema {
            case true: throw .anything
            case false: throw .contradiction
            default: throw .malformed(keyword: "schema")
            }
        }
        let flat = try flattened(members, copying: false, depth: depth, open: open)
        guard let pointer = flat.members["$ref"]?.string else {
            return try fit(flat: flat.members, depth: depth, open: flat.open)
        }
        return ["$ref": .string(try name(of: pointer))]
    }

    private mutating func fit(
        flat members: Members, depth: Int, open: Set<String>
    ) throws(SchemaMisfit) -> Members {
        var keywords = SchemaParts(members)
        let isNullable = keywords.take("nullable") == true
        let (anyOf, oneOf) = (keywords.take("anyOf"), keywords.take("oneOf"))
        var fitted: Members
        if let alternatives = anyOf ?? oneOf {
            guard anyOf == nil || oneOf == nil else { throw .conflict(keyword: "oneOf") }
            fitted = try self.alternatives(alternatives, &keywords, depth: depth, open: open)
        } else {
            fitted = try value(&keywords, depth: depth, open: open)
        }
        fitted["title"] = keywords.title.map { .string($0) }
        fitted["description"] = try keywords.description().map { .string($0) }
        return isNullable ? nullable(fitted) : fitted
    }

    /// Returns rewritten alternatives. If there are constraints beside the alternatives, they apply to each
    /// alternative, so they are merged into each of them.
    private mutating func alternatives(
        _ value: ParameterValue, _ keywords: inout SchemaParts, depth: Int, open: Set<String>
    ) throws(SchemaMisfit) -> Members {
        guard case .array(let given) = value, !given.isEmpty else { throw .malformed(keyword: "anyOf") }
        let shared = keywords.takeConstraints()
        var fitted: [ParameterValue] = []
        for alternative in given where alternative != false {
            guard !shared.isEmpty else {
                fitted.append(.object(try fit(alternative, depth: depth + 1, open: open)))
                continue
            }
            let both: ParameterValue = ["allOf": [.object(shared), alternative]]
            fitted.append(.object(try fit(both, depth: depth + 1, open: open)))
        }
        guard !fitted.isEmpty else { throw .contradiction }
        return ["anyOf": .array(fitted)]
    }

    /// Returns a value of one or several types.
    private mutating func value(
        _ keywords: inout SchemaParts, depth: Int, open: Set<String>
    ) throws(SchemaMisfit) -> Members {
        let types = try keywords.takeTypes()
        if let choices = try keywords.takeChoices(of: types) { return choice(choices, &keywords) }
        guard !types.isEmpty else { throw .anything }
        let scalars = types.filter { $0 != .null && !$0.isCompound }
        if types.count == 2, types.contains(.null), scalars.count == 1, dialect.listsNull {
            var fitted = try single(scalars[0], &keywords, depth: depth, open: open)
            fitted["type"] = [.string(scalars[0].rawValue), "null"]
            return fitted
        }
        guard types.count > 1 else { return try single(types[0], &keywords, depth: depth, open: open) }
        var alternatives: [ParameterValue] = []
        for type in types {
            var own = keywords.takeParts(of: type)
            var fitted = try single(type, &own, depth: depth + 1, open: open)
            fitted["description"] = try own.description().map { .string($0) }
            alternatives.append(.object(fitted))
        }
        keywords.moveConstraints()
        return ["anyOf": .array(alternatives)]
    }

    /// Returns fixed values.
    private func choice(_ choices: [ParameterValue], _ keywords: inout SchemaParts) -> Members {
        keywords.moveConstraints()
        guard dialect.typesChoices else {
            return choices.count == 1 ? ["const": choices[0]] : ["enum": .array(choices)]
        }
        var byType: [(type: SchemaType, values: [ParameterValue])] = []
        for value in choices {
            guard let type = SchemaType(of: value) else { continue }
            if let index = byType.firstIndex(where: { $0.type == type }) {
                byType[index].values.append(value)
            } else {
                byType.append((type, [value]))
            }
        }
        let others = byType.filter { $0.type != .null }
        let hasNull = others.count < byType.count
        if others.count == 1, let only = others.first {
            let fitted = Self.typed(only.type, only.values)
            return hasNull ? nullable(fitted) : fitted
        }
        return byType.count == 1
            ? ["type": "null"] : ["anyOf": .array(byType.map { .object(Self.typed($0.type, $0.values)) })]
    }

    private static func typed(_ type: SchemaType, _ values: [ParameterValue]) -> Members {
        if type == .null { return ["type": "null"] }
        let fitted: Members = ["type": .string(type.rawValue)]
        return fitted.merging(values.count == 1 ? ["const": values[0]] : ["enum": .array(values)]) { $1 }
    }

    private mutating func single(
        _ type: SchemaType, _ keywords: inout SchemaParts, depth: Int, open: Set<String>
    ) throws(SchemaMisfit) -> Members {
        var fitted: Members = ["type": .string(type.rawValue)]
        switch type {
        case .object: try fitted.merge(object(&keywords, depth: depth, open: open)) { $1 }
        case .array: try fitted.merge(list(&keywords, depth: depth, open: open)) { $1 }
        default: break
        }
        for name in keywords.constraintNames where isEnforced(name, keywords[name], for: type) {
            fitted[name] = keywords.take(name)
        }
        keywords.moveConstraints()
        return fitted
    }

    /// Returns whether the service enforces a constraint unchanged.
    private func isEnforced(_ name: String, _ value: ParameterValue?, for type: SchemaType) -> Bool {
        guard let value, SchemaType.constrained(by: name).contains(type) else { return false }
        switch name {
        case "format": return value.string.map { dialect.formats.contains($0) } ?? false
        case "pattern":
            return dialect.constraints.contains(name) && value.string.map { Self.isRegular($0) } ?? false
        case "minItems", "maxItems":
            guard dialect.constraints.contains(name), let count = value.count else { return false }
            return count <= dialect.largestLeastCount ?? .max
        default: return dialect.constraints.contains(name) && value.number != nil
        }
    }

    /// Returns whether a pattern has no lookaround and no backreference. A grammar cannot express these.
    private static func isRegular(_ pattern: String) -> Bool {
        var rest = pattern.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\\", let escaped = rest.popFirst(), ("1"..."9").contains(escaped) || escaped == "k" {
                return false
            }
            if scalar == "(", rest.first == "?", rest.dropFirst().first != ":" { return false }
        }
        return true
    }

    /// Returns the rewritten object without its type. The object allows no further members, and every member is
    /// rewritten.
    private mutating func object(
        _ keywords: inout SchemaParts, depth: Int, open: Set<String>
    ) throws(SchemaMisfit) -> Members {
        let properties = try keywords.takeObject("properties")
        let required = try keywords.takeNames("required")
        let isClosed = try takeOtherMembers(&keywords)
        guard !properties.isEmpty || isClosed && required.isEmpty else { throw .openObject }
        var fitted: Members = [:]
        for (name, property) in properties.sorted(by: { $0.key < $1.key }) {
            if property == false {
                guard !required.contains(name) else { throw .contradiction }
                continue
            }
            let member = try fit(property, depth: depth + 1, open: open)
            let isOptional = dialect.requiresEveryMember && !required.contains(name)
            fitted[name] = .object(isOptional ? nullable(member) : member)
        }
        guard required.isSubset(of: properties.keys) else { throw .openObject }
        let names = dialect.requiresEveryMember ? fitted.keys.sorted() : required.sorted()
        return [
            "properties": .object(fitted), "required": .array(names.map { .string($0) }),
            "additionalProperties": false,
        ]
    }

    /// Takes the keywords for members that are not listed. Returns whether such members are forbidden.
    ///
    /// - Throws: ``SchemaMisfit/openObject`` if the schema describes members that are not listed, because an object
    ///   that allows no further members would lose them.
    private func takeOtherMembers(_ keywords: inout SchemaParts) throws(SchemaMisfit) -> Bool {
        var isClosed = false
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            switch keywords.take(keyword) {
            case nil, true, [:]: break
            case false: isClosed = true
            default: throw .openObject
            }
        }
        let patterns = try keywords.takeObject("patternProperties")
        guard patterns.values.allSatisfy({ $0 == false }) else { throw .openObject }
        return isClosed
    }

    /// Returns the rewritten list without its type.
    private mutating func list(
        _ keywords: inout SchemaParts, depth: Int, open: Set<String>
    ) throws(SchemaMisfit) -> Members {
        var others = keywords.take("items")
        var first = keywords.take("prefixItems")
        if case .array? = others {  // drafts before 2020-12
            (first, others) = (others, keywords.take("additionalItems"))
        }
        if let first {
            guard case .array(let places) = first, let one = places.first else {
                throw .malformed(keyword: "prefixItems")
            }
            let isUniform = places.allSatisfy { $0 == one } && (others == nil || others == false || others == one)
            guard isUniform else { throw .tuple }
            if others == false, keywords["maxItems"] == nil { keywords["maxItems"] = .int(Int64(places.count)) }
            others = one
        }
        switch others {
        case nil, true, [:]:
            guard !dialect.needsElements, others == nil else { throw .anything }
            return [:]
        case let elements?: return ["items": .object(try fit(elements, depth: depth + 1, open: open))]
        }
    }

    /// Returns a rewritten schema that also accepts null.
    private func nullable(_ fitted: Members) -> Members {
        var fitted = fitted
        if case .array(var alternatives)? = fitted["anyOf"] {
            if !alternatives.contains(["type": "null"]) { alternatives.append(["type": "null"]) }
            fitted["anyOf"] = .array(alternatives)
            return fitted
        }
        if case .array? = fitted["type"] { return fitted }
        guard let type = fitted["type"]?.string.flatMap(SchemaType.init(rawValue:)), !type.isCompound,
            dialect.listsNull
        else { return ["anyOf": [.object(fitted), ["type": "null"]]] }
        guard type != .null else { return fitted }
        fitted["type"] = [.string(type.rawValue), "null"]
        if let value = fitted.removeValue(forKey: "const") { fitted["enum"] = [value] }
        if case .array(let values)? = fitted["enum"] { fitted["enum"] = .array(values + [.null]) }
        return fitted
    }

    // MARK: References

    /// Returns whether a reference that has annotations is replaced by a copy of its target, which then has the
    /// annotations. If the target contains the reference, the reference is kept without the annotations.
    func copies(_ pointer: String, into open: Set<String>) -> Bool {
        visits < Self.visitsForCopies && !open.contains(pointer)
    }

    /// Returns a reference to the target of a pointer. The target becomes a definition.
    private mutating func name(of pointer: String) throws(SchemaMisfit) -> String {
        if pointer == "#" {
            uses[current, default: []].insert("")
            return "#"
        }
        let name: String
        if let known = names[pointer] {
            name = known
        } else {
            let place = try SchemaPointer(pointer)
            let target = try place.target(in: root)
            name = newName(place.name)
            names[pointer] = name
            pending.append((pointer, name, target))
        }
        uses[current, default: []].insert(name)
        return "#/$defs/\(name)"
    }

    private mutating func newName(_ wanted: String) -> String {
        let count = namesakes[wanted, default: 0] + 1
        namesakes[wanted] = count
        guard count > 1 else { return wanted }
        let name = "\(wanted)_\(count)"
        guard namesakes[name] == nil else { return newName(wanted) }
        namesakes[name] = 1
        return name
    }

    /// Throws an error if a definition refers to itself, directly or through other definitions.
    private func refuseRecursion() throws(SchemaMisfit) {
        var unresolved = uses.mapValues(\.count)
        var users: [String: [String]] = [:]
        for (user, names) in uses { for name in names { users[name, default: []].append(user) } }
        var ready = definitions.keys.filter { unresolved[$0] == nil }
        var resolved = 0
        while let name = ready.popLast() {
            resolved += 1
            for user in users[name] ?? [] {
                unresolved[user]? -= 1
                if unresolved[user] == 0 { ready.append(user) }
            }
        }
        // The root counts if it refers to anything.
        guard resolved == definitions.count + (uses[""] == nil ? 0 : 1) else { throw .recursion }
    }
}
