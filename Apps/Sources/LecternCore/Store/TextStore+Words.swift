public import GRDB

/// The verses of a book as a compact JSON array, for a search without the server.
public struct BookWords: Sendable {
    /// The book.
    public let book: StoredBook
    /// An array with an element `[chapter, verse, label, words]` for each verse, in the order of the text. The label is
    /// `null` if it is the verse's number.
    public let json: String
}

extension TextStore {
    /// Returns the verses of a text without their formatting, by book, in the order of the text.
    public func words(of text: StoredText, in db: Database) throws -> [BookWords] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT json_group_array(json_array(chapter, number, label, words)) FROM (
                    SELECT chapter.number AS chapter, verse.number AS number, verse.label AS label, verse.words AS words
                    FROM verse JOIN chapter ON chapter.id = verse.chapter
                    WHERE verse.text = ? AND chapter.book = ? ORDER BY verse.ordinal)
                """)
        return try books(of: text, in: db).map { book in
            BookWords(
                book: book,
                json: try String.fetchOne(statement, arguments: [text.version.rawValue, book.position]) ?? "[]")
        }
    }

    /// Returns the number of characters of each book of a text, by the book's position.
    public func characters(of text: StoredText, in db: Database) throws -> [Int: Int] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT chapter.book, sum(length(verse.words)) FROM verse JOIN chapter ON chapter.id = verse.chapter
                WHERE verse.text = ? GROUP BY chapter.book
                """, arguments: [text.version.rawValue])
        return Dictionary(rows.map { ($0[0] as Int, $0[1] as Int) }, uniquingKeysWith: { first, _ in first })
    }
}
