/// Finds the places of terms in the text of a verse, so that a page can mark them.
struct MatchFinder {
    let terms: [SearchTerm]

    /// Returns the places in UTF-16 offsets, in ascending order. A phrase is one place.
    func matches(in text: String) -> [Range<Int>] {
        let words = TextFolding.words(of: text)
        var matches: [Range<Int>] = []
        var index = 0
        while index < words.count {
            let length = terms.lazy.filter { Self.isMatch($0, words[index...]) }.map(\.words.count).max()
            guard let length else {
                index += 1
                continue
            }
            matches.append(words[index].range.lowerBound..<words[index + length - 1].range.upperBound)
            index += length
        }
        return matches
    }

    private static func isMatch(_ term: SearchTerm, _ words: ArraySlice<TextFolding.Word>) -> Bool {
        guard words.count >= term.words.count else { return false }
        return zip(term.words.indices, words).allSatisfy { index, word in
            let wanted = term.words[index]
            if word.folded == wanted { return true }
            return term.isPrefix && index == term.words.count - 1 && word.folded.hasPrefix(wanted)
        }
    }
}
