/// What a user typed, as something to search for. Any text is fine: quotes, operators and marks are taken for what they
/// are, never for FTS5's syntax.
public struct SearchTerms: Sendable, Hashable {
    /// Which rows are found.
    public enum Matching: Sendable, Hashable {
        /// Those with all of the words, in any order. Words between double quotes stand together, as they do there.
        case all
        /// Those with any of the words, the more the better. Words between double quotes stand together, as they do there.
        case any
        /// Those with all of the words together, in this order.
        case phrase
    }

    /// What FTS5 is asked for.
    let expression: String

    /// Takes what a user typed.
    ///
    /// - Parameters:
    ///   - text: The words. `nil` is the result where there are none.
    ///   - matching: Which rows are found. Default: ``Matching/all``.
    ///   - completesLastWord: Whether the last word may go on, as while somebody types. Default: `false`.
    public init?(_ text: String, matching: Matching = .all, completesLastWord: Bool = false) {
        // By scalars, because a quote with a mark upon it is a character of its own, and to FTS5 a quote. FTS5 reads to
        // the first zero.
        let scalars = text.unicodeScalars.map { $0 == "\0" ? " " : $0 }[...]
        let parts = matching == .phrase ? [scalars] : Self.parts(of: scalars)
        var phrases = parts.filter { $0.contains(where: Self.isOfWord) }.map(Self.quoted)
        guard let last = phrases.popLast() else { return nil }
        phrases.append(completesLastWord ? last + " *" : last)
        // Side by side and not by AND: a dash or a smiley is nothing to most tokenizers, and `AND` nothing finds nothing,
        // where what stands side by side is all that is something.
        expression = phrases.joined(separator: matching == .any ? " OR " : " ")
    }

    /// Words, and what stands between double quotes. A quote that is never closed begins a word.
    private static func parts(of text: ArraySlice<Unicode.Scalar>) -> [ArraySlice<Unicode.Scalar>] {
        let pieces = text.split(separator: "\"", omittingEmptySubsequences: false)
        return pieces.enumerated().flatMap { index, piece in
            let isQuoted = !index.isMultiple(of: 2) && index < pieces.count - 1
            return isQuoted ? [piece] : piece.split(whereSeparator: \.properties.isWhitespace)
        }
    }

    /// Whether something is there for a tokenizer. What else it takes for part of a word is its own affair.
    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || !scalar.isASCII
    }

    private static func quoted(_ text: ArraySlice<Unicode.Scalar>) -> String {
        var quoted = String.UnicodeScalarView(["\""])
        for scalar in text { quoted.append(contentsOf: scalar == "\"" ? ["\"", "\""] : [scalar]) }
        quoted.append("\"")
        return String(quoted)
    }
}
