import LecternTexts

/// The parts of a text that was imported.
struct ReadText {
    var description: TextDescription?
    var books: [BookDescription] = []
    var chapters: [Chapter] = []
    var warnings: [TextImportWarning] = []
    var shape = TextShape()

    init(_ importer: some TextImporting) throws {
        try importer.read { part in
            shape.add(part)
            switch part {
            case .text(let text): description = text
            case .book(let book): books.append(book)
            case .chapter(let chapter): chapters.append(chapter)
            case .warning(let warning): warnings.append(warning)
            }
        }
    }

    /// The texts of all verses.
    var verses: [String] { chapters.flatMap { $0.verses.map(\.text) } }
}
