public import Foundation
public import Hablare
import HablareJSON

/// The schema of an answer. It supports the part of JSON Schema (draft 2020-12) that structured answers use. The schema
/// is parsed and checked once.
///
/// These keywords are supported:
///
/// - for any value: `type` (also a list of types), `enum`, `const`, `anyOf`, `oneOf`, `allOf`, `not`, `format`;
/// - for objects: `properties`, `required`, `additionalProperties`, `minProperties`, `maxProperties`;
/// - for lists: `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`;
/// - for numbers: `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`;
/// - for texts: `minLength`, `maxLength`, `pattern`;
/// - references: `$ref` to `#` and to the root's `$defs` or `definitions`.
///
/// Annotations do not constrain the value and are ignored. They include `title`, `description`, `default`, `examples`,
/// and any keyword that begins with `x-`. Any other keyword is refused, because ignoring it would change the meaning of
/// the schema.
///
/// A whole number may be written with a fraction of zero. `multipleOf` compares the numbers as they are written, in
/// decimal digits. Texts and names are compared by their Unicode scalars. Lengths are also counted in Unicode scalars.
/// The formats `date-time`, `date`, `time`, `email`, `uri` and `uuid` are checked. Other formats are annotations.
///
/// Patterns use the syntax of ECMA-262 in its Unicode mode. A pattern may match anywhere in a text, unless it uses `^`
/// and `$`. These parts of patterns are refused:
/// - lookahead and lookbehind;
/// - backreferences (`\1`, `\k<name>`);
/// - groups that change flags (`(?i:…)`);
/// - character properties other than general categories (`\p{Lu}`, `\p{gc=Letter}`), such as `\p{Script=…}` and
///   `\p{Alphabetic}`;
/// - one half of a surrogate pair;
/// - escapes of letters that have no meaning;
/// - a pattern of more than 4,096 characters, or of more than 10,000 steps after its repetitions are expanded.
///
/// The model also sees the schema: its names and descriptions are part of the prompt.
public struct JSONSchema: Sendable {
    /// The parsed schema.
    private struct Parts: Sendable {
        let source: ParameterValue
        let nodes: [SchemaNode]
        let names: Set<ExactText>
    }

    private let parts: Box<Parts>

    /// The source of the schema: a Boolean value or an object.
    public var source: ParameterValue { parts.value.source }

    /// The member names in the schema. These names are not words of an answer.
    var names: Set<ExactText> { parts.value.names }

    /// Parses a schema.
    ///
    /// - Throws: ``Fault`` if the schema is invalid or uses an unsupported feature.
    public init(_ source: ParameterValue) throws(Fault) {
        let compiler = try SchemaCompiler(source)
        parts = Box(Parts(source: source, nodes: compiler.nodes, names: compiler.names))
    }

    /// Parses a schema from JSON.
    ///
    /// - Parameter json: UTF-8, with or without a byte order mark. An object with a duplicate name is refused. Two
    ///   names that Unicode considers equivalent also count as duplicates, such as `é` (one character) and `e` with a
    ///   combining accent.
    /// - Throws: The errors of ``init(_:)``. ``Fault`` if the bytes are not JSON.
    public init(json: Data) throws(Fault) {
        let source: ParameterValue
        do {
            source = try JSONReader.value(of: json)
        } catch {
            throw switch error {
            case .cut: Fault(at: JSONPointer(), "is not JSON: it ends too early", byte: json.count)
            case .unexpected(let byte): Fault(at: JSONPointer(), "is not JSON: see byte \(byte)", byte: byte)
            case .nameTwice(let byte):
                Fault(at: JSONPointer(), "has an object with a duplicate name: see byte \(byte)", byte: byte)
            }
        }
        try self.init(source)
    }

    /// The maximum number of violations that are reported for one value: 32.
    public static let maximumViolations = 32

    /// Validates a value in bounded time. If the check would take far longer than for any ordinary value and schema,
    /// the check stops and reports this as a violation.
    ///
    /// - Returns: At most ``maximumViolations`` violations, always in the same order. Empty if the value is valid.
    public func validate(_ value: ParameterValue) -> [Violation] {
        validate(value, effort: SchemaValidator.effort)
    }

    /// Validates a value with a limited amount of work.
    func validate(_ value: ParameterValue, effort: Int) -> [Violation] {
        var effort = effort
        return validate(value, effort: &effort)
    }

    /// Validates a value with the remaining amount of work, and subtracts the work that was done. Several values can
    /// share one amount.
    func validate(_ value: ParameterValue, effort: inout Int) -> [Violation] {
        var validator = SchemaValidator(
            nodes: parts.value.nodes, effort: effort, mostViolations: Self.maximumViolations)
        defer { effort = validator.effort }
        return validator.findings(in: value).map { Violation(at: $0.location, showing: names, wanted: $0.wanted) }
    }

    /// Returns a value without the members that are null, optional, and may not be null. Subtracts the work that was
    /// done.
    func withoutAddedNulls(_ value: ParameterValue, effort: inout Int) -> ParameterValue {
        var validator = SchemaValidator(
            nodes: parts.value.nodes, effort: effort, mostViolations: Self.maximumViolations)
        defer { effort = validator.effort }
        return validator.withoutAddedNulls(value)
    }
}

extension JSONSchema: Hashable {
    /// Returns whether both schemas have equal sources. Texts and names are compared by their code points.
    public static func == (lhs: Self, rhs: Self) -> Bool { ExactValue(lhs.source) == ExactValue(rhs.source) }
    /// Hashes the source of the schema.
    public func hash(into hasher: inout Hasher) { hasher.combine(ExactValue(source)) }
}
