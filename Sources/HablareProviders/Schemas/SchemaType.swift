import Hablare
import HablareJSON

/// A type of JSON Schema.
enum SchemaType: String, CaseIterable, Sendable {
    case object
    case array
    case string
    case number
    case integer
    case boolean
    case null

    var isCompound: Bool { self == .object || self == .array }

    /// Creates the type of a fixed value. Returns `nil` for an object or a list.
    init?(of value: ParameterValue) {
        switch value {
        case .null: self = .null
        case .bool: self = .boolean
        case .int: self = .integer
        case .double: self = .number
        case .string: self = .string
        case .array, .object: return nil
        }
    }

    /// Returns whether a fixed value is of this type.
    func includes(_ value: ParameterValue) -> Bool {
        switch value {
        case .array: self == .array
        case .object: self == .object
        case .int: self == .integer || self == .number
        case .double(let number): self == .number || self == .integer && number == number.rounded()
        default: SchemaType(of: value) == self
        }
    }

    /// Returns the types that a keyword constrains. Returns an empty set for a keyword that applies to any value.
    static func constrained(by keyword: String) -> Set<SchemaType> { types[keyword] ?? [] }

    private static let types: [String: Set<SchemaType>] = {
        var types: [String: Set<SchemaType>] = [:]
        for name in [
            "properties", "required", "additionalProperties", "unevaluatedProperties", "patternProperties",
            "propertyNames", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies",
        ] { types[name] = [.object] }
        for name in [
            "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "minContains", "maxContains",
            "minItems", "maxItems", "uniqueItems",
        ] { types[name] = [.array] }
        for name in ["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"] {
            types[name] = [.string]
        }
        for name in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
            types[name] = [.number, .integer]
        }
        return types
    }()

    /// Returns the types in the value of `type`, in order. If the value has `number`, `integer` is left out, because a
    /// number may be an integer.
    static func list(_ value: ParameterValue) throws(SchemaMisfit) -> [SchemaType] {
        let given: [ParameterValue]
        switch value {
        case .string: given = [value]
        case .array(let values): given = values
        default: throw .malformed(keyword: "type")
        }
        var types: [SchemaType] = []
        for value in given {
            guard let type = value.string.flatMap(SchemaType.init(rawValue:)) else {
                throw .malformed(keyword: "type")
            }
            if !types.contains(type) { types.append(type) }
        }
        guard !types.isEmpty else { throw .malformed(keyword: "type") }
        if types.contains(.number) { types.removeAll { $0 == .integer } }
        return types
    }

    /// Returns the types that both lists allow. A list with `number` also allows `integer`.
    static func common(_ first: [SchemaType], _ second: [SchemaType]) -> [SchemaType] {
        func narrowed(_ type: SchemaType, by types: [SchemaType]) -> SchemaType? {
            if types.contains(type) { return type }
            switch type {
            case .number where types.contains(.integer): return .integer
            case .integer where types.contains(.number): return .integer
            default: return nil
            }
        }
        return first.compactMap { narrowed($0, by: second) }
    }
}
