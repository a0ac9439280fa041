/// What stands between white space, or ends with full-width punctuation, and what follows it.
struct Word {
    /// What the end of a word ends as well.
    enum Close {
        case word
        case clause
        case sentence
    }

    /// The white space after a word.
    enum Gap: Int, Comparable {
        /// None: the text goes on after full-width punctuation.
        case none
        case space
        /// One line end.
        case line
        /// A blank line, a paragraph separator, or the end of the text.
        case paragraph

        static func < (left: Gap, right: Gap) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// Where the word ends, as a byte offset.
    var end: Int
    /// Where the next one begins; the end of the text after the last.
    var next: Int
    /// The number of Unicode scalars.
    var length: Int
    /// Whether there is a letter or a digit in it.
    var speaks: Bool
    var gap: Gap
    var close: Close
}
