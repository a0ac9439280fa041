import Hablare
import HablareJSON

/// The rules of a schema or a subschema. If there are no rules, any value is valid.
struct SchemaNode: Sendable {
    var rules: [SchemaRule] = []
}

/// One requirement of a schema. The integers in the cases are indices of other nodes.
enum SchemaRule: Sendable {
    /// The schema `false`, for which no value is valid.
    case never
    case types(JSONTypes)
    case values(Set<ExactValue>, shown: String)
    case minimum(JSONNumber, isExclusive: Bool)
    case maximum(JSONNumber, isExclusive: Bool)
    case multiple(of: JSONNumber)
    case length(ClosedRange<Int>)
    case pattern(PatternProgram, shown: String)
    case format(SchemaFormat)
    case elementCount(ClosedRange<Int>)
    case unique
    case elements(first: [Int], others: Int?)
    case memberCount(ClosedRange<Int>)
    case required([String])
    /// The members, in the order of their names.
    case members([(name: String, node: Int)], others: Int?)
    case reference(Int)
    case all([Int])
    case any([Int])
    case exactlyOne([Int])
    case not(Int)

    /// The nodes that apply to the same value as this rule.
    var nodesInPlace: [Int] {
        switch self {
        case .reference(let node), .not(let node): [node]
        case .all(let nodes), .any(let nodes), .exactlyOne(let nodes): nodes
        default: []
        }
    }
}

/// A set of JSON types.
struct JSONTypes: OptionSet, Sendable {
    let rawValue: UInt8

    static let null = Self(rawValue: 1)
    static let boolean = Self(rawValue: 2)
    static let integer = Self(rawValue: 4)
    /// All numbers, including integers.
    static let number = Self(rawValue: 8 | 4)
    static let string = Self(rawValue: 16)
    static let array = Self(rawValue: 32)
    static let object = Self(rawValue: 64)

    static let names: [(name: String, type: JSONTypes, shown: String)] = [
        ("object", .object, "an object"), ("array", .array, "a list"), ("string", .string, "a text"),
        ("number", .number, "a number"), ("integer", .integer, "a whole number"),
        ("boolean", .boolean, "true or false"),
        ("null", .null, "null"),
    ]

    /// Creates the set with the most specific type of a value.
    init(_ value: ParameterValue) {
        switch value {
        case .null: self = .null
        case .bool: self = .boolean
        case .int: self = .integer
        case .double(let number): self = JSONNumber(value)?.isWhole ?? false ? .integer : number.isFinite ? .real : []
        case .string: self = .string
        case .array: self = .array
        case .object: self = .object
        }
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Numbers with a fraction.
    private static let real = Self(rawValue: 8)

    /// A description of the types in words.
    var shown: String {
        var remainder = self
        var words: [String] = []
        for (_, type, shown) in Self.names where remainder.isSuperset(of: type) {
            words.append(shown)
            remainder.subtract(type)
        }
        return words.alternatives
    }
}

extension [String] {
    /// The texts as an English list, such as "a, b or c".
    var alternatives: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}
