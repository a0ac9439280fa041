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
    private let database: AppDatabase

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

    /// Reads a chapter.
    func chapter(_ id: ChapterID) async throws -> Chapter {
        try await database.read { [text] db in try TextStore().passage(id, of: text, in: db).chapter }
    }

    /// The title of what is exported, such as `John 3 (King James Version)`.
    func title(_ parts: [Part]) -> String {
        let title = text.description.title
        switch scope {
        case .text: return title
        case .book: return parts.first.map { "\($0.book.name) (\(title))" } ?? title
        case .chapter(let id): return parts.first.map { "\($0.book.name) \(id.chapter) (\(title))" } ?? title
        }
    }

    /// The identifier of what is exported, such as `lectern:kjv:John.3`.
    var identifier: String {
        switch scope {
        case .text: "lectern:\(text.id)"
        case .book(let id): "lectern:\(text.id):\(id)"
        case .chapter(let id): "lectern:\(text.id):\(id)"
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
