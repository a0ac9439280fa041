/// A passage of a book: a verse, a range of verses, a chapter, several chapters, or the whole book.
///
/// A reference does not say of which text it is, and its verses may be missing there: translations differ.
public struct Reference: Hashable, Sendable, Codable {
    /// A place in a book: a chapter, or a verse of it.
    public struct Place: Hashable, Sendable, Codable, Comparable {
        /// The number of the chapter, from 1.
        public var chapter: Int
        /// The number of the verse; `nil` for the whole chapter.
        public var verse: Int?

        /// Creates a place.
        public init(_ chapter: Int, _ verse: Int? = nil) {
            self.chapter = chapter
            self.verse = verse
        }

        /// Orders places as they are read. A whole chapter precedes its verses.
        public static func < (one: Place, other: Place) -> Bool {
            (one.chapter, one.verse ?? -1) < (other.chapter, other.verse ?? -1)
        }
    }

    /// The book.
    public var book: BookID
    /// The first and the last place, both included; `nil` for the whole book.
    public var places: ClosedRange<Place>?

    /// Creates a reference.
    public init(_ book: BookID, _ places: ClosedRange<Place>? = nil) {
        self.book = book
        self.places = places
    }

    /// Creates a reference to a verse.
    public init(_ verse: VerseID) {
        let place = Place(verse.chapter.chapter, verse.verse)
        self.init(verse.book, place...place)
    }

    /// Creates a reference to a chapter.
    public init(_ chapter: ChapterID) {
        let place = Place(chapter.chapter)
        self.init(chapter.book, place...place)
    }
}
