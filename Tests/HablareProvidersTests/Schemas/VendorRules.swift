import Hablare
import HablareJSON

/// The services' documented rules for schemas, written independently of the fitter. Each function returns the
/// violations of a whole schema; none if the service accepts it.
enum VendorRules {
    /// OpenAI's rules: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas.
    static func ofOpenAI(_ schema: ParameterValue) -> [String] {
        var faults: [String] = []
        if schema[member: "type"] != "object" { faults.append("the root is not an object") }
        if schema[member: "anyOf"] != nil { faults.append("the root has alternatives") }
        var members = 0
        var choices = 0
        var texts = 0
        walk(schema, at: "#", level: 0) { node, place, level in
            func fault(_ text: String) { faults.append("\(place): \(text)") }
            let known: Set = [
                "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$ref",
                "$defs", "title", "description", "pattern", "format", "multipleOf", "minimum", "maximum",
                "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
            ]
            for keyword in node.keys where !known.contains(keyword) { fault("\(keyword) is not supported") }
            if let reference = node["$ref"]?.string {
                if node.count > 1 { fault("a reference has something beside it") }
                if !resolves(reference, in: schema) { fault("\(reference) leads nowhere") }
                return
            }
            if node["anyOf"] == nil, node["type"] == nil { fault("no type") }
            let types = node["type"]?.string.map { [$0] } ?? node["type"]?.elements.compactMap(\.string) ?? []
            if types.count > 1,
                Set(types).count != 2 || !types.contains("null") || types.contains("object")
                    || types.contains("array")
            {
                fault("several types")
            }
            if types.contains("object") {
                if node["additionalProperties"] != false { fault("an open object") }
                guard case .object(let properties)? = node["properties"] else { return fault("no properties") }
                let required = Set(node["required"]?.elements.compactMap(\.string) ?? [])
                if required != Set(properties.keys) { fault("not every member is required") }
                members += properties.count
                texts += properties.keys.reduce(0) { $0 + $1.count }
                if level > 10 { fault("nested too deep") }
            }
            if types.contains("array"), node["items"] == nil { fault("a list without items") }
            if let format = node["format"]?.string,
                ![
                    "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
                ].contains(format)
            {
                fault("format \(format)")
            }
            if let pattern = node["pattern"]?.string, pattern.contains("(?="), pattern.contains("(?!") {
                fault("lookahead")
            }
            let values = (node["enum"]?.elements ?? []) + [node["const"]].compactMap(\.self)
            choices += values.count
            texts += values.reduce(0) { $0 + ($1.string?.count ?? 0) }
            for value in values where !types.contains(where: { isOne($0, value) }) { fault("a choice of another type") }
        }
        if members > 5000 { faults.append("too many members") }
        if choices > 1000 { faults.append("too many choices") }
        if texts > 120_000 { faults.append("too long names") }
        return faults
    }

    /// Anthropic's rules: https://platform.claude.com/docs/en/build-with-claude/structured-outputs.
    static func ofAnthropic(_ schema: ParameterValue) -> [String] {
        var faults: [String] = []
        var optional = 0
        var unions = 0
        walk(schema, at: "#", level: 0) { node, place, _ in
            func fault(_ text: String) { faults.append("\(place): \(text)") }
            let known: Set = [
                "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$ref",
                "$defs", "title", "description", "format", "minItems",
            ]
            for keyword in node.keys where !known.contains(keyword) { fault("\(keyword) is not supported") }
            if let reference = node["$ref"]?.string {
                if !resolves(reference, in: schema) { fault("\(reference) leads nowhere") }
                return
            }
            if case .array? = node["type"] { fault("several types") }
            if node["type"] == nil, node["anyOf"] == nil, node["enum"] == nil, node["const"] == nil { fault("no type") }
            if node["type"] == "object" {
                if node["additionalProperties"] != false { fault("an open object") }
                guard case .object(let properties)? = node["properties"] else { return fault("no properties") }
                let required = Set(node["required"]?.elements.compactMap(\.string) ?? [])
                if !required.isSubset(of: properties.keys) { fault("a required member is not described") }
                optional += properties.count - required.count
            }
            if let least = node["minItems"]?.count, least > 1 { fault("minItems above 1") }
            if node["anyOf"] != nil { unions += 1 }
        }
        if optional > 24 { faults.append("too many optional members") }
        if unions > 16 { faults.append("too many alternatives") }
        if isRecursive(schema) { faults.append("recursive") }
        return faults
    }

    // MARK: Helpers

    private static func walk(
        _ schema: ParameterValue, at place: String, level: Int,
        _ visit: (_ node: [String: ParameterValue], _ place: String, _ level: Int) -> Void
    ) {
        guard case .object(let node) = schema else { return visit(["not a schema": schema], place, level) }
        var level = level
        if node["properties"] != nil { level += 1 }
        visit(node, place, level)
        for keyword in ["properties", "$defs"] {
            guard case .object(let schemas)? = node[keyword] else { continue }
            for (name, schema) in schemas {
                walk(schema, at: "\(place)/\(keyword)/\(name)", level: keyword == "$defs" ? 0 : level, visit)
            }
        }
        if let items = node["items"] { walk(items, at: "\(place)/items", level: level, visit) }
        for (index, schema) in (node["anyOf"]?.elements ?? []).enumerated() {
            walk(schema, at: "\(place)/anyOf/\(index)", level: level, visit)
        }
    }

    private static func resolves(_ reference: String, in root: ParameterValue) -> Bool {
        if reference == "#" { return true }
        let parts = reference.split(separator: "/")
        guard parts.count == 3, parts[0] == "#", parts[1] == "$defs" else { return false }
        return root[member: "$defs"]?[member: String(parts[2])] != nil
    }

    /// Returns whether a definition leads back to itself.
    private static func isRecursive(_ schema: ParameterValue) -> Bool {
        func references(_ schema: ParameterValue) -> Set<String> {
            var found: Set<String> = []
            walk(schema, at: "#", level: 0) { node, _, _ in
                if let reference = node["$ref"]?.string { found.insert(reference) }
            }
            return found
        }
        guard case .object(let definitions)? = schema[member: "$defs"] else { return references(schema).contains("#") }
        for name in definitions.keys {
            var seen: Set<String> = []
            var pending = ["#/$defs/\(name)"]
            while let next = pending.popLast() {
                if next == "#" { return true }
                let target = String(next.dropFirst(8))
                for reference in references(definitions[target] ?? .null) {
                    if reference == "#/$defs/\(name)" { return true }
                    if seen.insert(reference).inserted { pending.append(reference) }
                }
            }
        }
        return false
    }

    private static func isOne(_ type: String, _ value: ParameterValue) -> Bool {
        switch (type, value) {
        case ("string", .string), ("boolean", .bool), ("null", .null), ("integer", .int), ("number", .int),
            ("number", .double):
            true
        default: false
        }
    }
}
