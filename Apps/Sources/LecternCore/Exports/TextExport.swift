public import HablarePersistence
public import LecternTexts

/// The part of a text to export.
public enum ExportScope: Sendable, Hashable {
    /// The whole text.
    case text
    /// A book.
    case book(BookID)
    /// A chapter.
    case chapter(ChapterID)
    /// Some chapters of a book, both ends included.
    case chapters(BookID, ClosedRange<Int>)
}

/// A text, or a part of it, that may be exported.
///
/// Only a ``StoredText`` can be exported. Texts under a license, such as the ESV, are never a ``StoredText``, so they
/// cannot be exported by type. One chapter is in memory at a time.
public struct TextExport: Sendable {
    /// The text.
    public let text: StoredText
    /// The part.
    public let scope: ExportScope
    let database: AppDatabase

    /// Creates an export.
    public init(_ text: StoredText, _ scope: ExportScope = .text, database: AppDatabase) {
        self.text = text
        self.scope = scope
        self.database = database
    }

    /// A book, with the chapters to export.
    struct Part: Sendable {
        let book: BookDescription
        let chapters: [ChapterID]
    }

    /// Returns the books and chapters, in the order of the text.
    func parts() async throws -> [Part] {
        let parts = try await database.read { [text, scope] db in
            try TextStore().books(of: text, in: db).compactMap { book -> Part? in
                var chapters = book.chapters.map { ChapterID(book.id, $0.number) }
                switch scope {
                case .text: break
                case .book(let id): guard id == book.id else { return nil }
                case .chapter(let id): chapters = chapters.filter { $0 == id }
                case .chapters(let id, let range):
                    chapters = chapters.filter { $0.book == id && range.contains($0.chapter) }
                }
                return chapters.isEmpty ? nil : Part(book: book.description, chapters: chapters)
            }
        }
        guard !parts.isEmpty else {
            throw ExportError(
                code: .missing,
                message: "\(text.description.title) has no such book or chapter. Choose one that it has.")
        }
        return parts
    }

    /// Returns the number of verses of chapters.
    func verseCounts(_ chapters: [ChapterID]) async throws -> [ChapterID: Int] {
        let wanted = Set(chapters)
        return try await database.read { [text] db in
            var counts: [ChapterID: Int] = [:]
            for book in try TextStore().books(of: text, in: db) {
                for chapter in book.chapters {
                    let id = ChapterID(book.id, chapter.number)
                    if wanted.contains(id) { counts[id] = chapter.verseCount }
                }
            }
            return counts
        }
    }

    /// Reads a chapter.
    func chapter(_ id: ChapterID) async throws -> Chapter {
        try await database.read { [text] db in try TextStore().passage(id, of: text, in: db).chapter }
    }

    /// Returns the chapters with their books, in the order of the text.
    func chapters() async throws -> [(book: BookDescription, id: ChapterID)] {
        try await parts().flatMap { part in part.chapters.map { (part.book, $0) } }
    }

    /// Returns the title of what is exported, such as `John 3 (King James Version)`.
    ///
    /// - Throws: ``ExportError`` if the text has no such part. The errors of the database.
    public func title() async throws -> String { title(try await parts()) }

    /// The title of what is exported, such as `John 3 (King James Version)`.
    func title(_ parts: [Part]) -> String {
        let title = text.description.title
        switch scope {
        case .text: return title
        case .book: return parts.first.map { "\($0.book.name) (\(title))" } ?? title
        case .chapter(let id): return parts.first.map { "\($0.book.name) \(id.chapter) (\(title))" } ?? title
        case .chapters(_, let range):
            return parts.first.map {
                "\($0.book.name) \(range.lowerBound)\u{2013}\(range.upperBound) (\(title))"
            } ?? title
        }
    }

    /// The identifier of what is exported, such as `lectern:kjv:John.3`.
    var identifier: String {
        switch scope {
        case .text: "lectern:\(text.id)"
        case .book(let id): "lectern:\(text.id):\(id)"
        case .chapter(let id): "lectern:\(text.id):\(id)"
        case .chapters(let id, let range): "lectern:\(text.id):\(id).\(range.lowerBound)-\(range.upperBound)"
        }
    }
}

extension Chapter {
    /// The heading of the chapter, such as `John 3`, or its own title.
    func heading(in book: BookDescription) -> String {
        if let title { return title }
        if id.chapter == 0 { return book.name }
        return book.id == .whole ? "Chapter \(id.chapter)" : "\(book.name) \(id.chapter)"
    }
}
