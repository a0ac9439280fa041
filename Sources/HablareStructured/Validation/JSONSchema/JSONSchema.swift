public import Foundation
public import Hablare
import HablareJSON

/// The schema of an answer: the part of JSON Schema (draft 2020-12) that structured answers use, parsed and checked
/// once.
///
/// These keywords are supported: `type` (also a list of types), `enum`, `const`; `properties`, `required`,
/// `additionalProperties`, `minProperties`, `maxProperties`; `items`, `prefixItems`, `minItems`, `maxItems`,
/// `uniqueItems`; `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`; `minLength`, `maxLength`,
/// `pattern`; `anyOf`, `oneOf`, `allOf`, `not`; `$ref` to `#` and to the root's `$defs` or `definitions`; `format`.
/// Annotations (`title`, `description`, `default`, `examples` …, and any keyword that begins with `x-`) do not
/// constrain the value and are ignored. Any other keyword is refused, because ignoring it would change the meaning.
///
/// A whole number may be written with a fraction of zero. `multipleOf` uses the numbers as written, in decimal digits.
/// Texts and names are compared by their Unicode scalars, and lengths are counted in them. The formats `date-time`,
/// `date`, `time`, `email`, `uri` and `uuid` are checked. Other formats are annotations.
///
/// Patterns are those of ECMA-262 in its Unicode mode. They may match anywhere in a text unless they use `^` and `$`.
/// These parts of patterns are refused:
/// - lookahead and lookbehind;
/// - backreferences (`\1`, `\k<name>`);
/// - groups that change flags (`(?i:…)`);
/// - character properties other than general categories (`\p{Lu}`, `\p{gc=Letter}`), such as `\p{Script=…}` and
///   `\p{Alphabetic}`;
/// - half a surrogate pair;
/// - undefined escapes of letters;
/// - more than 4,096 characters, or more than 10,000 steps with all counts expanded.
///
/// A model sees the schema, too: its names and descriptions are part of the prompt.
public struct JSONSchema: Sendable {
    /// The parsed schema.
    private struct Parts: Sendable {
        let source: ParameterValue
        let nodes: [SchemaNode]
        let names: Set<ExactText>
    }

    private let parts: Box<Parts>

    /// The source of the schema: a Boolean or an object.
    public var source: ParameterValue { parts.value.source }

    /// The member names in the schema. They are not words of an answer.
    var names: Set<ExactText> { parts.value.names }

    /// Parses a schema.
    ///
    /// - Throws: ``Fault`` if it is invalid, or uses an unsupported feature.
    public init(_ source: ParameterValue) throws(Fault) {
        let compiler = try SchemaCompiler(source)
        parts = Box(Parts(source: source, nodes: compiler.nodes, names: compiler.names))
    }

    /// Parses a schema from JSON.
    ///
    /// - Parameter json: UTF-8, with or without a byte order mark. An object with a duplicate name is refused. So is an
    ///   object with two names that are canonically equivalent in Unicode (`é` precomposed, and `e` with a combining
    ///   accent).
    /// - Throws: The errors of ``init(_:)``, and ``Fault`` if the bytes are not JSON.
    public init(json: Data) throws(Fault) {
        let source: ParameterValue
        do {
            source = try JSONReader.value(of: json)
        } catch {
            throw switch error {
            case .cut: Fault(at: JSONPointer(), "is no JSON: it ends too early", byte: json.count)
            case .unexpected(let byte): Fault(at: JSONPointer(), "is no JSON: look at byte \(byte)", byte: byte)
            case .nameTwice(let byte):
                Fault(at: JSONPointer(), "has an object with a name twice: look at byte \(byte)", byte: byte)
            }
        }
        try self.init(source)
    }

    /// The maximum number of violations reported for one value: 32.
    public static let maximumViolations = 32

    /// Validates a value in bounded time. If the check would take far longer than for any ordinary value and schema,
    /// this is reported as the violation.
    ///
    /// - Returns: At most ``maximumViolations`` violations, always in the same order. Empty if the value is valid.
    public func validate(_ value: ParameterValue) -> [Violation] {
        validate(value, effort: SchemaValidator.effort)
    }

    /// Validates a value with a given amount of work.
    func validate(_ value: ParameterValue, effort: Int) -> [Violation] {
        var effort = effort
        return validate(value, effort: &effort)
    }

    /// Validates a value with the remaining work, and subtracts the work done. Several values can share one budget.
    func validate(_ value: ParameterValue, effort: inout Int) -> [Violation] {
        var validator = SchemaValidator(
            nodes: parts.value.nodes, effort: effort, mostViolations: Self.maximumViolations)
        defer { effort = validator.effort }
        return validator.findings(in: value).map { Violation(at: $0.location, showing: names, wanted: $0.wanted) }
    }

    /// Returns a value without the nulls of optional members that may not be null, and subtracts the work done.
    func withoutAddedNulls(_ value: ParameterValue, effort: inout Int) -> ParameterValue {
        var validator = SchemaValidator(
            nodes: parts.value.nodes, effort: effort, mostViolations: Self.maximumViolations)
        defer { effort = validator.effort }
        return validator.withoutAddedNulls(value)
    }
}

extension JSONSchema: Hashable {
    /// Returns whether both schemas have equal sources, with texts and names compared by code point.
    public static func == (lhs: Self, rhs: Self) -> Bool { ExactValue(lhs.source) == ExactValue(rhs.source) }
    /// Hashes the source of the schema.
    public func hash(into hasher: inout Hasher) { hasher.combine(ExactValue(source)) }
}
