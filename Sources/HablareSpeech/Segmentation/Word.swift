/// A sequence of characters that ends at white space or after full-width punctuation, and the white space after it.
struct Word {
    /// The largest unit of text that ends with a word.
    enum Close {
        case word
        case clause
        case sentence
    }

    /// The white space after a word.
    enum Gap: Int, Comparable {
        /// No white space. The text continues after full-width punctuation.
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

    /// The byte offset of the word's end.
    var end: Int
    /// The byte offset of the next word. For the last word, the end of the text.
    var next: Int
    /// The length in Unicode scalars.
    var length: Int
    /// Whether the word contains a letter or a digit.
    var speaks: Bool
    var gap: Gap
    var close: Close
}
