/// The number of a verse as a source writes it, such as `16`, `16a` or `16-17`.
struct VerseNumber: Equatable {
    /// The first number.
    let first: Int
    /// The number as it is shown, such as `16–17`.
    let label: String

    /// Parses a number; `nil` if the text begins with none.
    init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard digits.count <= 4, let first = Int(digits), first > 0 else { return nil }
        self.first = first
        let shown = text.prefix(16).filter { !$0.isWhitespace && $0 != "\u{200F}" && $0 != "\u{200E}" }
        label = String(shown.map { $0 == "-" ? "–" : $0 })
    }
}
