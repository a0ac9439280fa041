public import Foundation
public import LecternTexts

/// A colour of a mark.
public enum MarkColour: String, Hashable, Sendable, Codable, CaseIterable {
    /// The seven colours. A page chooses the shade for each theme.
    case yellow, green, blue, pink, orange, purple, red
}

/// A style of a highlight.
public enum MarkStyle: String, Hashable, Sendable, Codable, CaseIterable {
    /// A coloured background.
    case marker
    /// A line below the words.
    case underline
    /// A frame around the words.
    case outline
}

/// A bookmark, a highlight or a note.
public struct Mark: Hashable, Sendable, Identifiable {
    /// A kind of mark.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A place to come back to.
        case bookmark
        /// Coloured words or verses.
        case highlight
        /// A text of one's own in Markdown, on a passage or on nothing.
        case note
    }

    /// The permanent id.
    public let id: UUID
    /// The kind.
    public let kind: Kind
    /// The place; `nil` for a note on nothing.
    public var place: MarkPlace?
    /// The colour; `nil` for none. A highlight always has one.
    public var colour: MarkColour?
    /// The style; only of a highlight.
    public var style: MarkStyle?
    /// A short note on the mark; empty for none.
    public var label: String
    /// The folder; `nil` for none.
    public var folder: UUID?
    /// The tags, in alphabetical order.
    public var tags: [String]
    /// The current version of the text; only of a note.
    public var version: NoteVersion?
    /// The versions that lost a conflict and were not settled. To be shown beside the note.
    public var lost: [NoteVersion]
    /// When the mark was made.
    public let createdAt: Moment
    /// When it was changed last.
    public var changedAt: Moment
    /// A number that rises with each change. A command says which one the person saw.
    public var revision: Int

    /// The text; empty unless the mark is a note.
    public var text: String { version?.text ?? "" }
    /// The mark as a bookmark with its seven fields; `nil` for another kind.
    public var bookmark: Bookmark? { Bookmark(self) }
}

/// A text of a note, as it was saved once. Versions are never changed.
public struct NoteVersion: Hashable, Sendable, Identifiable {
    /// The id: that of the command that saved it.
    public let id: UUID
    /// The note.
    public let note: UUID
    /// The text, in Markdown.
    public let text: String
    /// The time of the edit.
    public let madeAt: Moment
    /// The version that the editor showed; `nil` for the first.
    public let base: UUID?
    /// Whether the version lost a conflict and was not settled.
    public var isLost: Bool
}

/// A bookmark with its seven fields.
public struct Bookmark: Hashable, Sendable, Codable, Identifiable {
    /// The permanent id.
    public var id: UUID
    /// The book.
    public var book: BookID
    /// The chapter; `nil` for a whole book.
    public var chapter: Int?
    /// The verse; `nil` for a whole chapter.
    public var verse: Int?
    /// A short note; empty for none.
    public var note: String
    /// When it was made.
    public var created: Moment
    /// The colour; `nil` for none.
    public var colour: MarkColour?

    /// Creates a bookmark.
    public init(
        id: UUID, book: BookID, chapter: Int?, verse: Int?, note: String = "", created: Moment,
        colour: MarkColour? = nil
    ) {
        self.id = id
        self.book = book
        self.chapter = chapter
        self.verse = verse
        self.note = note
        self.created = created
        self.colour = colour
    }

    /// Creates a bookmark from a mark. Returns `nil` for another kind of mark.
    public init?(_ mark: Mark) {
        guard mark.kind == .bookmark, let place = mark.place else { return nil }
        let first = place.reference.places?.lowerBound
        self.init(
            id: mark.id, book: place.reference.book, chapter: first?.chapter, verse: first?.verse, note: mark.label,
            created: mark.createdAt, colour: mark.colour)
    }
}

/// A folder of marks.
public struct MarkFolder: Hashable, Sendable, Codable, Identifiable {
    /// The permanent id.
    public let id: UUID
    /// The name.
    public var name: String
    /// The number of marks in it.
    public var count: Int
}
