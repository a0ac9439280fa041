import Hablare
import HablareJSON

/// A schema, or one within another, as the rules that it has. None: anything will do.
struct SchemaNode: Sendable {
    var rules: [SchemaRule] = []
}

/// One thing that a schema wants. Numbers name other nodes.
enum SchemaRule: Sendable {
    /// Nothing is right: the schema `false`.
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
    /// The members in the order of their names.
    case members([(name: String, node: Int)], others: Int?)
    case reference(Int)
    case all([Int])
    case any([Int])
    case exactlyOne([Int])
    case not(Int)

    /// The nodes that are asked about the same value.
    var nodesInPlace: [Int] {
        switch self {
        case .reference(let node), .not(let node): [node]
        case .all(let nodes), .any(let nodes), .exactlyOne(let nodes): nodes
        default: []
        }
    }
}

/// Kinds of JSON values.
struct JSONTypes: OptionSet, Sendable {
    let rawValue: UInt8

    static let null = Self(rawValue: 1)
    static let boolean = Self(rawValue: 2)
    static let integer = Self(rawValue: 4)
    /// Whole numbers as well: it has the bit of them.
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

    /// The kind of a value, as narrow as can be.
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

    /// In words.
    var shown: String {
        var rest = self
        var words: [String] = []
        for (_, type, shown) in Self.names where rest.isSuperset(of: type) {
            words.append(shown)
            rest.subtract(type)
        }
        return words.alternatives
    }
}

extension [String] {
    /// As a person lists them: a, b or c.
    var alternatives: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}
