import Foundation
import HablarePersistence
import LecternCore
import LecternTexts

/// A text that is written out in a test: books with chapters of verses.
struct SampleText: TextImporting {
    var id = "sample"
    var title = "Sample"
    var books: [(id: String, chapters: [[String]])]
    /// Thrown after so many chapters.
    var failure: (after: Int, error: any Error & Sendable)?
    /// Called before each chapter.
    var beforeChapter: @Sendable (Int) throws -> Void = { _ in }

    func read(_ receive: (TextPart) throws -> Void) throws {
        try receive(.text(TextDescription(id: id, title: title, abbreviation: "S", kind: .scripture)))
        var count = 0
        for book in books {
            let bookID = BookID(rawValue: book.id)
            try receive(.book(BookDescription(id: bookID, name: book.id, abbreviation: book.id)))
            for (index, verses) in book.chapters.enumerated() {
                if let failure, failure.after == count { throw failure.error }
                try beforeChapter(count)
                count += 1
                let fragments = verses.enumerated().map { number, text in
                    Fragment(verse: number + 1, label: "\(number + 1)", [.text(text)])
                }
                try receive(.chapter(Chapter(ChapterID(bookID, index + 1), blocks: [Block(.paragraph, fragments)])))
            }
        }
    }

    /// Two books with the features that most tests need.
    static let small = SampleText(books: [
        (
            "Gen",
            [
                [
                    "In the beginning God created the heaven and the earth.",
                    "And the earth was without form, and void;",
                ],
                ["Thus the heavens were finished.", "And on the seventh day God ended his work"],
            ]
        ),
        ("John", [["In the beginning was the Word", "The same was in the beginning with God. God's word"]]),
    ])
}

extension AppDatabase {
    /// A database in memory with Lectern's tables.
    static func lectern() throws -> AppDatabase { try .inMemory(migrator: LecternSchema.migrator) }

    /// A database with a text.
    static func lectern(with text: some TextImporting) async throws -> AppDatabase {
        let database = try lectern()
        _ = try await TextLibrary(database).add(from: text)
        return database
    }
}
