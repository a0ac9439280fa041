import Hablare
import HablareJSON

/// The part of JSON Schema that a service enforces. ``fit(_:)`` rewrites any schema into it, or says why it cannot.
///
/// The rules follow the official SDKs and the services' documentation:
/// - OpenAI: `openai` 3.57.0, `lib/_pydantic.py`, and
///   https://platform.openai.com/docs/guides/structured-outputs#supported-schemas;
/// - Anthropic: `anthropic` 2.14.0, `lib/_parse/_transform.py`, and
///   https://platform.claude.com/docs/en/build-with-claude/structured-outputs.
///
/// Every answer to a fitted schema has the shape that the original one describes. It may violate a keyword that the
/// service does not enforce, and has null for each optional member that was made required. The caller's own
/// `JSONSchema` stays the final judge.
struct SchemaDialect: Sendable, Hashable {
    /// Whether every member of an object must be required. Optional members then become nullable.
    let requiresEveryMember: Bool
    /// Whether the root must be an object.
    let needsObject: Bool
    /// Whether a list must describe its elements.
    let needsElements: Bool
    /// Whether a definition may refer to itself.
    let allowsRecursion: Bool
    /// Whether a type may be a list of a scalar type and `null`. Otherwise several types are alternatives.
    let listsNull: Bool
    /// Whether fixed values (`enum`, `const`) keep their type.
    let typesChoices: Bool
    /// The values of `format` that the service enforces.
    let formats: Set<String>
    /// The constraints that the service enforces, beside `format`.
    let constraints: Set<String>
    /// The largest `minItems` that the service enforces; `nil` for any.
    let largestLeastCount: Int64?
    /// The sizes that the service accepts.
    let limits: SchemaLimits

    /// OpenAI's strict schemas.
    static let openAI = SchemaDialect(
        requiresEveryMember: true, needsObject: true, needsElements: true, allowsRecursion: true, listsNull: true,
        typesChoices: true,
        formats: [
            "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
        ],
        constraints: [
            "pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems",
            "maxItems",
        ],
        largestLeastCount: nil,
        limits: SchemaLimits(
            members: 5000, levels: 10, nameCharacters: 120_000, choices: 1000, longChoices: 250,
            charactersOfLongChoices: 15_000, optionalMembers: nil, unions: nil))

    /// Anthropic's output format.
    static let anthropic = SchemaDialect(
        requiresEveryMember: false, needsObject: false, needsElements: false, allowsRecursion: false, listsNull: false,
        typesChoices: false,
        formats: [
            "date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid",
        ],
        constraints: ["minItems"], largestLeastCount: 1,
        limits: SchemaLimits(
            members: nil, levels: nil, nameCharacters: nil, choices: nil, longChoices: nil,
            charactersOfLongChoices: nil, optionalMembers: 24, unions: 16))

    /// Rewrites a schema. The time grows with the size of the schema, and is bounded for one whose references would
    /// make it larger than ``SchemaFitter/mostVisits``. Pure.
    ///
    /// - Returns: The fitted schema, or the first reason why the service cannot enforce one.
    func fit(_ schema: [String: ParameterValue]) -> Result<[String: ParameterValue], SchemaMisfit> {
        do throws(SchemaMisfit) {
            var fitter = SchemaFitter(schema, to: self)
            let fitted = try fitter.fitted()
            try limits.check(fitted)
            return .success(fitted)
        } catch {
            return .failure(error)
        }
    }
}

/// The reason why a schema cannot be expressed in a dialect.
enum SchemaMisfit: Error, Sendable, Hashable {
    /// A value of any type is allowed: `{}`, `true`, or a list without a description of its elements.
    case anything
    /// An object may have members whose names the schema does not list.
    case openObject
    /// The elements of a list differ by their place.
    case tuple
    /// A required value can have no value, or several parts of the schema contradict each other.
    case contradiction
    /// A fixed value is an object or a list.
    case compoundChoice
    /// Parts that apply to the same value constrain it by the same keyword in different ways.
    case conflict(keyword: String)
    /// A reference leads out of the schema, to nothing, or only to itself.
    case reference
    /// A definition refers to itself.
    case recursion
    /// The root is not an object.
    case root
    /// A keyword has a value of the wrong type.
    case malformed(keyword: String)
    /// The schema is larger, or nests deeper, than the service or the fitter accepts.
    case tooLarge
}
