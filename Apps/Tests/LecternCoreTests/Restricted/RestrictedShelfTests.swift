import HablarePersistence
import HablareTestKit
import LecternTexts
import Testing

@testable import LecternCore

@Suite("Restricted texts")
struct RestrictedShelfTests {
    private static func chapter(_ book: String, _ number: Int, verses: Int, of size: Int) -> RestrictedChapter {
        RestrictedChapter(
            Chapter(
                ChapterID(BookID(rawValue: book), number),
                blocks: [
                    Block(.paragraph, (0..<max(0, verses)).map { Fragment(verse: $0 + 1, [.text("word")]) })
                ]), versesOfBook: size)
    }

    @Test("No order of chapters keeps more than 500 verses or half a book", arguments: Seeds.choose(20))
    func limits(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var shelf = RestrictedShelf()
        let sizes = ["Gen": 1_533, "Ps": 2_461, "Jude": 25, "Ruth": 85]
        for _ in 0..<200 {
            guard let (book, size) = sizes.randomElement(using: &random) else { return }
            let chapter = Self.chapter(
                book, Int.random(in: 1...9, using: &random), verses: Int.random(in: 0...180, using: &random),
                of: Bool.random(using: &random) ? size : size / 2)
            let isKept = shelf.keep(chapter)
            #expect(shelf.verseCount <= 500, "HABLARE_SEED=\(seed)")
            #expect((shelf.chapters.last?.chapter.id == chapter.chapter.id) == isKept, "HABLARE_SEED=\(seed)")
            for book in sizes.keys {
                let kept = shelf.chapters.filter { $0.chapter.id.book.rawValue == book }
                let count = kept.reduce(0) { $0 + $1.verseCount }
                #expect(kept.allSatisfy { count * 2 < $0.versesOfBook }, "HABLARE_SEED=\(seed)")
            }
        }
    }

    @Test("A chapter of half its book is shown and not stored; another makes room for itself")
    func store() async throws {
        let database = try AppDatabase.lectern()
        let text = RestrictedText(TextDescription(id: "esv", title: "ESV", abbreviation: "ESV", kind: .scripture))
        try await database.write { db in
            let store = RestrictedTextStore()
            #expect(try !store.keep(Self.chapter("Jude", 1, verses: 25, of: 25), of: text, in: db))
            #expect(try store.chapter(ChapterID(BookID(rawValue: "Jude"), 1), of: text, in: db) == nil)
            for number in 1...5 {
                #expect(try store.keep(Self.chapter("Ps", number, verses: 150, of: 2_461), of: text, in: db))
            }
            let kept = try (1...5).filter {
                try store.chapter(ChapterID(BookID(rawValue: "Ps"), $0), of: text, in: db) != nil
            }
            #expect(kept == [3, 4, 5])
            try store.removeAll(of: text, in: db)
            #expect(try store.chapter(ChapterID(BookID(rawValue: "Ps"), 5), of: text, in: db) == nil)
        }
    }
}
