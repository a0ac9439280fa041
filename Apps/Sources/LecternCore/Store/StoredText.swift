public import Foundation
public import LecternTexts

/// The number of one import of a text. A newer import of the same text has another number.
public struct TextVersion: RawRepresentable, Hashable, Sendable, Codable {
    /// The number.
    public let rawValue: Int64
    /// Creates a version.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A text in the store.
///
/// Only ``TextStore`` creates values of this type. Functions that hand out texts, such as exports, take this type, so
/// that a ``RestrictedText`` cannot be passed to them.
public struct StoredText: Hashable, Sendable {
    /// The import that is stored.
    public let version: TextVersion
    /// The description.
    public let description: TextDescription
    /// The time of the import.
    public let importedAt: Date
    /// The number of books.
    public let bookCount: Int
    /// The number of chapters.
    public let chapterCount: Int
    /// The number of verses, counted from the source.
    public let verseCount: Int
    /// The number of words.
    public let wordCount: Int

    /// The id, such as `kjv`.
    public var id: String { description.id }
}

/// A book of a stored text, with its chapters.
public struct StoredBook: Hashable, Sendable {
    /// A chapter of the book.
    public struct ChapterSummary: Hashable, Sendable {
        /// The number.
        public let number: Int
        /// The name; `nil` if it has a number only.
        public let title: String?
        /// The ordinal of the first verse in the text, from 0.
        public let firstVerse: Int
        /// The number of verses.
        public let verseCount: Int
    }

    /// The description.
    public let description: BookDescription
    /// The place in the text, from 0.
    public let position: Int
    /// The chapters that exist, in the order of the text.
    public let chapters: [ChapterSummary]

    /// The id.
    public var id: BookID { description.id }
    /// The number of verses.
    public var verseCount: Int { chapters.reduce(0) { $0 + $1.verseCount } }
    /// The ordinals of the verses in the text. Empty if the book has no verse.
    public var ordinals: Range<Int> {
        guard let first = chapters.first?.firstVerse else { return 0..<0 }
        return first..<(first + verseCount)
    }
}

/// A verse of a stored text.
public struct StoredVerse: Hashable, Sendable {
    /// The id.
    public let id: VerseID
    /// The place among all verses of the text, from 0.
    public let ordinal: Int
    /// The verse.
    public let verse: Verse
}

/// A chapter of a stored text, decoded for a page.
public struct Passage: Hashable, Sendable {
    /// The text.
    public let text: StoredText
    /// The book.
    public let book: BookDescription
    /// The chapter.
    public let chapter: Chapter
    /// The chapter before this one, over the start of the book; `nil` at the start of the text.
    public let previous: ChapterID?
    /// The chapter after this one, over the end of the book; `nil` at the end of the text.
    public let next: ChapterID?
}
