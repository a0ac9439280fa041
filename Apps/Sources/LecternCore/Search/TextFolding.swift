import Foundation

/// Folds words for searching, so that `Λόγος` finds `λογος` and pointed Hebrew is found without its points.
///
/// A word is a run of letters and digits. Folding decomposes it (NFD), drops accents, points and cantillation marks,
/// lowers its case, and unites the final sigma with the other one. Vowel signs of Indic scripts stay, because they are
/// letters and no accents. Texts without spaces, such as Chinese, have a word for each character. Texts and queries must
/// be folded in the same way. A change of these rules needs a migration that indexes all texts again.
public enum TextFolding {
    /// The most Unicode scalars of a word that count: 64. Longer words are cut.
    public static let longestWord = 64

    /// A word of a text.
    public struct Word: Hashable, Sendable {
        /// The folded word.
        public let folded: String
        /// The place of the word in the text, in UTF-16 offsets.
        public let range: Range<Int>
    }

    /// Returns the words of a text, in order.
    public static func words(of text: String) -> [Word] {
        var words: [Word] = []
        forEachWord(in: text) { words.append(Word(folded: $0, range: $1)) }
        return words
    }

    /// Returns the folded words of a text with spaces between them, for a column that is indexed.
    public static func fold(_ text: String) -> String {
        var folded = ""
        folded.reserveCapacity(text.utf8.count)
        forEachWord(in: text) { word, _ in
            if !folded.isEmpty { folded.append(" ") }
            folded.append(word)
        }
        return folded
    }

    /// Calls a closure with each word of a text and its place in UTF-16 offsets.
    static func forEachWord(in text: String, _ body: (_ folded: String, _ range: Range<Int>) -> Void) {
        var text = text
        text.withUTF8 { bytes in
            var scanner = WordScanner(bytes)
            while let word = scanner.next() { body(word.folded, word.range) }
        }
    }

    /// Folds one word that is not plain ASCII.
    static func foldWord(_ word: String) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in word.decomposedStringWithCanonicalMapping.unicodeScalars.prefix(4 * longestWord) {
            switch scalar {
            case "ς": folded.append("σ")
            case "ß", "ẞ": folded.append(contentsOf: ["s", "s"])
            case _ where WordScanner.isDropped(scalar): break
            default: folded.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
            }
        }
        // Lowering may add a mark, such as for the dotted capital I.
        folded.removeAll(where: WordScanner.isDropped)
        let composed = String(folded).precomposedStringWithCanonicalMapping
        return String(String.UnicodeScalarView(composed.unicodeScalars.prefix(longestWord)))
    }
}
