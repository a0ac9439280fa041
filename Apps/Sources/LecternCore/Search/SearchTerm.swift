/// A word or a phrase to search for, folded.
struct SearchTerm: Hashable, Sendable {
    /// The words, which must be adjacent.
    let words: [String]
    /// Whether the last word may be the beginning of a word.
    let isPrefix: Bool
}

extension SearchQuery {
    /// The most characters of a typed text that are read.
    private static let longestText = 4_096

    /// The terms: within the limits, and each once.
    var terms: [SearchTerm] {
        var terms: [SearchTerm] = []
        var room = Self.mostWords
        func add(_ text: Substring, isLast: Bool) {
            let words = TextFolding.words(of: String(text)).map(\.folded).prefix(room)
            guard !words.isEmpty, terms.count < Self.mostTerms else { return }
            let term = SearchTerm(words: Array(words), isPrefix: text.last == "*" || isLast && completesLastWord)
            guard !terms.contains(term) else { return }
            room -= words.count
            terms.append(term)
        }
        let text = typed.prefix(Self.longestText)
        if matching == .phrase {
            add(text[...].trimmed, isLast: true)
            return terms
        }
        let pieces = text.split(separator: "\"", omittingEmptySubsequences: false)
        for (index, piece) in pieces.enumerated() {
            let isQuoted = !index.isMultiple(of: 2) && index < pieces.count - 1
            let parts = isQuoted ? [piece.trimmed] : piece.split(whereSeparator: \.isWhitespace)
            for (number, part) in parts.enumerated() {
                add(part, isLast: index == pieces.count - 1 && number == parts.count - 1)
            }
        }
        return terms
    }
}

extension Substring {
    /// The text without white space and quotes around it.
    fileprivate var trimmed: Substring {
        var text = self
        while let last = text.last, last.isWhitespace || last == "\"" { text.removeLast() }
        return text.drop { $0.isWhitespace || $0 == "\"" }
    }
}
