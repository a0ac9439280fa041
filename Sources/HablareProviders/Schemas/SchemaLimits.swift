import Hablare
import HablareJSON

/// The maximum sizes of a schema that a service accepts. A property is `nil` if the service sets no limit.
struct SchemaLimits: Sendable, Hashable {
    /// The maximum number of members, in all objects together.
    let members: Int?
    /// The maximum nesting depth of objects.
    let levels: Int?
    /// The maximum number of characters in all names of members, all names of definitions and all fixed values together.
    /// A fixed value is a value of `enum` or `const`.
    let nameCharacters: Int?
    /// The maximum number of values in all `enum` lists together.
    let choices: Int?
    /// The maximum number of values in an `enum` whose values may have any length. If an `enum` has more values,
    /// ``charactersOfLongChoices`` limits their length.
    let longChoices: Int?
    /// The maximum number of characters in all values of an `enum` together. The limit applies only to an `enum` with
    /// more than ``longChoices`` values.
    let charactersOfLongChoices: Int?
    /// The maximum number of members that are not required.
    let optionalMembers: Int?
    /// The maximum number of values that have alternatives.
    let unions: Int?

    /// Checks a rewritten schema.
    ///
    /// - Throws: ``SchemaMisfit/tooLarge`` if the schema exceeds a limit.
    func check(_ schema: [String: ParameterValue]) throws(SchemaMisfit) {
        var count = Count()
        try check(schema, level: 0, &count)
        guard count.members <= members ?? .max, count.nameCharacters <= nameCharacters ?? .max,
            count.choices <= choices ?? .max, count.optionalMembers <= optionalMembers ?? .max,
            count.unions <= unions ?? .max
        else { throw .tooLarge }
    }

    private struct Count {
        var members = 0
        var nameCharacters = 0
        var choices = 0
        var optionalMembers = 0
        var unions = 0
    }

    private func check(
        _ schema: [String: ParameterValue], level: Int, _ count: inout Count
    ) throws(SchemaMisfit) {
        var level = level
        if case .object(let definitions)? = schema["$defs"] {
            for (name, definition) in definitions {
                count.nameCharacters += name.unicodeScalars.count
                if case .object(let definition) = definition { try check(definition, level: 0, &count) }
            }
        }
        if case .object(let properties)? = schema["properties"] {
            level += 1
            guard level <= levels ?? .max else { throw .tooLarge }
            count.members += properties.count
            count.optionalMembers += properties.count - (schema["required"]?.elements.count ?? 0)
            for (name, property) in properties {
                count.nameCharacters += name.unicodeScalars.count
                if case .object(let property) = property { try check(property, level: level, &count) }
            }
        }
        if case .object(let elements)? = schema["items"] { try check(elements, level: level, &count) }
        try check(choices: schema, &count)
        if case .array? = schema["type"] { count.unions += 1 }
        guard let alternatives = schema["anyOf"]?.elements, !alternatives.isEmpty else { return }
        count.unions += 1
        for case .object(let alternative) in alternatives { try check(alternative, level: level, &count) }
    }

    private func check(choices schema: [String: ParameterValue], _ count: inout Count) throws(SchemaMisfit) {
        if let value = schema["const"]?.string { count.nameCharacters += value.unicodeScalars.count }
        guard let values = schema["enum"]?.elements else { return }
        let characters = values.reduce(0) { $0 + ($1.string?.unicodeScalars.count ?? 0) }
        count.choices += values.count
        count.nameCharacters += characters
        if let longChoices, values.count > longChoices, characters > charactersOfLongChoices ?? .max {
            throw .tooLarge
        }
    }
}
