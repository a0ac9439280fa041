import Foundation
import GRDB

/// Finds the verses of a text by their words.
///
/// SQLite's full-text search is not used for texts, because the totals by book of frequent words would take too long
/// (see the decision record on searching texts).
struct WordIndex {
    /// The occurrences of a word in one segment of the text.
    private struct Entry {
        let word: String
        let verses: Data
        let positions: Data
    }

    let text: StoredText
    let db: Database

    // MARK: Sets

    /// Returns the verses with a term.
    func verses(with term: SearchTerm) throws -> VerseSet {
        var set = VerseSet(capacity: text.verseCount)
        if term.words.count == 1, let word = term.words.first {
            for entry in try entries(of: word, isPrefix: term.isPrefix, withPositions: false) {
                try PostingList.forEachVerse(entry.verses) { set.insert($0) }
            }
            return set
        }
        try forEachOccurrence(of: term) { verse in set.insert(verse) }
        return set
    }

    /// Calls a closure with the verse of each occurrence of a term. The occurrences of one verse follow each other,
    /// unless the term is the beginning of a word: then they do for each such word.
    func forEachOccurrence(of term: SearchTerm, _ body: (Int) -> Void) throws {
        guard let last = term.words.last else { return }
        guard term.words.count > 1 else {
            for entry in try entries(of: last, isPrefix: term.isPrefix) {
                try PostingList.forEachOccurrence(verses: entry.verses, positions: entry.positions) { verse, _ in
                    body(verse)
                }
            }
            return
        }
        var common = VerseSet(capacity: text.verseCount)
        common.insert(0..<text.verseCount)
        for (index, word) in term.words.enumerated() {
            common.formIntersection(
                try verses(with: SearchTerm(words: [word], isPrefix: term.isPrefix && index == term.words.count - 1)))
        }
        guard !common.isEmpty else { return }
        // The ends of the phrase so far: verse and position in one number, in ascending order.
        var ends: [Int] = []
        for (index, word) in term.words.enumerated() {
            let isLast = index == term.words.count - 1
            let places = try places(of: word, isPrefix: term.isPrefix && isLast, among: common)
            ends = index == 0 ? places : Self.following(ends, among: places)
        }
        for end in ends { body(end >> Self.positionBits) }
    }

    private static let positionBits = 24

    /// Returns the places of a word in some verses, in ascending order.
    private func places(of word: String, isPrefix: Bool, among verses: VerseSet) throws -> [Int] {
        var places: [Int] = []
        let entries = try entries(of: word, isPrefix: isPrefix)
        for entry in entries {
            try PostingList.forEachOccurrence(verses: entry.verses, positions: entry.positions) { verse, position in
                guard verses.contains(verse), position < 1 << Self.positionBits else { return }
                places.append(verse << Self.positionBits | position)
            }
        }
        if isPrefix { places.sort() }
        return places
    }

    /// Returns the places that directly follow one of some ends. Both are in ascending order.
    private static func following(_ ends: [Int], among places: [Int]) -> [Int] {
        var found: [Int] = []
        var index = 0
        for place in places {
            while index < ends.count, ends[index] + 1 < place { index += 1 }
            if index < ends.count, ends[index] + 1 == place { found.append(place) }
        }
        return found
    }

    // MARK: Rows

    private func entries(of word: String, isPrefix: Bool, withPositions: Bool = true) throws -> [Entry] {
        let columns = withPositions ? "word, verses, positions" : "word, verses"
        let rows: RowCursor
        if isPrefix {
            // Between the prefix and the first word that cannot have it: U+10FFFF is no letter.
            rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT \(columns) FROM word WHERE text = ? AND word >= ? AND word < ?
                        ORDER BY word, segment
                        """), arguments: [text.version.rawValue, word, word + "\u{10FFFF}"])
        } else {
            rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: "SELECT \(columns) FROM word WHERE text = ? AND word = ? ORDER BY segment"),
                arguments: [text.version.rawValue, word])
        }
        return try Array(
            rows.map { Entry(word: $0[0], verses: $0[1], positions: withPositions ? $0[2] : Data()) })
    }

    /// Returns the words that begin with a prefix, the most frequent first.
    func words(beginningWith prefix: String, limit: Int) throws -> [WordSuggestion] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT word, sum(occurrences) AS frequency FROM word WHERE text = ? AND word >= ? AND word < ?
                GROUP BY word ORDER BY frequency DESC, word LIMIT ?
                """)
        return try Array(
            Row.fetchCursor(
                statement, arguments: [text.version.rawValue, prefix, prefix + "\u{10FFFF}", limit]
            ).map { WordSuggestion(word: $0[0], occurrences: $0[1]) })
    }
}

/// A word of a text that begins as a person has typed.
public struct WordSuggestion: Hashable, Sendable, Codable {
    /// The word, folded.
    public let word: String
    /// How often the text has it.
    public let occurrences: Int
}
