import Foundation
import HablareSpeech
public import LecternTexts

/// A chapter as it is read aloud: one segment for each verse that has something to speak.
public struct ChapterScript: Sendable, Hashable {
    /// A verse as it is spoken.
    public struct Segment: Sendable, Hashable {
        /// The number of the verse.
        public let verse: Int
        /// The number as it is shown, such as `16–17`.
        public let label: String
        /// The text to speak, in pieces that the provider accepts: more than one only for a very long verse.
        public let pieces: [String]
        /// The number of characters (Unicode scalars) to speak.
        public var characters: Int { pieces.reduce(0) { $0 + $1.unicodeScalars.count } }
    }

    /// The limit of a piece if the provider states none: 5,000 characters.
    public static let defaultLimit = 5_000

    /// The id of the text.
    public let text: String
    /// The chapter.
    public let chapter: ChapterID
    /// The segments, in the order of reading.
    public let segments: [Segment]

    /// Writes the script of a chapter.
    ///
    /// - Parameters:
    ///   - chapter: The chapter.
    ///   - text: The id of the text.
    ///   - speaksNumbers: Whether the number of each verse is spoken before it. Default: false.
    ///   - limit: The most characters that the provider accepts at once. Longer text is cut at the ends of sentences.
    public init(_ chapter: Chapter, of text: String, speaksNumbers: Bool = false, limit: Int = defaultLimit) {
        self.text = text
        self.chapter = chapter.id
        segments = chapter.verses.compactMap { verse in
            var spoken = Pronunciation.text(of: verse.text)
            guard Pronunciation.speaks(spoken) else { return nil }
            if speaksNumbers, verse.number > 0 { spoken = "\(Pronunciation.number(verse.label)). \(spoken)" }
            return Segment(verse: verse.number, label: verse.label, pieces: Self.cut(spoken, limit: max(1, limit)))
        }
    }

    /// The index of the segment that speaks a verse, or of the first one after it; `nil` if there is none.
    public func index(of verse: Int) -> Int? {
        segments.firstIndex { $0.verse == verse } ?? segments.firstIndex { $0.verse > verse }
    }

    /// The number of characters to speak.
    public var characters: Int { segments.reduce(0) { $0 + $1.characters } }

    private static func cut(_ text: String, limit: Int) -> [String] {
        guard text.unicodeScalars.count > limit else { return [text] }
        do {
            let source = try SourceText(decoding: Data(text.utf8))
            return try TextSegmenter(unit: .text, limit: limit).segments(of: source).map(\.text)
        } catch {
            // A word that is longer than the limit: cut it where the limit is.
            let scalars = Array(text.unicodeScalars)
            return stride(from: 0, to: scalars.count, by: limit).map { start in
                var piece = String.UnicodeScalarView()
                piece.append(contentsOf: scalars[start..<min(start + limit, scalars.count)])
                return String(piece)
            }
        }
    }
}

/// The text of a verse as a voice should read it.
enum Pronunciation {
    /// Removes what is for the eye only: paragraph signs, brackets around added words, joiners and direction marks.
    static func text(of text: String) -> String {
        var spoken = String.UnicodeScalarView()
        var isSpace = true
        for scalar in text.unicodeScalars {
            switch scalar {
            case "¶", "[", "]", "{", "}", "*", "†", "‡", "§": continue
            case _ where scalar.properties.isDefaultIgnorableCodePoint: continue
            case _ where scalar.properties.isWhitespace || scalar.properties.generalCategory == .control:
                if !isSpace { spoken.append(" ") }
                isSpace = true
            default:
                spoken.append(scalar)
                isSpace = false
            }
        }
        if isSpace, !spoken.isEmpty { spoken.removeLast() }
        return String(spoken)
    }

    /// Whether a text has a letter or a digit.
    static func speaks(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }

    /// Returns the label of a verse as it is read: `16, 17` for `16–17`.
    static func number(_ label: String) -> String {
        label.replacing("–", with: ", ").replacing("-", with: ", ")
    }
}
