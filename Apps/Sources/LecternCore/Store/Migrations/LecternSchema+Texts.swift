import GRDB

extension LecternSchema {
    /// Creates the tables of texts.
    ///
    /// A row of `text` is one import. Readers see only the row of each id whose state is `current`. The large tables
    /// have no foreign keys: a text is deleted in batches, and a cascade would block the writer.
    @Sendable static func createTexts(_ db: Database) throws {
        try db.create(table: "text") { table in
            table.autoIncrementedPrimaryKey("version")
            table.column("id", .text).notNull()
            // importing, current or retired.
            table.column("state", .text).notNull()
            // TextDescription as JSON.
            table.column("description", .text).notNull()
            table.column("importedAt", .datetime).notNull()
            table.column("bookCount", .integer).notNull().defaults(to: 0)
            table.column("chapterCount", .integer).notNull().defaults(to: 0)
            table.column("verseCount", .integer).notNull().defaults(to: 0)
            table.column("wordCount", .integer).notNull().defaults(to: 0)
        }
        try db.create(
            index: "text_current", on: "text", columns: ["id"], options: .unique,
            condition: Column("state") == "current"
        )
        try db.create(table: "book", options: .withoutRowID) { table in
            table.primaryKey {
                table.column("text", .integer).references("text")
                // From 0, in the order of the text.
                table.column("position", .integer)
            }
            table.column("osis", .text).notNull()
            table.column("name", .text).notNull()
            table.column("abbreviation", .text).notNull()
            table.column("chapterCount", .integer).notNull()
            // The ordinal of the first verse, and the number of verses.
            table.column("firstVerse", .integer).notNull()
            table.column("verseCount", .integer).notNull()
            table.uniqueKey(["text", "osis"])
        }
        try db.create(table: "chapter") { table in
            table.autoIncrementedPrimaryKey("id")
            table.column("text", .integer).notNull().references("text")
            // From 0, in the order of the text.
            table.column("position", .integer).notNull()
            // The position of the book.
            table.column("book", .integer).notNull()
            table.column("number", .integer).notNull()
            table.column("title", .text)
            // The ordinal of the first verse, and the number of verses.
            table.column("firstVerse", .integer).notNull()
            table.column("verseCount", .integer).notNull()
            table.uniqueKey(["text", "position"])
            table.uniqueKey(["text", "book", "number"])
        }
        // Apart from the chapters, so that the grid of chapters is read without them.
        try db.create(table: "chapterBody") { table in
            table.primaryKey("chapter", .integer)
            // ChapterCodec.
            table.column("blocks", .blob).notNull()
        }
        try db.create(table: "verse", options: .withoutRowID) { table in
            table.primaryKey {
                table.column("text", .integer)
                // The place among all verses of the text, from 0.
                table.column("ordinal", .integer)
            }
            table.column("chapter", .integer).notNull()
            table.column("number", .integer).notNull()
            // Null if it is the number.
            table.column("label", .text)
            table.column("words", .text).notNull()
        }
        try db.create(table: "word", options: .withoutRowID) { table in
            table.primaryKey {
                table.column("text", .integer)
                // Folded by TextFolding.
                table.column("word", .text)
                // The part of the text, from 0. A large text is indexed in several parts.
                table.column("segment", .integer)
            }
            table.column("occurrences", .integer).notNull()
            // PostingList.
            table.column("verses", .blob).notNull()
            table.column("positions", .blob).notNull()
        }
        // The number of words of each verse: a byte for each, at most 255.
        try db.create(table: "verseLengths") { table in
            table.primaryKey("text", .integer)
            table.column("lengths", .blob).notNull()
        }
        // RestrictedShelf.
        try db.create(table: "restrictedChapter", options: .withoutRowID) { table in
            table.primaryKey {
                table.column("text", .text)
                // From 0; the chapter that was kept last is at the end.
                table.column("position", .integer)
            }
            table.column("osis", .text).notNull()
            table.column("number", .integer).notNull()
            table.column("title", .text)
            table.column("versesOfBook", .integer).notNull()
            table.column("blocks", .blob).notNull()
            table.uniqueKey(["text", "osis", "number"])
        }
    }
}
