/// A JSON value of any kind, for parameters and structured answers.
public indirect enum ParameterValue: Sendable, Hashable {
    /// JSON `null`.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// An integer.
    case int(Int64)
    /// A floating-point number. `submit` accepts only finite numbers.
    case double(Double)
    /// Text.
    case string(String)
    /// A list.
    case array([ParameterValue])
    /// A dictionary with string keys.
    case object([String: ParameterValue])
}

extension ParameterValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a ``string(_:)`` from a literal.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an ``int(_:)`` from a literal.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// Creates a ``double(_:)`` from a literal.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a ``bool(_:)`` from a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates ``null`` from the literal `nil`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates an ``array(_:)`` from a literal.
    public init(arrayLiteral elements: ParameterValue...) { self = .array(elements) }
    /// Creates an ``object(_:)`` from a literal. If the literal contains a key twice, the last value is used.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}

extension ParameterValue: Codable {
    /// Decodes any JSON value. Whole numbers that fit into `Int64` become ``int(_:)``. Other numbers become
    /// ``double(_:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = Self.decode(Bool.self, from: container) {
            self = .bool(value)
        } else if let value = Self.decode(Int64.self, from: container) {
            self = .int(value)
        } else if let value = Self.decode(Double.self, from: container) {
            self = .double(value)
        } else if let value = Self.decode(String.self, from: container) {
            self = .string(value)
        } else if let value = Self.decode([ParameterValue].self, from: container) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: ParameterValue].self))
        }
    }

    /// Returns the value decoded as the given type, or `nil` if the value does not have this type. The method must try
    /// to decode the value, because a decoder does not report a value's type. All errors count as another type. No
    /// error is lost, because the caller decodes the last possible type without this method, and that call throws. The
    /// kind of error cannot be used: Foundation throws a private error if a fraction is decoded as an integer.
    private static func decode<Value: Decodable>(
        _ type: Value.Type, from container: any SingleValueDecodingContainer
    ) -> Value? {
        do {
            return try container.decode(type)
        } catch {
            return nil
        }
    }

    /// Encodes the plain JSON value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension ParameterValue {
    /// Whether the value can be written as JSON and read by any decoder: all numbers are finite, and the value nests at
    /// most 64 levels deep.
    package var canBeStored: Bool { canBeStored(below: 64) }

    private func canBeStored(below levels: Int) -> Bool {
        switch self {
        case .null, .bool, .int, .string: true
        case .double(let number): number.isFinite
        case .array(let values): levels > 0 && values.allSatisfy { $0.canBeStored(below: levels - 1) }
        case .object(let members): levels > 0 && members.values.allSatisfy { $0.canBeStored(below: levels - 1) }
        }
    }

    /// The text of a ``string(_:)``, or the written form of a number or Boolean value. `nil` for other values.
    public var text: String? {
        switch self {
        case .string(let value): value
        case .int(let value): String(value)
        case .double(let value): String(value)
        case .bool(let value): String(value)
        case .null, .array, .object: nil
        }
    }
}
