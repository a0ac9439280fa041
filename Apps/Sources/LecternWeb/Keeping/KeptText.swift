import LecternCore
import LecternTexts

/// A text as a browser keeps it: its books, and the signs by which a kept copy is seen to be old.
struct KeptText: Codable, Sendable {
    /// A book.
    struct Book: Codable, Sendable {
        let id: String
        /// The book's part of addresses, such as `john`.
        let address: String
        let name: String
        let abbreviation: String
        /// Further names and abbreviations.
        let aliases: [String]
        /// The part of the canon; `nil` outside of it.
        let testament: String?
        let chapters: [Int]
        /// Differs when a mark in the book has changed; empty without marks.
        let marks: String
        /// An estimate of the length of its audio in seconds.
        let seconds: Int
    }

    let id: String
    let title: String
    let abbreviation: String
    let language: String
    let direction: String
    let kind: String
    /// The version of the text and of the program's pages.
    let version: String
    let books: [Book]
    /// An estimate of the size of all pages and of the words to search, in bytes.
    let bytes: Int

    /// The characters that espeak-ng reads in a second, measured over Ruth and Jude of the King James Version.
    private static let charactersPerSecond = 17.7

    init(
        _ text: StoredText, books: [StoredBook], characters: [Int: Int], stamps: [BookID: String], root: String
    ) {
        let description = text.description
        (id, title, abbreviation) = (description.id, description.title, description.abbreviation)
        (language, direction) = (description.language, description.direction.rawValue)
        kind = description.kind.rawValue
        version = "\(text.version.rawValue) \(root)"
        self.books = books.map { book in
            let entry = BookCatalogue.standard[book.id]
            return Book(
                id: book.id.rawValue, address: book.id.rawValue.lowercased(), name: book.description.name,
                abbreviation: book.description.abbreviation,
                aliases: entry.map { $0.aliases + [$0.abbreviation, $0.name] + ($0.usfm.map { [$0] } ?? []) } ?? [],
                testament: entry?.testament?.rawValue, chapters: book.chapters.map(\.number),
                marks: stamps[book.id] ?? "",
                seconds: Int(Double(characters[book.position] ?? 0) / Self.charactersPerSecond))
        }
        // The words are kept twice: on pages, and to be searched. The tags of a verse have about 210 bytes.
        bytes = 2 * characters.values.reduce(0, +) + 210 * text.verseCount + 2_600 * text.chapterCount
    }
}

/// The texts that a browser may keep, and the chapters that it keeps without being asked.
struct KeepingOverview: Codable, Sendable {
    /// A text.
    struct Text: Codable, Sendable {
        let id: String
        let title: String
    }

    let texts: [Text]
    /// The addresses of chapters that are wanted soon: today's reading, and those with bookmarks.
    let ahead: [String]
}

/// The audio of a chapter, made and ready to be fetched.
struct KeptAudio: Codable, Sendable {
    /// A verse, and when it is heard.
    struct Verse: Codable, Sendable {
        let verse: Int
        let start: Int
        let end: Int
    }

    let milliseconds: Int
    let voice: String
    let verses: [Verse]
    /// The number of verses that the voice could not read.
    let skipped: Int
}
