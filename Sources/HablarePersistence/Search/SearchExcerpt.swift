/// The text around the words that a search found, in pieces.
public struct SearchExcerpt: Sendable, Hashable {
    /// A piece of the text.
    public struct Piece: Sendable, Hashable {
        /// The text of the piece.
        public let text: String
        /// Whether the piece matches the search.
        public let isMatch: Bool
    }

    /// The pieces, in order.
    public let pieces: [Piece]

    /// The whole text of the excerpt.
    public var text: String { pieces.map(\.text).joined() }

    /// The marks around a match. Normal text does not contain these characters.
    static let start: Character = "\u{2}"
    static let end: Character = "\u{3}"

    /// Creates an excerpt from a text that has marks around its matches.
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
