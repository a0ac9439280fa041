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

    /// How many words and quoted phrases are searched for at most; further ones are left out. 16.
    public static let mostTerms = 16
    /// How many Unicode scalars of a word are searched for at most; a longer word is searched for by its beginning. 64.
    public static let longestWord = 64
    /// How many Unicode scalars all words and phrases have together at most; further words are left out. 512.
    public static let longestTerms = 512
    /// How many Unicode scalars of a text are looked at. 16,384.
    public static let longestText = 16_384

    /// Takes what a user typed.
    ///
    /// FTS5 takes longer than a person waits for many or very long words, so that only a part of a long text is searched for:
    /// a word that was typed twice is searched for once, and ``mostTerms``, ``longestWord``, ``longestTerms`` and
    /// ``longestText`` are kept.
    ///
    /// - Parameters:
    ///   - text: The words. `nil` is the result where there are none.
    ///   - matching: Which rows are found. Default: ``Matching/all``.
    ///   - completesLastWord: Whether the last word may go on, as while somebody types. Default: `false`.
    public init?(_ text: String, matching: Matching = .all, completesLastWord: Bool = false) {
        // By scalars, because a quote with a mark upon it is a character of its own, and to FTS5 a quote. FTS5 reads to
        // the first zero.
        let scalars = text.unicodeScalars.prefix(Self.longestText).map { $0 == "\0" ? " " : $0 }[...]
        let isCut = scalars.count < text.unicodeScalars.count
        var parts = matching == .phrase ? [scalars] : Self.parts(of: scalars)
        parts = parts.filter { $0.contains(where: Self.isOfWord) }
        var terms = SearchTermList(
            mostTerms: Self.mostTerms, longestWord: Self.longestWord, longestTerms: Self.longestTerms)
        for (index, part) in parts.enumerated() {
            terms.add(part, goesOn: (completesLastWord || isCut) && index == parts.count - 1)
        }
        guard !terms.expressions.isEmpty else { return nil }
        // Side by side and not by AND: a dash or a smiley is nothing to most tokenizers, and `AND` nothing finds nothing,
        // where what stands side by side is all that is something.
        expression = terms.expressions.joined(separator: matching == .any ? " OR " : " ")
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
}
