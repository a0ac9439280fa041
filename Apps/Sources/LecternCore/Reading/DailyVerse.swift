import GRDB
import LecternTexts

/// The verse of a day: one of a list of well-known verses, in an order that looks random and repeats after all were
/// shown.
struct DailyVerse {
    /// The number of the day. Any number.
    let day: Int

    /// The verses. A text may lack some of them.
    static let verses: [VerseID] = [
        ("Gen", 1, 1), ("Exod", 14, 14), ("Num", 6, 24), ("Deut", 6, 5), ("Deut", 31, 6), ("Josh", 1, 9),
        ("1Sam", 16, 7), ("2Chr", 7, 14), ("Neh", 8, 10), ("Job", 19, 25), ("Ps", 1, 1), ("Ps", 8, 4), ("Ps", 16, 11),
        ("Ps", 18, 2), ("Ps", 19, 1), ("Ps", 19, 14), ("Ps", 23, 1), ("Ps", 23, 4), ("Ps", 27, 1), ("Ps", 27, 14),
        ("Ps", 34, 8), ("Ps", 34, 18), ("Ps", 37, 4), ("Ps", 46, 1), ("Ps", 46, 10), ("Ps", 51, 10), ("Ps", 55, 22),
        ("Ps", 62, 1), ("Ps", 90, 12), ("Ps", 91, 1), ("Ps", 100, 5), ("Ps", 103, 12), ("Ps", 118, 24),
        ("Ps", 119, 105), ("Ps", 121, 1), ("Ps", 130, 5), ("Ps", 133, 1), ("Ps", 139, 14), ("Ps", 145, 18),
        ("Prov", 3, 5), ("Prov", 4, 23), ("Prov", 15, 1), ("Prov", 16, 3), ("Prov", 17, 17), ("Prov", 18, 10),
        ("Eccl", 3, 1), ("Song", 8, 7), ("Isa", 9, 6), ("Isa", 26, 3), ("Isa", 40, 31), ("Isa", 41, 10), ("Isa", 43, 2),
        ("Isa", 53, 5), ("Isa", 55, 8), ("Jer", 29, 11), ("Jer", 31, 3), ("Lam", 3, 22), ("Ezek", 36, 26),
        ("Mic", 6, 8), ("Hab", 3, 19), ("Zeph", 3, 17), ("Matt", 5, 9), ("Matt", 5, 16), ("Matt", 6, 21),
        ("Matt", 6, 33), ("Matt", 7, 7), ("Matt", 11, 28), ("Matt", 22, 37), ("Matt", 28, 20), ("Mark", 10, 45),
        ("Luke", 1, 37), ("Luke", 6, 31), ("John", 1, 1), ("John", 1, 14), ("John", 3, 16), ("John", 8, 12),
        ("John", 10, 11), ("John", 11, 25), ("John", 13, 34), ("John", 14, 6), ("John", 14, 27), ("John", 15, 5),
        ("John", 16, 33), ("Acts", 1, 8), ("Rom", 5, 8), ("Rom", 8, 1), ("Rom", 8, 28), ("Rom", 8, 38), ("Rom", 12, 2),
        ("Rom", 12, 12), ("Rom", 15, 13), ("1Cor", 10, 13), ("1Cor", 13, 4), ("1Cor", 13, 13), ("1Cor", 16, 14),
        ("2Cor", 4, 18), ("2Cor", 5, 7), ("2Cor", 5, 17), ("2Cor", 12, 9), ("Gal", 2, 20), ("Gal", 5, 22),
        ("Eph", 2, 8), ("Eph", 3, 20), ("Eph", 4, 32), ("Phil", 4, 4), ("Phil", 4, 6), ("Phil", 4, 8), ("Phil", 4, 13),
        ("Col", 3, 23), ("1Thess", 5, 16), ("2Tim", 1, 7), ("Titus", 2, 11), ("Heb", 11, 1), ("Heb", 12, 1),
        ("Heb", 13, 8), ("Jas", 1, 5), ("Jas", 1, 17), ("1Pet", 5, 7), ("2Pet", 3, 9), ("1John", 1, 9),
        ("1John", 3, 1), ("1John", 4, 19), ("Jude", 1, 24), ("Rev", 3, 20), ("Rev", 21, 4),
    ].map { VerseID(BookID(rawValue: $0.0), $0.1, $0.2) }

    /// The place in the list. The stride has no common factor with a prime number of places, so that all come.
    private func place(among count: Int) -> Int {
        let day = ((day % count) + count) % count
        let stride = (1...count).first { $0 * 2 > count && Self.greatestCommonDivisor($0, count) == 1 } ?? 1
        return day * stride % count
    }

    private static func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
        other == 0 ? one : greatestCommonDivisor(other, one % other)
    }

    /// Returns the verse of the day in a text. If the text lacks it, the next one of the list that it has; if it has
    /// none of them, such as a book of one's own, any of its verses.
    func verse(of text: StoredText, in db: Database) throws -> StoredVerse {
        let store = TextStore()
        let first = place(among: Self.verses.count)
        for index in Self.verses.indices {
            let id = Self.verses[(first + index) % Self.verses.count]
            if let verse = try store.verse(id, of: text, in: db), !verse.verse.text.isEmpty { return verse }
        }
        let ordinal = place(among: max(1, text.verseCount))
        guard let verse = try store.verses(ordinal..<ordinal + 1, of: text, in: db).first else {
            throw ReadingError(.noVerse, "\(text.description.title) has no verse. Import the text again.")
        }
        return verse
    }
}
