import Foundation
import GRDB
import HablarePersistence
import LecternCore
import LecternTexts

/// The same searches with SQLite's FTS5, in the same file and the same run, for the decision record on searching texts.
///
/// The index has no content and no sizes of columns, it has the prefixes of one to three letters, it is one segment, and
/// the number of a row is the ordinal of its verse: nothing in SQLite finds verses faster.
struct FullTextComparison {
    /// The kind of index.
    enum Detail: String, CaseIterable {
        /// With the positions of words, which phrases need.
        case full
        /// With the verses of words only. It finds no phrases, so Lectern would need both.
        case none
    }

    /// A way to count the verses of each book.
    enum Counting: String, CaseIterable {
        /// Reads the number of each row that is found, once.
        case rows
        /// Counts the rows between two numbers, once for each book.
        case ranges
    }

    private let text: StoredText
    private let books: [Range<Int>]
    private let bookOfVerse: [Int]
    private let store = TextStore()
    private let table: String

    /// Creates the index.
    init(_ text: StoredText, _ detail: Detail, in db: Database) throws {
        self.text = text
        table = "bench_\(detail)"
        books = try store.books(of: text, in: db).map(\.ordinals)
        var bookOfVerse = [Int](repeating: 0, count: text.verseCount)
        for (book, verses) in books.enumerated() { for verse in verses { bookOfVerse[verse] = book } }
        self.bookOfVerse = bookOfVerse
        try db.execute(
            sql: """
                CREATE VIRTUAL TABLE \(table) USING fts5(
                    words, content='', columnsize=0, detail=\(detail.rawValue), prefix='1 2 3',
                    tokenize='unicode61 remove_diacritics 0')
                """)
        let insert = try db.cachedStatement(sql: "INSERT INTO \(table) (rowid, words) VALUES (?, ?)")
        for verse in try store.verses(0..<text.verseCount, of: text, in: db) {
            try insert.execute(arguments: [verse.ordinal, TextFolding.fold(verse.verse.text)])
        }
        try db.execute(sql: "INSERT INTO \(table) (\(table)) VALUES ('optimize')")
    }

    /// Searches, counts the verses of each book, and reads a page of 20 hits with two verses around each.
    ///
    /// - Returns: The number of verses that were found.
    func search(_ expression: String, _ counting: Counting, in db: Database) throws -> Int {
        var counts = [Int](repeating: 0, count: books.count)
        var page: [Int] = []
        switch counting {
        case .rows:
            let rows = try Int.fetchCursor(
                db.cachedStatement(sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH ? ORDER BY rowid"),
                arguments: [expression])
            while let row = try rows.next() {
                if page.count < 20 { page.append(row) }
                counts[bookOfVerse[row]] += 1
            }
        case .ranges:
            page = try Int.fetchAll(
                db.cachedStatement(sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH ? ORDER BY rowid LIMIT 20"),
                arguments: [expression])
            let statement = try db.cachedStatement(
                sql: "SELECT count(*) FROM \(table) WHERE \(table) MATCH ? AND rowid BETWEEN ? AND ?")
            for (book, verses) in books.enumerated() {
                counts[book] =
                    try Int.fetchOne(statement, arguments: [expression, verses.lowerBound, verses.upperBound - 1]) ?? 0
            }
        }
        for ordinal in page {
            let range = (ordinal - 2..<ordinal + 3).clamped(to: books[bookOfVerse[ordinal]])
            _ = try store.verses(range, of: text, in: db)
        }
        return counts.reduce(0, +)
    }
}
