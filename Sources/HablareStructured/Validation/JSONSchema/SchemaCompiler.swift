import Hablare
import HablareJSON

/// Translates a schema into rules for the validator. It refuses a schema that is invalid or that the validator cannot
/// check correctly.
struct SchemaCompiler {
    /// The maximum number of subschemas in a schema.
    private static let mostNodes = 10_000
    /// The maximum length of a chain of schemas that apply to the same value.
    private static let longestChain = 64

    /// The maximum number of steps in the programs of all patterns together.
    private static let mostPatternSteps = 10 * PatternProgram.longest

    /// The compiled schemas. The first one is the root.
    private(set) var nodes: [SchemaNode] = []
    /// The member names in the schema.
    private(set) var names: Set<ExactText> = []
    /// The number of steps in all patterns that have been compiled.
    private var patternSteps = 0
    /// The definitions, each under the text of the references to it.
    private var definitions: [ExactText: Int] = [:]

    private static let definitionKeywords = ["$defs", "definitions"]

    init(_ schema: ParameterValue) throws(JSONSchema.Fault) {
        let root = JSONPointer()
        guard schema.canBeStored else {
            throw Self.refusal(root, "is nested more deeply than 64 levels, or has a number that is not finite")
        }
        nodes = [SchemaNode()]
        var pending: [(schema: ParameterValue, pointer: JSONPointer, node: Int)] = []
        if case .object(let keywords) = schema {
            for keyword in Self.definitionKeywords {
                guard let value = keywords[keyword] else { continue }
                let pointer = root[keyword]
                guard case .object(let entries) = value else {
                    throw Self.refusal(pointer, "is not an object of schemas")
                }
                for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
                    let index = try room(for: pointer[name])
                    definitions[ExactText("\(keyword)/\(name)")] = index
                    pending.append((entry, pointer[name], index))
                }
            }
        }
        nodes[0] = try node(of: schema, at: root, isRoot: true)
        for (schema, pointer, index) in pending { nodes[index] = try node(of: schema, at: pointer) }
        try refuseEndlessChains()
    }

    static func refusal(_ pointer: JSONPointer, _ reason: String) -> JSONSchema.Fault {
        JSONSchema.Fault(at: pointer, reason)
    }

    // MARK: Nodes

    private mutating func add(_ schema: ParameterValue, at pointer: JSONPointer) throws(JSONSchema.Fault) -> Int {
        let index = try room(for: pointer)
        nodes[index] = try node(of: schema, at: pointer)
        return index
    }

    /// Reserves the index of a new node. The caller fills in the node.
    private mutating func room(for pointer: JSONPointer) throws(JSONSchema.Fault) -> Int {
        guard nodes.count < Self.mostNodes else {
            throw Self.refusal(pointer, "exceeds the maximum of \(Self.mostNodes) schemas")
        }
        nodes.append(SchemaNode())
        return nodes.count - 1
    }

    private mutating func node(
        of schema: ParameterValue, at pointer: JSONPointer, isRoot: Bool = false
    ) throws(JSONSchema.Fault) -> SchemaNode {
        switch schema {
        case .bool(let isAnything): return SchemaNode(rules: isAnything ? [] : [.never])
        case .object(let keywords):
            for name in keywords.keys.sorted() where !SchemaKeyword.isKnown(name, atRoot: isRoot) {
                throw Self.refusal(
                    pointer[name],
                    SchemaKeyword.hint(for: name) ?? "is a keyword that is not supported and would change the meaning"
                )
            }
            var keywords = SchemaKeywords(keywords, at: pointer)
            var node = SchemaNode()
            node.rules += try keywords.valueRules()
            for case .pattern(let program, _) in node.rules { patternSteps += program.length }
            guard patternSteps <= Self.mostPatternSteps else {
                throw Self.refusal(pointer["pattern"], "is too large together with the preceding patterns")
            }
            node.rules += try memberRules(&keywords)
            node.rules += try elementRules(&keywords)
            node.rules += try combiningRules(&keywords)
            return node
        default: throw Self.refusal(pointer, "is not a schema: a schema is an object, true or false")
        }
    }

    private mutating func memberRules(_ keywords: inout SchemaKeywords) throws(JSONSchema.Fault) -> [SchemaRule] {
        var rules: [SchemaRule] = []
        if let counts = try keywords.counts("minProperties", "maxProperties") { rules.append(.memberCount(counts)) }
        if let required = try keywords.names("required"), !required.isEmpty {
            names.formUnion(required.map { ExactText($0) })
            rules.append(.required(required))
        }
        var members: [(name: String, node: Int)] = []
        for (name, schema, pointer) in try keywords.schemasByName("properties") {
            names.insert(ExactText(name))
            members.append((name, try add(schema, at: pointer)))
        }
        let others = try schema("additionalProperties", in: keywords)
        if !members.isEmpty || others != nil { rules.append(.members(members, others: others)) }
        return rules
    }

    private mutating func elementRules(_ keywords: inout SchemaKeywords) throws(JSONSchema.Fault) -> [SchemaRule] {
        var rules: [SchemaRule] = []
        if let counts = try keywords.counts("minItems", "maxItems") { rules.append(.elementCount(counts)) }
        if try keywords.flag("uniqueItems") { rules.append(.unique) }
        let first = try schemas("prefixItems", in: keywords) ?? []
        let others = try schema("items", in: keywords)
        if !first.isEmpty || others != nil { rules.append(.elements(first: first, others: others)) }
        return rules
    }

    private mutating func combiningRules(_ keywords: inout SchemaKeywords) throws(JSONSchema.Fault) -> [SchemaRule] {
        var rules: [SchemaRule] = []
        if let value = keywords["$ref"] {
            rules.append(.reference(try target(of: value, at: keywords.pointer["$ref"])))
        }
        if let nodes = try schemas("allOf", in: keywords) { rules.append(.all(nodes)) }
        if let nodes = try schemas("anyOf", in: keywords) { rules.append(.any(nodes)) }
        if let nodes = try schemas("oneOf", in: keywords) { rules.append(.exactlyOne(nodes)) }
        if let node = try schema("not", in: keywords) { rules.append(.not(node)) }
        return rules
    }

    private mutating func schema(_ name: String, in keywords: SchemaKeywords) throws(JSONSchema.Fault) -> Int? {
        guard let value = keywords[name] else { return nil }
        if case .array = value, name == "items" {
            throw Self.refusal(keywords.pointer[name], "is a list; use prefixItems for the schema of each element")
        }
        return try add(value, at: keywords.pointer[name])
    }

    private mutating func schemas(_ name: String, in keywords: SchemaKeywords) throws(JSONSchema.Fault) -> [Int]? {
        guard let value = keywords[name] else { return nil }
        guard case .array(let values) = value, !values.isEmpty else {
            throw Self.refusal(keywords.pointer[name], "is not a list with at least one schema")
        }
        var nodes: [Int] = []
        for (index, value) in values.enumerated() { nodes.append(try add(value, at: keywords.pointer[name][index])) }
        return nodes
    }

    // MARK: References

    private func target(of value: ParameterValue, at pointer: JSONPointer) throws(JSONSchema.Fault) -> Int {
        guard case .string(let text) = value else { throw Self.refusal(pointer, "is not a text") }
        if text == "#" { return 0 }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "#", let keyword = JSONPointer.token(fragment: parts[1]),
            Self.definitionKeywords.contains(keyword), let name = JSONPointer.token(fragment: parts[2])
        else {
            throw Self.refusal(pointer, "refers to a location that is not supported: use # or #/$defs/NAME")
        }
        guard let node = definitions[ExactText("\(keyword)/\(name)")] else {
            throw Self.refusal(pointer, "refers to a definition that does not exist")
        }
        return node
    }

    /// Throws an error if a schema refers to itself for the same value, because the validation would never end.
    private func refuseEndlessChains() throws(JSONSchema.Fault) {
        /// The length of the longest chain that begins at each node. 0 while the length is being computed.
        var lengths: [Int: Int] = [:]
        func length(from node: Int, depth: Int) throws(JSONSchema.Fault) -> Int {
            if let length = lengths[node] {
                guard length > 0 else {
                    throw Self.refusal(JSONPointer(), "has a $ref that leads to itself for the same value")
                }
                return length
            }
            guard depth < Self.longestChain else { throw Self.chainTooLong }
            lengths[node] = 0
            var longest = 0
            for next in nodes[node].rules.flatMap(\.nodesInPlace) {
                longest = max(longest, try length(from: next, depth: depth + 1))
            }
            guard longest < Self.longestChain else { throw Self.chainTooLong }
            lengths[node] = longest + 1
            return longest + 1
        }
        for node in nodes.indices { _ = try length(from: node, depth: 0) }
    }

    private static let chainTooLong = refusal(
        JSONPointer(), "applies a chain of more than \(longestChain) schemas to one value")
}
