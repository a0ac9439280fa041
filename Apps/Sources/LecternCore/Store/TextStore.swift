import Foundation
public import GRDB
public import LecternTexts

/// Reads texts. Every method runs inside a transaction of the caller, which sees one moment: a text that is replaced
/// meanwhile stays whole until the transaction ends.
public struct TextStore: Sendable {
    /// Creates a store.
    public init() {}

    // MARK: Texts

    /// Returns the texts that can be read, in the order of their first import.
    public func texts(in db: Database) throws -> [StoredText] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT text.* FROM text WHERE state = 'current'
                    ORDER BY (SELECT min(version) FROM text AS former WHERE former.id = text.id), version
                    """))
        return try Array(rows.map { try Self.text($0) })
    }

    /// Returns the text of an id, or `nil` if there is none.
    public func text(_ id: String, in db: Database) throws -> StoredText? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM text WHERE id = ? AND state = 'current'")
        return try Row.fetchOne(statement, arguments: [id]).map { try Self.text($0) }
    }

    /// Returns the text of an id.
    ///
    /// - Throws: ``ReadingError`` with code `no-text`.
    public func requireText(_ id: String, in db: Database) throws -> StoredText {
        guard let text = try text(id, in: db) else {
            throw ReadingError(
                .noText, "There is no text \u{201C}\(id)\u{201D}. Choose one of the library, or import it.")
        }
        return text
    }

    static func text(_ row: Row) throws -> StoredText {
        let description: String = row["description"]
        return StoredText(
            version: TextVersion(rawValue: row["version"]),
            description: try JSONDecoder().decode(TextDescription.self, from: Data(description.utf8)),
            importedAt: row["importedAt"], bookCount: row["bookCount"], chapterCount: row["chapterCount"],
            verseCount: row["verseCount"], wordCount: row["wordCount"])
    }

    // MARK: Books and chapters

    /// Returns the books of a text with their chapters, in the order of the text.
    public func books(of text: StoredText, in db: Database) throws -> [StoredBook] {
        var chapters: [Int: [StoredBook.ChapterSummary]] = [:]
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT book, number, title, firstVerse, verseCount FROM chapter WHERE text = ? ORDER BY position
                    """), arguments: [text.version.rawValue])
        while let row = try rows.next() {
            chapters[row[0], default: []].append(
                StoredBook.ChapterSummary(number: row[1], title: row[2], firstVerse: row[3], verseCount: row[4]))
        }
        let books = try Row.fetchCursor(
            db.cachedStatement(
                sql: "SELECT position, osis, name, abbreviation FROM book WHERE text = ? ORDER BY position"),
            arguments: [text.version.rawValue])
        return try Array(
            books.map { row in
                StoredBook(
                    description: BookDescription(
                        id: BookID(rawValue: row[1]), name: row[2], abbreviation: row[3]), position: row[0],
                    chapters: chapters[row[0]] ?? [])
            })
    }

    /// Returns the shape of a text: the books, chapters and verses that exist. ``ReferenceParser`` needs it.
    ///
    /// Reads all verses, which takes some tens of milliseconds for a Bible. Keep the result as long as the version of
    /// the text is the same.
    public func shape(of text: StoredText, in db: Database) throws -> TextShape {
        var books = try books(of: text, in: db).map { book in
            TextShape.BookShape(
                book.description, chapters: book.chapters.map { TextShape.ChapterShape($0.number, verses: []) })
        }
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT chapter.book, chapter.number, verse.number, verse.label FROM verse
                    JOIN chapter ON chapter.id = verse.chapter WHERE verse.text = ? ORDER BY verse.ordinal
                    """), arguments: [text.version.rawValue])
        var verses: [[Int: [ClosedRange<Int>]]] = Array(repeating: [:], count: books.count)
        while let row = try rows.next() {
            let (book, number): (Int, Int) = (row[0], row[2])
            guard books.indices.contains(book) else { continue }
            let verse = Verse(number: number, label: row[3] ?? "", text: "")
            verses[book][row[1], default: []].append(number...verse.lastNumber)
        }
        for book in books.indices {
            for (place, chapter) in books[book].chapters.enumerated() {
                books[book].chapters[place].verses = Self.joined(verses[book][chapter.number] ?? [])
            }
            books[book].chapters.sort { $0.number < $1.number }
        }
        return TextShape(books: books)
    }

    private static func joined(_ ranges: [ClosedRange<Int>]) -> [ClosedRange<Int>] {
        ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, range in
            if let last = joined.last, range.lowerBound <= last.upperBound + 1 {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
    }

    /// Returns a chapter as it is shown, with its neighbours.
    ///
    /// - Throws: ``ReadingError`` if the text has no such book or chapter, or if it is damaged.
    public func passage(_ id: ChapterID, of text: StoredText, in db: Database) throws -> Passage {
        let book = try requireBook(id.book, of: text, in: db)
        let statement = try db.cachedStatement(
            sql: """
                SELECT chapter.position, chapter.title, chapterBody.blocks FROM chapter
                JOIN chapterBody ON chapterBody.chapter = chapter.id
                WHERE chapter.text = ? AND chapter.book = ? AND chapter.number = ?
                """)
        guard
            let row = try Row.fetchOne(
                statement, arguments: [text.version.rawValue, book.position, id.chapter])
        else { throw Self.noChapter(id, book.description, text) }
        let position: Int = row[0]
        let chapter = Chapter(id, title: row[1], blocks: try ChapterCodec.blocks(of: row[2]))
        return Passage(
            text: text, book: book.description, chapter: chapter,
            previous: try self.chapter(at: position - 1, of: text, in: db),
            next: try self.chapter(at: position + 1, of: text, in: db))
    }

    /// Returns whether a text has a chapter.
    public func hasChapter(_ id: ChapterID, of text: StoredText, in db: Database) throws -> Bool {
        try verseRange(of: id, text, in: db) != nil
    }

    private func chapter(at position: Int, of text: StoredText, in db: Database) throws -> ChapterID? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT book.osis, chapter.number FROM chapter
                JOIN book ON book.text = chapter.text AND book.position = chapter.book
                WHERE chapter.text = ? AND chapter.position = ?
                """)
        return try Row.fetchOne(statement, arguments: [text.version.rawValue, position]).map {
            ChapterID(BookID(rawValue: $0[0]), $0[1])
        }
    }

    private func requireBook(
        _ id: BookID, of text: StoredText, in db: Database
    ) throws -> (position: Int, description: BookDescription) {
        let statement = try db.cachedStatement(
            sql: "SELECT position, name, abbreviation FROM book WHERE text = ? AND osis = ?")
        guard let row = try Row.fetchOne(statement, arguments: [text.version.rawValue, id.rawValue]) else {
            throw ReadingError(
                .noBook,
                "\(text.description.title) has no book \u{201C}\(id)\u{201D}. Choose one of its books.")
        }
        return (row[0], BookDescription(id: id, name: row[1], abbreviation: row[2]))
    }

    private static func noChapter(_ id: ChapterID, _ book: BookDescription, _ text: StoredText) -> ReadingError {
        ReadingError(
            .noChapter,
            "\(book.name) has no chapter \(id.chapter) in \(text.description.title). Choose one of its chapters.")
    }

    // MARK: Verses

    /// Returns the verses of a chapter without their formatting, in the order of reading.
    ///
    /// - Throws: ``ReadingError`` if the text has no such chapter.
    public func verses(of id: ChapterID, _ text: StoredText, in db: Database) throws -> [StoredVerse] {
        guard let range = try verseRange(of: id, text, in: db) else {
            let book = try requireBook(id.book, of: text, in: db)
            throw Self.noChapter(id, book.description, text)
        }
        return try verses(range, of: text, in: db)
    }

    /// Returns verses by their ordinals, in the order of the text. Ordinals that do not exist are left out.
    public func verses(_ ordinals: Range<Int>, of text: StoredText, in db: Database) throws -> [StoredVerse] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT verse.ordinal, book.osis, chapter.number, verse.number, verse.label, verse.words
                FROM verse JOIN chapter ON chapter.id = verse.chapter
                JOIN book ON book.text = chapter.text AND book.position = chapter.book
                WHERE verse.text = ? AND verse.ordinal >= ? AND verse.ordinal < ? ORDER BY verse.ordinal
                """)
        let rows = try Row.fetchCursor(
            statement, arguments: [text.version.rawValue, ordinals.lowerBound, ordinals.upperBound])
        return try Array(
            rows.map { row in
                let number: Int = row[3]
                return StoredVerse(
                    id: VerseID(BookID(rawValue: row[1]), row[2], number), ordinal: row[0],
                    verse: Verse(number: number, label: row[4] ?? String(number), text: row[5]))
            })
    }

    /// Returns a verse.
    ///
    /// A text may join several verses under the number of the first one. Use ``verses(of:_:in:)`` to find the nearest.
    public func verse(_ id: VerseID, of text: StoredText, in db: Database) throws -> StoredVerse? {
        guard let range = try verseRange(of: id.chapter, text, in: db) else { return nil }
        return try verses(range, of: text, in: db).first { $0.id == id }
    }

    /// Returns the ordinals of a chapter's verses, or `nil` if there is no such chapter.
    private func verseRange(of id: ChapterID, _ text: StoredText, in db: Database) throws -> Range<Int>? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT chapter.firstVerse, chapter.verseCount FROM chapter
                JOIN book ON book.text = chapter.text AND book.position = chapter.book
                WHERE chapter.text = ? AND book.osis = ? AND chapter.number = ?
                """)
        return try Row.fetchOne(
            statement, arguments: [text.version.rawValue, id.book.rawValue, id.chapter]
        ).map { row in
            let (first, count): (Int, Int) = (row[0], row[1])
            return first..<(first + count)
        }
    }
}
