public import LecternTexts

/// The chapters of a restricted text that are stored: never more than 500 verses, and never half a book.
///
/// The limits hold for each value of this type, because ``keep(_:)`` is the only way to add a chapter: it removes the
/// chapters that were kept longest ago. ``RestrictedTextStore`` stores nothing but shelves.
public struct RestrictedShelf: Sendable {
    /// The most verses that are stored: 500.
    public static let mostVerses = 500

    /// The chapters, the one that was kept last at the end.
    public private(set) var chapters: [RestrictedChapter] = []

    /// Creates an empty shelf.
    public init() {}

    /// The number of verses.
    public var verseCount: Int { chapters.reduce(0) { $0 + $1.verseCount } }

    /// Keeps a chapter in place of an earlier form of it. Removes other chapters if there is no room.
    ///
    /// - Returns: Whether the chapter is kept. A chapter that has half the verses of its book, or more, is not: it can
    ///   only be shown. An earlier form of it is removed then, too.
    @discardableResult
    public mutating func keep(_ chapter: RestrictedChapter) -> Bool {
        let book = chapter.chapter.id.book
        chapters.removeAll { $0.chapter.id == chapter.chapter.id }
        guard Self.isAllowed(chapter.verseCount, ofBook: chapter.versesOfBook), chapter.verseCount <= Self.mostVerses
        else { return false }
        // Another chapter may come from a time when the book had another number of verses: the smallest counts.
        let size = chapters.filter { $0.chapter.id.book == book }.map(\.versesOfBook).min() ?? .max
        let smallest = min(size, chapter.versesOfBook)
        guard Self.isAllowed(chapter.verseCount, ofBook: smallest) else { return false }
        while !Self.isAllowed(count(of: book) + chapter.verseCount, ofBook: smallest) {
            guard let first = chapters.firstIndex(where: { $0.chapter.id.book == book }) else { return false }
            chapters.remove(at: first)
        }
        while verseCount + chapter.verseCount > Self.mostVerses { chapters.removeFirst() }
        chapters.append(chapter)
        return true
    }

    /// Returns a chapter, if it is kept.
    public func chapter(_ id: ChapterID) -> Chapter? { chapters.first { $0.chapter.id == id }?.chapter }

    private func count(of book: BookID) -> Int {
        chapters.filter { $0.chapter.id.book == book }.reduce(0) { $0 + $1.verseCount }
    }

    /// Returns whether so many verses are less than half of a book.
    private static func isAllowed(_ count: Int, ofBook size: Int) -> Bool { count < size - count }
}
