public import GRDB
public import LecternTexts

extension PlanText {
    /// Creates a text for plans from the shape of a text.
    public init(_ shape: TextShape) {
        self.init(
            shape.books.flatMap { book in
                book.chapters.map { chapter in
                    Chapter(
                        ChapterID(book.description.id, chapter.number), verses: chapter.verses.flatMap { Array($0) })
                }
            })
    }
}

extension TextStore {
    /// Returns the chapters and verses of a text, as far as plans need them. Reads all verses, like ``shape(of:in:)``.
    public func planText(of text: StoredText, in db: Database) throws -> PlanText {
        PlanText(try shape(of: text, in: db))
    }
}
