public import HablarePersistence
public import LecternTexts

/// Loads passages of one text from the store.
///
/// The service finds the text by its id with each call, so that a newer import of the text is used at once.
public struct BibleService: Sendable {
    /// The id of the text, such as `kjv`.
    public let textID: String
    private let database: AppDatabase
    private let store = TextStore()

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - textID: The id of the text.
    ///   - database: Lectern's database.
    public init(textID: String, database: AppDatabase) {
        self.textID = textID
        self.database = database
    }

    /// Loads a chapter as it is shown.
    ///
    /// - Throws: ``ReadingError`` if there is no such text, book or chapter. The errors of the database.
    public func loadPassage(book: BookID, chapter: Int) async throws -> Passage {
        try await database.read { [store, textID] db in
            try store.passage(ChapterID(book, chapter), of: store.requireText(textID, in: db), in: db)
        }
    }

    /// Loads the books with their chapters and the numbers of verses, for the grid.
    ///
    /// - Throws: ``ReadingError`` if there is no such text. The errors of the database.
    public func loadBooks() async throws -> [StoredBook] {
        try await database.read { [store, textID] db in
            try store.books(of: store.requireText(textID, in: db), in: db)
        }
    }

    /// Loads a chapter of several texts, its verses beside each other.
    ///
    /// A text that lacks the chapter has an empty column.
    ///
    /// - Throws: ``ReadingError`` if a text is missing, or if no text has the chapter. The errors of the database.
    public func loadParallel(book: BookID, chapter: Int, beside others: [String]) async throws -> ParallelPassage {
        try await database.read { [store, textID] db in
            let id = ChapterID(book, chapter)
            let texts = try ([textID] + others).map { try store.requireText($0, in: db) }
            let columns = try texts.map { text in
                try store.hasChapter(id, of: text, in: db) ? store.verses(of: id, text, in: db).map(\.verse) : []
            }
            guard columns.contains(where: { !$0.isEmpty }) else {
                throw ReadingError(.noChapter, "None of these texts has this chapter. Choose another one.")
            }
            return ParallelPassage(chapter: id, texts: texts, columns: columns)
        }
    }

    /// Loads the verse of a day. The same day has the same verse on every device.
    ///
    /// - Parameter day: The number of the day, such as days since 1970 in the person's calendar.
    /// - Throws: ``ReadingError`` if there is no such text. The errors of the database.
    public func loadDailyVerse(day: Int) async throws -> StoredVerse {
        try await database.read { [store, textID] db in
            let text = try store.requireText(textID, in: db)
            return try DailyVerse(day: day).verse(of: text, in: db)
        }
    }
}
