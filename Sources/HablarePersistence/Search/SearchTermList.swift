/// The words and phrases of an FTS5 expression, without repetitions and within limits.
struct SearchTermList {
    private let mostTerms: Int
    private let longestWord: Int
    private let longestTerms: Int
    private var known: Set<String> = []
    private var length = 0
    /// The words and phrases in FTS5's syntax.
    private(set) var expressions: [String] = []

    init(mostTerms: Int, longestWord: Int, longestTerms: Int) {
        self.mostTerms = mostTerms
        self.longestWord = longestWord
        self.longestTerms = longestTerms
    }

    /// Adds a word or a phrase.
    ///
    /// - Parameter isPrefix: Whether the last word may be the beginning of a longer word.
    mutating func add(_ term: ArraySlice<Unicode.Scalar>, isPrefix: Bool) {
        guard expressions.count < mostTerms else { return }
        let (part, cut) = shortened(term)
        guard !part.isEmpty else { return }
        let expression = Self.quoted(part) + (cut == .ofWord || cut == .none && isPrefix ? " *" : "")
        guard known.insert(expression).inserted else { return }
        expressions.append(expression)
        length += part.count
    }

    /// The kind of place at which a term was cut off.
    private enum Cut {
        case none, words
        /// Inside a word.
        case ofWord
    }

    /// Returns the part of a term that the search uses. It consists of whole words, except that its last word may be
    /// cut off.
    private func shortened(_ term: ArraySlice<Unicode.Scalar>) -> (part: ArraySlice<Unicode.Scalar>, cut: Cut) {
        var end = term.startIndex
        for word in term.split(whereSeparator: \.properties.isWhitespace) {
            let room = longestTerms - length - (word.startIndex - term.startIndex)
            if word.count > min(room, longestWord) {
                // A shorter beginning would find too much.
                guard room >= longestWord else { return (term[..<end], .words) }
                return (term[..<(word.startIndex + longestWord)], .ofWord)
            }
            end = word.endIndex
        }
        return (term[..<end], .none)
    }

    private static func quoted(_ text: ArraySlice<Unicode.Scalar>) -> String {
        var quoted = String.UnicodeScalarView(["\""])
        for scalar in text { quoted.append(contentsOf: scalar == "\"" ? ["\"", "\""] : [scalar]) }
        quoted.append("\"")
        return String(quoted)
    }
}
