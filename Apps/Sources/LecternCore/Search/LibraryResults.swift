public import HablarePersistence

/// The results of a search over several texts and one's own notes.
public struct LibraryResults: Sendable {
    /// The first page of each text with hits, in the order of the texts.
    public let texts: [SearchResults]
    /// The notes that were found.
    public let notes: NoteResults

    /// The number of verses that were found in all texts.
    public var total: Int { texts.reduce(0) { $0 + $1.total } }
}

/// A page of one's own notes that a search found.
public struct NoteResults: Sendable {
    /// A note that was found.
    public struct Hit: Sendable, Hashable {
        /// The note.
        public let note: Mark
        /// The places of the words that were found, in UTF-16 offsets of the note's text, in ascending order.
        public let matches: [Range<Int>]
    }

    /// The notes of the page.
    public let hits: [Hit]
    /// The number of notes that were found.
    public let total: Int
    /// The cursor of the next page; `nil` if there is none.
    public let next: SearchCursor?
}
