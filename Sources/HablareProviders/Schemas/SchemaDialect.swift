import Hablare
import HablareJSON

/// The part of JSON Schema that a service enforces. ``fit(_:)`` rewrites a schema so that it uses only this part, or
/// returns the reason why this is impossible.
///
/// The rules follow the official SDKs and the services' documentation:
/// - OpenAI: `openai` 3.57.0, `lib/_pydantic.py`, and
///   https://platform.openai.com/docs/guides/structured-outputs#supported-schemas;
/// - Anthropic: `anthropic` 2.14.0, `lib/_parse/_transform.py`, and
///   https://platform.claude.com/docs/en/build-with-claude/structured-outputs.
///
/// Every answer to a rewritten schema has the shape that the original schema describes. But the answer may violate a
/// keyword that the service does not enforce, and it has null for each optional member that was made required.
/// Therefore the caller checks the answer against its own `JSONSchema` at the end.
struct SchemaDialect: Sendable, Hashable {
    /// Whether every member of an object must be required. If `true`, optional members become nullable.
    let requiresEveryMember: Bool
    /// Whether the root must be an object.
    let needsObject: Bool
    /// Whether a list must describe its elements.
    let needsElements: Bool
    /// Whether a definition may refer to itself.
    let allowsRecursion: Bool
    /// Whether a type may be a list of a scalar type and `null`. If `false`, several types become alternatives.
    let listsNull: Bool
    /// Whether fixed values (`enum`, `const`) keep their type.
    let typesChoices: Bool
    /// The values of `format` that the service enforces.
    let formats: Set<String>
    /// The constraints that the service enforces, in addition to `format`.
    let constraints: Set<String>
    /// The largest `minItems` that the service enforces; `nil` if there is no limit.
    let largestLeastCount: Int64?
    /// The maximum sizes that the service accepts.
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

    /// Rewrites a schema. The time grows with the size of the schema. References can make the result much larger than
    /// the schema, so ``SchemaFitter/mostVisits`` limits the time.
    ///
    /// - Returns: The rewritten schema, or the first reason why the service cannot enforce one.
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

/// The reason why a schema cannot be rewritten for a service.
enum SchemaMisfit: Error, Sendable, Hashable {
    /// The schema allows a value of any type: `{}`, `true`, or a list without a description of its elements.
    case anything
    /// The schema allows an object with members whose names it does not list.
    case openObject
    /// The elements of a list have different schemas, depending on their position.
    case tuple
    /// No value can satisfy the schema: a required part allows no value, or several parts contradict each other.
    case contradiction
    /// A fixed value is an object or a list.
    case compoundChoice
    /// Several parts of the schema apply to the same value, and constrain it with the same keyword in different ways.
    case conflict(keyword: String)
    /// A reference points to a place outside the schema, to a place that does not exist, or only to itself.
    case reference
    /// A definition refers to itself.
    case recursion
    /// The root is not an object.
    case root
    /// A keyword has a value of the wrong type.
    case malformed(keyword: String)
    /// The schema is larger, or nested more deeply, than the service or the fitter accepts.
    case tooLarge
}
