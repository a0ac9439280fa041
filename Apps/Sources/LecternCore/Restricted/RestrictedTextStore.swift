import Foundation
public import GRDB
public import LecternTexts

/// Stores shelves of restricted texts. Every method runs inside a transaction of the caller.
///
/// The only method that writes takes a chapter and goes through ``RestrictedShelf``, so that no caller can store more
/// than the publisher allows. Nothing reads all chapters of a text for a file.
public struct RestrictedTextStore: Sendable {
    /// Creates a store.
    public init() {}

    /// Keeps a chapter if the publisher's limits allow it, and removes those that have no room beside it.
    ///
    /// - Returns: Whether the chapter is stored.
    @discardableResult
    public func keep(_ chapter: RestrictedChapter, of text: RestrictedText, in db: Database) throws -> Bool {
        var shelf = try shelf(of: text, in: db)
        let isKept = shelf.keep(chapter)
        try db.execute(sql: "DELETE FROM restrictedChapter WHERE text = ?", arguments: [text.description.id])
        for (position, kept) in shelf.chapters.enumerated() {
            try db.execute(
                sql: """
                    INSERT INTO restrictedChapter (text, position, osis, number, title, versesOfBook, blocks)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    text.description.id, position, kept.chapter.id.book.rawValue, kept.chapter.id.chapter,
                    kept.chapter.title, kept.versesOfBook, ChapterCodec.data(of: kept.chapter.blocks),
                ])
        }
        return isKept
    }

    /// Returns a chapter, if it is stored.
    ///
    /// - Throws: ``ReadingError`` with code `damaged`. The errors of the database.
    public func chapter(_ id: ChapterID, of text: RestrictedText, in db: Database) throws -> Chapter? {
        try Row.fetchOne(
            db, sql: "SELECT * FROM restrictedChapter WHERE text = ? AND osis = ? AND number = ?",
            arguments: [text.description.id, id.book.rawValue, id.chapter]
        ).map { try Self.chapter($0).chapter }
    }

    /// Removes all chapters of a text.
    public func removeAll(of text: RestrictedText, in db: Database) throws {
        try db.execute(sql: "DELETE FROM restrictedChapter WHERE text = ?", arguments: [text.description.id])
    }

    /// Reads what is stored. A damaged chapter is left out, because it can be asked for again.
    private func shelf(of text: RestrictedText, in db: Database) throws -> RestrictedShelf {
        let rows = try Row.fetchAll(
            db, sql: "SELECT * FROM restrictedChapter WHERE text = ? ORDER BY position",
            arguments: [text.description.id])
        var shelf = RestrictedShelf()
        for row in rows {
            do { shelf.keep(try Self.chapter(row)) } catch let error as ReadingError where error.code == .damaged {
                continue
            }
        }
        return shelf
    }

    private static func chapter(_ row: Row) throws -> RestrictedChapter {
        let id = ChapterID(BookID(rawValue: row["osis"]), row["number"])
        return RestrictedChapter(
            Chapter(id, title: row["title"], blocks: try ChapterCodec.blocks(of: row["blocks"])),
            versesOfBook: row["versesOfBook"])
    }
}
