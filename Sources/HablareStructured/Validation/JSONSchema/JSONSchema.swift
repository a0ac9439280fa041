public import Foundation
public import Hablare
import HablareJSON

/// What an answer must look like: the part of JSON Schema (draft 2020-12) that structured answers use, parsed and checked
/// once.
///
/// Understood are `type` (also a list of types), `enum`, `const`; `properties`, `required`, `additionalProperties`,
/// `minProperties`, `maxProperties`; `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`; `minimum`, `maximum`,
/// `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`; `minLength`, `maxLength`, `pattern`; `anyOf`, `oneOf`, `allOf`,
/// `not`; `$ref` to `#` and to what stands in the root's `$defs` or `definitions`; `format`. Annotations (`title`,
/// `description`, `default`, `examples` …, and whatever begins with `x-`) say nothing of the value and are ignored.
/// Anything else is refused, because leaving it out would change what is meant.
///
/// A whole number may be written with a fraction of zero. Multiples are those of the numbers as they are written, in decimal
/// digits. Texts and names are compared by their Unicode scalars, and lengths counted in them. Of formats `date-time`,
/// `date`, `time`, `email`, `uri` and `uuid` are checked; others are annotations.
///
/// Patterns are those of ECMA-262 in its Unicode mode; they may match anywhere in a text unless `^` and `$` say otherwise.
/// Refused are looking ahead and behind; going back to what a group has matched (`\1`, `\k<name>`); groups that change flags
/// (`(?i:…)`); properties of characters other than general categories (`\p{Lu}`, `\p{gc=Letter}`), such as `\p{Script=…}` and
/// `\p{Alphabetic}`; half a surrogate pair; escapes of letters that mean nothing; and patterns of more than 4,096 characters,
/// or of more than 10,000 steps with all counts written out.
///
/// A model sees the schema, too: names and descriptions in it are words to the model.
public struct JSONSchema: Sendable {
    /// What was parsed.
    private struct Parts: Sendable {
        let source: ParameterValue
        let nodes: [SchemaNode]
        let names: Set<ExactText>
    }

    private let parts: Boxed<Parts>

    /// The schema as it was given: a truth value or an object.
    public var source: ParameterValue { parts.value.source }

    /// The names of members that the schema names: no words of an answer.
    var names: Set<ExactText> { parts.value.names }

    /// Parses a schema.
    ///
    /// - Throws: ``Fault`` where it is none, or has something that is not understood.
    public init(_ source: ParameterValue) throws(Fault) {
        let compiler = try SchemaCompiler(source)
        parts = Boxed(Parts(source: source, nodes: compiler.nodes, names: compiler.names))
    }

    /// Parses a schema from JSON.
    ///
    /// - Parameter json: UTF-8, perhaps behind a byte order mark. An object that has a name twice is refused; so is one
    ///   with two names that Unicode holds for the same (`é`, and `e` with an accent of its own).
    /// - Throws: as ``init(_:)``, also where the bytes are no JSON.
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

    /// How many violations are told of one value, at most: 32.
    public static let maximumViolations = 32

    /// Looks whether a value is as the schema wants it. Takes bounded time: where a value and its schema together would
    /// take much longer than any sensible ones, that is the violation.
    ///
    /// - Returns: What is wrong, at most ``maximumViolations``, always in the same order; nothing where the value is as
    ///   wanted.
    public func validate(_ value: ParameterValue) -> [Violation] {
        validate(value, effort: SchemaValidator.effort)
    }

    /// The same with more or less work.
    func validate(_ value: ParameterValue, effort: Int) -> [Violation] {
        var effort = effort
        return validate(value, effort: &effort)
    }

    /// The same with the work that is left, off which goes what it took: for several values that may take no longer than
    /// one.
    func validate(_ value: ParameterValue, effort: inout Int) -> [Violation] {
        var validator = SchemaValidator(
            nodes: parts.value.nodes, effort: effort, mostViolations: Self.maximumViolations)
        defer { effort = validator.effort }
        return validator.findings(in: value).map { Violation(at: $0.place, showing: names, wanted: $0.wanted) }
    }
}

extension JSONSchema: Hashable {
    /// Whether both were given as equal values, texts and names code point by code point.
    public static func == (lhs: Self, rhs: Self) -> Bool { ExactValue(lhs.source) == ExactValue(rhs.source) }
    /// Hashes the schema as it was given.
    public func hash(into hasher: inout Hasher) { hasher.combine(ExactValue(source)) }
}
