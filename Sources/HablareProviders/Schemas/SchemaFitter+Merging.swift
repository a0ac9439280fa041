import Hablare
import HablareJSON

/// Merging of schema parts that apply to the same value.
extension SchemaFitter {
    /// Returns a schema without `allOf`, in which every reference stands alone. Also returns the pointers whose targets
    /// were copied into the schema. A reference that already stands alone is kept, with a normalized pointer.
    ///
    /// - Parameter copying: Whether to copy the target of a reference that stands alone, instead of keeping the
    ///   reference.
    mutating func flattened(
        _ schema: Members, copying: Bool, depth: Int, open: Set<String>
    ) throws(SchemaMisfit) -> (members: Members, open: Set<String>) {
        try visit(depth)
        var own = schema.filter { !SchemaParts.isIgnored($0.key) }
        var parts: [ParameterValue] = []
        switch own.removeValue(forKey: "allOf") {
        case nil: break
        case .array(let values)?: parts = values
        default: throw .malformed(keyword: "allOf")
        }
        let isPlain = own.keys.allSatisfy { $0 == "$ref" || SchemaParts.isAnnotation($0) }
        // A single reference in allOf is a common way to write annotations beside it.
        if parts.count == 1, own["$ref"] == nil, isPlain, case .object(let part) = parts[0], part.count == 1,
            let reference = part["$ref"]
        {
            own["$ref"] = reference
            parts = []
        }
        guard let reference = own.removeValue(forKey: "$ref") else {
            guard !parts.isEmpty else { return (own, open) }
            return try merged([:], parts, own, depth: depth, open: open)
        }
        guard let text = reference.string else { throw .malformed(keyword: "$ref") }
        let pointer = try end(of: SchemaPointer(text).text)
        let isAlone = parts.isEmpty && isPlain
        guard copying || !isAlone || (!own.isEmpty && copies(pointer, into: open)) else {
            return (["$ref": .string(pointer)], open)
        }
        guard case .object(let target) = try SchemaPointer(pointer).target(in: root) else { throw .anything }
        guard !open.contains(pointer) else { throw .recursion }
        let base = try flattened(target, copying: true, depth: depth + 1, open: open.union([pointer]))
        return try merged(base.members, parts, own, depth: depth, open: base.open)
    }

    private mutating func merged(
        _ base: Members, _ parts: [ParameterValue], _ own: Members, depth: Int, open: Set<String>
    ) throws(SchemaMisfit) -> (members: Members, open: Set<String>) {
        var all = base
        var open = open
        for part in parts {
            switch part {
            case true: continue
            case false: throw .contradiction
            case .object(let part):
                let flat = try flattened(part, copying: true, depth: depth + 1, open: open)
                open = flat.open
                try visit(depth, copying: all)
                all = try merge(all, flat.members)
            default: throw .malformed(keyword: "allOf")
            }
        }
        return (try merge(all, own), open)
    }

    /// Follows a chain of references that stand alone. Returns the last pointer.
    private mutating func end(of pointer: String) throws(SchemaMisfit) -> String {
        var pointer = pointer
        var seen: Set<String> = []
        while case .object(let target) = try SchemaPointer(pointer).target(in: root), let next = target["$ref"],
            target.keys.allSatisfy({ $0 == "$ref" || SchemaParts.isIgnored($0) })
        {
            try visit(0)
            guard seen.insert(pointer).inserted, let text = next.string else { throw .reference }
            pointer = try SchemaPointer(text).text
        }
        return pointer
    }

    /// Returns the merged keywords of two schemas that apply to the same value. Annotations of the second schema take
    /// precedence.
    private func merge(_ first: Members, _ second: Members) throws(SchemaMisfit) -> Members {
        guard !first.isEmpty else { return second }
        try refuseHiddenMembers(first, second)
        var all = first
        for (name, value) in second {
            guard let other = all.updateValue(value, forKey: name), other != value else { continue }
            guard !SchemaParts.isAnnotation(name) else { continue }
            all[name] = try merge(name, other, value)
        }
        return all
    }

    private func merge(
        _ name: String, _ first: ParameterValue, _ second: ParameterValue
    ) throws(SchemaMisfit) -> ParameterValue {
        switch (name, first, second) {
        case ("properties", .object(let first), .object(let second)):
            return .object(first.merging(second) { $0 == $1 ? $0 : ["allOf": [$0, $1]] })
        case ("required", .array(let first), .array(let second)):
            let known = Set(first.compactMap(\.string))
            return .array(first + second.filter { $0.string.map { !known.contains($0) } ?? true })
        case ("items", .object, .object): return ["allOf": [first, second]]
        case ("additionalProperties", _, _), ("unevaluatedProperties", _, _):
            if first == false || second == false { return false }
            if first == true { return second }
            if second == true { return first }
        case ("type", _, _):
            let types = SchemaType.common(try SchemaType.list(first), try SchemaType.list(second))
            guard !types.isEmpty else { throw .contradiction }
            return .array(types.map { .string($0.rawValue) })
        case ("enum", .array(let first), .array(let second)):
            guard first.count * second.count <= 1_000_000 else { throw .tooLarge }
            let both = first.filter { second.contains($0) }
            guard !both.isEmpty else { throw .contradiction }
            return .array(both)
        case ("minimum", _, _), ("exclusiveMinimum", _, _), ("minLength", _, _), ("minItems", _, _),
            ("minProperties", _, _):
            if let one = first.number, let other = second.number { return one < other ? second : first }
        case ("maximum", _, _), ("exclusiveMaximum", _, _), ("maxLength", _, _), ("maxItems", _, _),
            ("maxProperties", _, _):
            if let one = first.number, let other = second.number { return one < other ? first : second }
        default: break
        }
        throw .conflict(keyword: name)
    }

    /// Throws an error if one object excludes unknown members and the other object describes some of these members. A
    /// value with such members would satisfy only one of the two objects.
    private func refuseHiddenMembers(_ first: Members, _ second: Members) throws(SchemaMisfit) {
        for (closed, other) in [(first, second), (second, first)]
        where closed["additionalProperties"] == false {
            guard case .object(let others)? = other["properties"] else { continue }
            var known: Members = [:]
            if case .object(let members)? = closed["properties"] { known = members }
            guard others.keys.allSatisfy({ known[$0] != nil }) else { throw .contradiction }
        }
    }
}
