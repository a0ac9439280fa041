import Foundation
import GRDB
import HablarePersistence
import LecternTexts

/// Writes the parts of a text into the rows of a new version, in batches. Readers do not see the version until
/// ``finish()`` switches to it in one transaction.
///
/// Blocks, so use it on a thread that may wait. It holds one batch and the words of one segment in memory.
struct TextWriter {
    /// The number of verses of a batch: 2,000. A batch keeps the writer for some tens of milliseconds.
    static let batchSize = 2_000
    /// The number of bytes of a batch: 4 MB.
    static let batchBytes = 4 << 20

    private struct PendingVerse {
        let ordinal: Int
        let verse: Verse
    }

    private struct PendingChapter {
        let position: Int
        let book: Int
        let number: Int
        let title: String?
        let firstVerse: Int
        let blocks: Data
        let verses: [PendingVerse]
    }

    private struct PendingBook {
        let position: Int
        let description: BookDescription
        let firstVerse: Int
        var chapters: Set<Int> = []
        var verseCount = 0
    }

    private let database: AppDatabase
    private let date: Date
    private var version: TextVersion?
    private var description: TextDescription?
    private var book: PendingBook?
    private var books: Set<BookID> = []
    private var chapterCount = 0
    private var verseCount = 0
    private var index = WordIndexBuilder()
    private var pendingChapters: [PendingChapter] = []
    private var pendingBooks: [PendingBook] = []
    private var pendingVerses = 0
    private var pendingBytes = 0

    init(_ database: AppDatabase, at date: Date) {
        self.database = database
        self.date = date
    }

    /// The number of verses so far.
    var count: Int { verseCount }

    /// Writes a part of the text.
    ///
    /// - Throws: ``TextImportError`` if the parts are in no sensible order. The errors of the database.
    mutating func write(_ part: TextPart) throws {
        switch part {
        case .text(let description): try begin(description)
        case .book(let description): try begin(description)
        case .chapter(let chapter): try add(chapter)
        case .warning: break
        }
    }

    private mutating func begin(_ description: TextDescription) throws {
        guard self.description == nil else { throw Self.damaged("The source has two descriptions of its text.") }
        guard Self.isValid(description.id) else {
            throw Self.damaged(
                "\u{201C}\(description.id)\u{201D} cannot be the id of a text. Use lower-case letters, digits and hyphens."
            )
        }
        self.description = description
        let json = String(decoding: try JSONEncoder().encode(description), as: UTF8.self)
        version = try database.writer.write { [date] db in
            try db.execute(
                sql: "INSERT INTO text (id, state, description, importedAt) VALUES (?, 'importing', ?, ?)",
                arguments: [description.id, json, date])
            return TextVersion(rawValue: db.lastInsertedRowID)
        }
    }

    static func isValid(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }

    private mutating func begin(_ book: BookDescription) throws {
        guard description != nil else { throw Self.damaged("The source has a book before its description.") }
        guard books.insert(book.id).inserted else {
            throw Self.damaged("The source has the book \(book.name) (\(book.id)) twice.")
        }
        endBook()
        self.book = PendingBook(position: books.count - 1, description: book, firstVerse: verseCount)
    }

    private mutating func endBook() {
        if let book { pendingBooks.append(book) }
        book = nil
    }

    private mutating func add(_ chapter: Chapter) throws {
        guard let position = book?.position, book?.description.id == chapter.id.book else {
            throw Self.damaged("The source has the chapter \(chapter.id) outside of its book.")
        }
        guard book?.chapters.insert(chapter.id.chapter).inserted == true else {
            throw Self.damaged("The source has the chapter \(chapter.id) twice.")
        }
        let first = verseCount
        var verses: [PendingVerse] = []
        for verse in chapter.verses {
            verses.append(PendingVerse(ordinal: verseCount, verse: verse))
            verseCount += 1
            pendingBytes += verse.text.utf8.count
            index.add(verse.text)
        }
        book?.verseCount += verses.count
        let blocks = ChapterCodec.data(of: chapter.blocks)
        pendingBytes += blocks.count
        pendingVerses += verses.count
        pendingChapters.append(
            PendingChapter(
                position: chapterCount, book: position, number: chapter.id.chapter, title: chapter.title,
                firstVerse: first, blocks: blocks, verses: verses))
        chapterCount += 1
        if pendingVerses >= Self.batchSize || pendingBytes >= Self.batchBytes { try flush() }
        if index.isFull { try writeSegment() }
    }

    private mutating func flush() throws {
        guard let version else { return }
        let (chapters, books) = (pendingChapters, pendingBooks)
        try database.writer.write { db in
            for chapter in chapters { try Self.insert(chapter, version, db) }
            for book in books { try Self.insert(book, version, db) }
        }
        (pendingChapters, pendingBooks, pendingVerses, pendingBytes) = ([], [], 0, 0)
    }

    private static func insert(_ chapter: PendingChapter, _ version: TextVersion, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO chapter (text, position, book, number, title, firstVerse, verseCount)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            version.rawValue, chapter.position, chapter.book, chapter.number, chapter.title, chapter.firstVerse,
            chapter.verses.count,
        ])
        let id = db.lastInsertedRowID
        try db.cachedStatement(sql: "INSERT INTO chapterBody (chapter, blocks) VALUES (?, ?)")
            .execute(arguments: [id, chapter.blocks])
        let statement = try db.cachedStatement(
            sql: "INSERT INTO verse (text, ordinal, chapter, number, label, words) VALUES (?, ?, ?, ?, ?, ?)")
        for pending in chapter.verses {
            let verse = pending.verse
            try statement.execute(arguments: [
                version.rawValue, pending.ordinal, id, verse.number,
                verse.label == String(verse.number) ? nil : verse.label, verse.text,
            ])
        }
    }

    private static func insert(_ book: PendingBook, _ version: TextVersion, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO book (text, position, osis, name, abbreviation, chapterCount, firstVerse, verseCount)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            version.rawValue, book.position, book.description.id.rawValue, book.description.name,
            book.description.abbreviation, book.chapters.count, book.firstVerse, book.verseCount,
        ])
    }

    private mutating func writeSegment() throws {
        guard let version else { return }
        let (segment, rows) = index.takeSegment()
        for start in stride(from: 0, to: rows.count, by: Self.batchSize) {
            let batch = rows[start..<min(start + Self.batchSize, rows.count)]
            try database.writer.write { db in
                let statement = try db.cachedStatement(
                    sql: """
                        INSERT INTO word (text, word, segment, occurrences, verses, positions)
                        VALUES (?, ?, ?, ?, ?, ?)
                        """)
                for row in batch {
                    try statement.execute(arguments: [
                        version.rawValue, row.word, segment, row.list.occurrences, Data(row.list.verses),
                        Data(row.list.positions),
                    ])
                }
            }
        }
    }

    /// Writes the rest, and switches readers to the new version in one transaction.
    ///
    /// - Returns: The text, and whether it replaces an earlier version.
    /// - Throws: ``TextImportError`` with code `empty` if the text has no verse. The errors of the database.
    mutating func finish() throws -> (text: StoredText, replaced: Bool) {
        guard let version, let description, verseCount > 0 else {
            throw TextImportError(
                .empty, "The source has no chapter with text. Choose a file that contains a text.")
        }
        endBook()
        try flush()
        try writeSegment()
        let (index, books, chapterCount, verseCount) = (index, books, chapterCount, verseCount)
        return try database.writer.write { db in
            try db.execute(
                sql: "INSERT INTO verseLengths (text, lengths) VALUES (?, ?)",
                arguments: [version.rawValue, Data(index.lengths)])
            try db.execute(
                sql: "UPDATE text SET state = 'retired' WHERE id = ? AND state = 'current'",
                arguments: [description.id])
            let replaced = db.changesCount > 0
            try db.execute(
                sql: """
                    UPDATE text SET state = 'current', bookCount = ?, chapterCount = ?, verseCount = ?, wordCount = ?
                    WHERE version = ?
                    """,
                arguments: [books.count, chapterCount, verseCount, index.wordCount, version.rawValue])
            return (try TextStore().requireText(description.id, in: db), replaced)
        }
    }

    private static func damaged(_ message: String) -> TextImportError {
        TextImportError(.damaged, message + " Nothing was imported.")
    }
}
