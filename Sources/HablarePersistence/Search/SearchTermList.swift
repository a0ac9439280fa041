/// The words and phrases of an FTS5 expression, each once, and no more of them than may be.
struct SearchTermList {
    private let mostTerms: Int
    private let longestWord: Int
    private let longestTerms: Int
    private var known: Set<String> = []
    private var length = 0
    /// The words and phrases as FTS5 has them.
    private(set) var expressions: [String] = []

    init(mostTerms: Int, longestWord: Int, longestTerms: Int) {
        self.mostTerms = mostTerms
        self.longestWord = longestWord
        self.longestTerms = longestTerms
    }

    /// Adds a word, or words that stand together.
    ///
    /// - Parameter goesOn: Whether its last word may be the beginning of a longer one.
    mutating func add(_ term: ArraySlice<Unicode.Scalar>, goesOn: Bool) {
        guard expressions.count < mostTerms else { return }
        let (part, rest) = shortened(term)
        guard !part.isEmpty else { return }
        let expression = Self.quoted(part) + (rest == .ofWord || rest == .none && goesOn ? " *" : "")
        guard known.insert(expression).inserted else { return }
        expressions.append(expression)
        length += part.count
    }

    /// What is left out of a term.
    private enum Rest {
        case none, words
        /// The end of a word.
        case ofWord
    }

    /// As much of a term as may be searched for: whole words, the last of which may be the beginning of a longer one.
    private func shortened(_ term: ArraySlice<Unicode.Scalar>) -> (part: ArraySlice<Unicode.Scalar>, rest: Rest) {
        var end = term.startIndex
        for word in term.split(whereSeparator: \.properties.isWhitespace) {
            let room = longestTerms - length - (word.startIndex - term.startIndex)
            if word.count > min(room, longestWord) {
                // A beginning that is shorter than that would find too much.
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
