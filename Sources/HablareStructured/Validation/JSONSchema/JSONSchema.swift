public import Foundation
public import Hablare
import HablareJSON

/// A schema that a model's answer must satisfy. It supports the part of JSON Schema (draft 2020-12) that structured
/// answers need. The schema is parsed and checked once.
///
/// These keywords are supported:
///
/// - for any value: `type` (also a list of types), `enum`, `const`, `anyOf`, `oneOf`, `allOf`, `not`, `format`;
/// - for objects: `properties`, `required`, `additionalProperties`, `minProperties`, `maxProperties`;
/// - for lists: `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`;
/// - for numbers: `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`;
/// - for texts: `minLength`, `maxLength`, `pattern`;
/// - references: `$ref` to `#`, and to definitions in the root's `$defs` or `definitions`.
///
/// Annotations are accepted and have no effect on the check. They are, for example, `title`, `description`, `default`,
/// `examples`, and every keyword that begins with `x-`. A schema with any other keyword is refused, because ignoring
/// the keyword would change the meaning of the schema.
///
/// A number such as 1.0 counts as a whole number. For `multipleOf`, the decimal digits of the numbers are compared, as
/// they are written. Texts and names are compared by their Unicode scalars. Lengths are also counted in Unicode
/// scalars. The formats `date-time`, `date`, `time`, `email`, `uri` and `uuid` are checked. Other formats are accepted
/// and not checked.
///
/// Patterns use the syntax of ECMA-262 in its Unicode mode. A pattern matches if any part of the text matches, unless
/// the pattern uses `^` or `$`. These parts of patterns are refused:
/// - lookahead and lookbehind;
/// - backreferences (`\1`, `\k<name>`);
/// - groups that change flags (`(?i:…)`);
/// - character properties other than general categories (`\p{Lu}`, `\p{gc=Letter}`), such as `\p{Script=…}` and
///   `\p{Alphabetic}`;
/// - a single half of a surrogate pair;
/// - escaped letters that have no special meaning;
/// - a pattern with more than 4,096 characters, or with more than 10,000 steps after its repetitions are written out.
///
/// The model receives the schema: its names and descriptions are part of the prompt.
public struct JSONSchema: Sendable {
    /// The parsed schema.
    private struct Parts: Sendable {
        let source: ParameterValue
        let nodes: [SchemaNode]
        let names: Set<ExactText>
    }

    private let parts: Box<Parts>

    /// The schema as it was given: a Boolean value or an object.
    public var source: ParameterValue { parts.value.source }

    /// The member names that the schema contains. They may be shown in errors, because they do not come from an answer.
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
    /// - Parameter json: UTF-8, with or without a byte order mark. If an object contains a name twice, the schema is
    ///   refused. Two names also count as the same name if Unicode considers them equivalent, such as `é` (one
    ///   character) and `e` with a combining accent.
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

    /// Validates a value in bounded time. If the check takes much longer than for any usual value and schema, it stops,
    /// and the result contains a violation that says so.
    ///
    /// - Returns: The violations, at most ``maximumViolations``. Their order is the same for every call. Empty if the
    ///   value is valid.
    public func validate(_ value: ParameterValue) -> [Violation] {
        validate(value, effort: SchemaValidator.effort)
    }

    /// Validates a value with a limit on the work.
    func validate(_ value: ParameterValue, effort: Int) -> [Violation] {
        var effort = effort
        return validate(value, effort: &effort)
    }

    /// Validates a value with a limit on the work. Subtracts the work that was done from the limit. Several values can
    /// therefore share one limit.
    func validate(_ value: ParameterValue, effort: inout Int) -> [Violation] {
        var validator = SchemaValidator(
            nodes: parts.value.nodes, effort: effort, mostViolations: Self.maximumViolations)
        defer { effort = validator.effort }
        return validator.findings(in: value).map { Violation(at: $0.location, showing: names, wanted: $0.wanted) }
    }

    /// Returns a value without the null members that stand for absent members: the member is optional, and the schema
    /// does not allow null for it. Subtracts the work that was done from the limit.
    func withoutAddedNulls(_ value: ParameterValue, effort: inout Int) -> ParameterValue {
        var validator = SchemaValidator(
            nodes: parts.value.nodes, effort: effort, mostViolations: Self.maximumViolations)
        defer { effort = validator.effort }
        return validator.withoutAddedNulls(value)
    }
}

extension JSONSchema: Hashable {
    /// Returns whether two schemas have equal sources. Texts and names are compared by their Unicode code points.
    public static func == (lhs: Self, rhs: Self) -> Bool { ExactValue(lhs.source) == ExactValue(rhs.source) }
    /// Hashes the source of the schema.
    public func hash(into hasher: inout Hasher) { hasher.combine(ExactValue(source)) }
}
