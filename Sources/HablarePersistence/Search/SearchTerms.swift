/// The terms of a search, created from a text that a user typed. Any text is valid: quotes, operators and marks are
/// never interpreted as FTS5's syntax.
public struct SearchTerms: Sendable, Hashable {
    /// The kind of match that a search requires.
    public enum Matching: Sendable, Hashable {
        /// Rows that have all of the words, in any order. Words between double quotes must be adjacent.
        case all
        /// Rows that have any of the words. Rows with more of the words rank better. Words between double quotes must
        /// be adjacent.
        case any
        /// Rows in which all of the words are adjacent and in this order.
        case phrase
    }

    /// The FTS5 expression.
    let expression: String

    /// The maximum number of words and quoted phrases to search for: 16. Further words and phrases are left out.
    public static let mostTerms = 16
    /// The maximum number of Unicode scalars in a word: 64. If a word is longer, the search uses its beginning.
    public static let longestWord = 64
    /// The maximum number of Unicode scalars in all words and phrases together: 512. Further words are left out.
    public static let longestTerms = 512
    /// The maximum number of Unicode scalars of a text that are read: 16,384.
    public static let longestText = 16_384

    /// Creates terms from a text that a user typed.
    ///
    /// FTS5 takes too long for many words or very long words. Therefore the search uses only a part of a long text,
    /// within the limits ``mostTerms``, ``longestWord``, ``longestTerms`` and ``longestText``. If a word is repeated,
    /// it is searched for once.
    ///
    /// - Parameters:
    ///   - text: The text. The result is `nil` if the text has no words.
    ///   - matching: The rows to find. Default: ``Matching/all``.
    ///   - completesLastWord: Whether the last word may be only the beginning of a word. Use it for a search while the
    ///     user types. Default: `false`.
    public init?(_ text: String, matching: Matching = .all, completesLastWord: Bool = false) {
        // Works on scalars: a quote with a combining mark is a character of its own, but a quote to FTS5. FTS5 reads to
        // the first zero.
        let scalars = text.unicodeScalars.prefix(Self.longestText).map { $0 == "\0" ? " " : $0 }[...]
        let isCut = scalars.count < text.unicodeScalars.count
        var parts = matching == .phrase ? [scalars] : Self.parts(of: scalars)
        parts = parts.filter { $0.contains(where: Self.isOfWord) }
        var terms = SearchTermList(
            mostTerms: Self.mostTerms, longestWord: Self.longestWord, longestTerms: Self.longestTerms)
        for (index, part) in parts.enumerated() {
            terms.add(part, isPrefix: (completesLastWord || isCut) && index == parts.count - 1)
        }
        guard !terms.expressions.isEmpty else { return nil }
        // Joined by spaces and not by AND: most tokenizers find no word in a dash or a smiley. `AND` with no word finds
        // nothing, but between spaces such a term is ignored.
        expression = terms.expressions.joined(separator: matching == .any ? " OR " : " ")
    }

    /// Returns the words, and the phrases between double quotes. A quote that is never closed begins a word.
    private static func parts(of text: ArraySlice<Unicode.Scalar>) -> [ArraySlice<Unicode.Scalar>] {
        let pieces = text.split(separator: "\"", omittingEmptySubsequences: false)
        return pieces.enumerated().flatMap { index, piece in
            let isQuoted = !index.isMultiple(of: 2) && index < pieces.count - 1
            return isQuoted ? [piece] : piece.split(whereSeparator: \.properties.isWhitespace)
        }
    }

    /// Returns whether a scalar may be a part of a word. Tokenizers may also accept other scalars.
    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || !scalar.isASCII
    }
}
