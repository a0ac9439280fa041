/// A general category of Unicode, or a group of categories. Patterns use its name.
struct ScalarProperty: Sendable, Hashable {
    private let categories: [Unicode.GeneralCategory]

    /// Creates the property for a short or long name, such as `Lu`, `Uppercase_Letter` or `L`. The name may have the
    /// prefix `gc=`.
    init?(name: String) {
        let parts = name.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.count == 2 && ["gc", "General_Category"].contains(parts[0]),
            let last = parts.last.map(String.init)
        else { return nil }
        let short = Self.groups[last] ?? last
        let found =
            if short == "LC" {
                Self.all.filter { ["Lu", "Ll", "Lt"].contains($0.short) }
            } else if short.count == 1 {
                Self.all.filter { $0.short.hasPrefix(short) }
            } else {
                Self.all.filter { $0.short == short || $0.long == short }
            }
        guard !found.isEmpty else { return nil }
        categories = found.map(\.category)
    }

    func holds(for scalar: Unicode.Scalar) -> Bool { categories.contains(scalar.properties.generalCategory) }

    /// The long names of groups, and other names that Unicode defines for some categories.
    private static let groups = [
        "Other": "C", "Letter": "L", "Cased_Letter": "LC", "Mark": "M", "Combining_Mark": "M", "Number": "N",
        "Punctuation": "P", "punct": "P", "Symbol": "S", "Separator": "Z", "cntrl": "Cc", "digit": "Nd",
    ]

    private static let all: [(short: String, long: String, category: Unicode.GeneralCategory)] = [
        ("Cc", "Control", .control), ("Cf", "Format", .format), ("Cn", "Unassigned", .unassigned),
        ("Co", "Private_Use", .privateUse), ("Cs", "Surrogate", .surrogate),
        ("Ll", "Lowercase_Letter", .lowercaseLetter), ("Lm", "Modifier_Letter", .modifierLetter),
        ("Lo", "Other_Letter", .otherLetter), ("Lt", "Titlecase_Letter", .titlecaseLetter),
        ("Lu", "Uppercase_Letter", .uppercaseLetter), ("Mc", "Spacing_Mark", .spacingMark),
        ("Me", "Enclosing_Mark", .enclosingMark), ("Mn", "Nonspacing_Mark", .nonspacingMark),
        ("Nd", "Decimal_Number", .decimalNumber), ("Nl", "Letter_Number", .letterNumber),
        ("No", "Other_Number", .otherNumber), ("Pc", "Connector_Punctuation", .connectorPunctuation),
        ("Pd", "Dash_Punctuation", .dashPunctuation), ("Pe", "Close_Punctuation", .closePunctuation),
        ("Pf", "Final_Punctuation", .finalPunctuation), ("Pi", "Initial_Punctuation", .initialPunctuation),
        ("Po", "Other_Punctuation", .otherPunctuation), ("Ps", "Open_Punctuation", .openPunctuation),
        ("Sc", "Currency_Symbol", .currencySymbol), ("Sk", "Modifier_Symbol", .modifierSymbol),
        ("Sm", "Math_Symbol", .mathSymbol), ("So", "Other_Symbol", .otherSymbol),
        ("Zl", "Line_Separator", .lineSeparator), ("Zp", "Paragraph_Separator", .paragraphSeparator),
        ("Zs", "Space_Separator", .spaceSeparator),
    ]
}
