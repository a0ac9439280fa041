public import LecternTexts

/// A text whose publisher limits how much of it may be stored, such as the ESV.
///
/// The type has nothing in common with ``StoredText``, and no function turns one into the other. So no import, search
/// index or export takes a restricted text: such code does not compile.
public struct RestrictedText: Hashable, Sendable {
    /// The description. Its rights must be shown wherever the text is.
    public let description: TextDescription

    /// Creates a text.
    public init(_ description: TextDescription) { self.description = description }
}

/// A chapter of a restricted text, as its publisher sent it.
public struct RestrictedChapter: Hashable, Sendable {
    /// The chapter.
    public let chapter: Chapter
    /// The number of verses of the whole book in this text.
    public let versesOfBook: Int

    /// Creates a chapter.
    public init(_ chapter: Chapter, versesOfBook: Int) {
        self.chapter = chapter
        self.versesOfBook = versesOfBook
    }

    /// The number of verses.
    var verseCount: Int { chapter.verses.count }
}
