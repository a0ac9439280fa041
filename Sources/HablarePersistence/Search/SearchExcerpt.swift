/// Where the words were found: some of the text around them, in pieces.
public struct SearchExcerpt: Sendable, Hashable {
    /// A run of the text.
    public struct Piece: Sendable, Hashable {
        /// The text.
        public let text: String
        /// Whether it is what was searched for.
        public let isMatch: Bool
    }

    /// The runs one after another.
    public let pieces: [Piece]

    /// All of the text.
    public var text: String { pieces.map(\.text).joined() }

    /// Marks that no text has a use for.
    static let start: Character = "\u{2}"
    static let end: Character = "\u{3}"

    /// Takes a text apart in which what was found is marked.
    init(marked: String) {
        var pieces: [Piece] = []
        var isMatch = false
        var text = ""
        func finish() {
            if !text.isEmpty { pieces.append(Piece(text: text, isMatch: isMatch)) }
            text = ""
        }
        for scalar in marked.unicodeScalars {
            switch Character(scalar) {
            case Self.start:
                finish()
                isMatch = true
            case Self.end:
                finish()
                isMatch = false
            default: text.unicodeScalars.append(scalar)
            }
        }
        finish()
        self.pieces = pieces
    }
}
