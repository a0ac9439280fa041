/// A chapter as it is shown: blocks, one below the other, made of fragments of verses.
public struct Chapter: Hashable, Sendable, Codable {
    /// The id.
    public var id: ChapterID
    /// The chapter's name; `nil` if it has a number only.
    public var title: String?
    /// The blocks, in the order of reading.
    public var blocks: [Block]

    /// Creates a chapter.
    public init(_ id: ChapterID, title: String? = nil, blocks: [Block]) {
        self.id = id
        self.title = title
        self.blocks = blocks
    }
}

/// A paragraph, a line of poetry, a heading, or another block of a chapter.
public struct Block: Hashable, Sendable, Codable {
    /// A kind of block.
    public enum Kind: Hashable, Sendable, Codable {
        /// A paragraph.
        case paragraph
        /// A paragraph that goes on after poetry or a quotation, without a first-line indent.
        case continuation
        /// A heading that is not part of the text. The level is from 1 (largest) to 6.
        case heading(level: Int)
        /// A title that belongs to the text, such as that of a psalm.
        case canonicalTitle
        /// A line of poetry. The indent is from 1 (none) to 4.
        case poetry(indent: Int)
        /// The empty line between stanzas. It has no fragments.
        case stanzaBreak
        /// A quotation that is set off.
        case quotation
        /// An item of a list. The level is from 1.
        case listItem(level: Int, marker: String)
        /// Text whose white space is kept, such as code.
        case preformatted
        /// A row of a table; each fragment is a cell.
        case tableRow
        /// A break between sections. It has no fragments.
        case rule
    }

    /// The kind.
    public var kind: Kind
    /// The fragments, in the order of reading.
    public var fragments: [Fragment]

    /// Creates a block.
    public init(_ kind: Kind, _ fragments: [Fragment] = []) {
        self.kind = kind
        self.fragments = fragments
    }
}

/// A piece of a block that belongs to one verse, or to none.
public struct Fragment: Hashable, Sendable, Codable {
    /// The verse; `nil` in a heading.
    public var verse: Int?
    /// The number to show before the fragment, such as `16` or `16–17`. Only the first fragment of a verse has one.
    public var label: String?
    /// The contents.
    public var inlines: [Inline]

    /// Creates a fragment.
    public init(verse: Int?, label: String? = nil, _ inlines: [Inline]) {
        self.verse = verse
        self.label = label
        self.inlines = inlines
    }
}

/// A run of text, a line break, or a note.
public enum Inline: Hashable, Sendable, Codable {
    /// Text in a style. White space is collapsed: only ASCII spaces, never two.
    case text(String, TextStyle)
    /// A line break within a block.
    case lineBreak
    /// A note, to be shown as a mark.
    case note(Note)

    /// Text without a style.
    public static func text(_ text: String) -> Inline { .text(text, []) }
}

/// The styles of a run of text.
public struct TextStyle: OptionSet, Hashable, Sendable, Codable {
    /// The styles as bits.
    public let rawValue: Int
    /// Creates styles of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Words of Christ.
    public static let wordsOfChrist = TextStyle(rawValue: 1 << 0)
    /// Words that translators added, usually set in italics.
    public static let added = TextStyle(rawValue: 1 << 1)
    /// The name of God, usually set in small capitals.
    public static let divineName = TextStyle(rawValue: 1 << 2)
    /// Emphasis.
    public static let emphasis = TextStyle(rawValue: 1 << 3)
    /// Strong emphasis.
    public static let strong = TextStyle(rawValue: 1 << 4)
    /// Code.
    public static let code = TextStyle(rawValue: 1 << 5)
    /// A quotation from elsewhere in scripture.
    public static let scriptureQuotation = TextStyle(rawValue: 1 << 6)
    /// A word of another language.
    public static let foreign = TextStyle(rawValue: 1 << 7)
    /// Raised text.
    public static let superscript = TextStyle(rawValue: 1 << 8)
    /// The word Selah.
    public static let selah = TextStyle(rawValue: 1 << 9)
}

/// A footnote, an endnote, or cross-references.
public struct Note: Hashable, Sendable, Codable {
    /// A kind of note.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// A note at the foot of a page or the end of a book.
        case footnote
        /// References to other passages.
        case crossReference
    }

    /// The kind.
    public var kind: Kind
    /// The mark that the source gives; `nil` if it gives none.
    public var mark: String?
    /// The text, without notes of its own.
    public var inlines: [Inline]
    /// The passages that the note names, where the source marks them up.
    public var references: [Reference]

    /// Creates a note.
    public init(_ kind: Kind, mark: String? = nil, _ inlines: [Inline], references: [Reference] = []) {
        self.kind = kind
        self.mark = mark
        self.inlines = inlines
        self.references = references
    }
}
