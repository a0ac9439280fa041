import Hablare

/// The keywords that a schema may have.
enum SchemaKeyword {
    private static let rules: Set<String> = [
        "type", "enum", "const", "properties", "required", "additionalProperties", "minProperties", "maxProperties",
        "items", "prefixItems", "minItems", "maxItems", "uniqueItems", "minimum", "maximum", "exclusiveMinimum",
        "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format", "anyOf", "oneOf", "allOf",
        "not", "$ref",
    ]
    /// The keywords that do not constrain the value.
    private static let annotations: Set<String> = [
        "title", "description", "default", "example", "examples", "deprecated", "readOnly", "writeOnly", "$comment",
        "contentEncoding", "contentMediaType", "contentSchema",
    ]
    /// The keywords that are allowed only at the root.
    private static let ofRoot: Set<String> = ["$schema", "$id", "$defs", "definitions"]

    static func isKnown(_ name: String, atRoot: Bool) -> Bool {
        rules.contains(name) || annotations.contains(name) || name.hasPrefix("x-") || (atRoot && ofRoot.contains(name))
    }

    /// Returns advice for a keyword that is often used but not supported.
    static func hint(for name: String) -> String? {
        switch name {
        case "$schema", "$id", "$defs", "definitions": "is supported only at the root of the schema"
        case "nullable": "is not supported: add null to the type"
        case "additionalItems": "is not supported: use items for the elements after prefixItems"
        default: nil
        }
    }
}
