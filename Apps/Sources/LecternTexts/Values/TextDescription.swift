/// A description of a text: a translation of the Bible, or a book of one's own.
public struct TextDescription: Hashable, Sendable, Codable {
    /// A kind of text.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// Books, chapters and verses of scripture.
        case scripture
        /// A book with chapters and paragraphs.
        case book
    }

    /// The direction of the text.
    public enum Direction: String, Hashable, Sendable, Codable {
        /// Left to right.
        case leftToRight = "ltr"
        /// Right to left.
        case rightToLeft = "rtl"
    }

    /// The id: lower-case ASCII letters, digits and hyphens, such as `kjv`. Used in addresses.
    public var id: String
    /// The title, such as `King James Version`.
    public var title: String
    /// A short title, such as `KJV`.
    public var abbreviation: String
    /// The authors; empty if unknown.
    public var authors: [String]
    /// The kind.
    public var kind: Kind
    /// The language (BCP 47); `und` if unknown.
    public var language: String
    /// The direction.
    public var direction: Direction
    /// The versification, such as `KJV`; a name of the source, in capitals. Empty for a book.
    public var versification: String
    /// The copyright and the license as the source states them; empty if it states none.
    public var rights: String

    /// Creates a description.
    public init(
        id: String, title: String, abbreviation: String, authors: [String] = [], kind: Kind, language: String = "und",
        direction: Direction = .leftToRight, versification: String = "", rights: String = ""
    ) {
        self.id = id
        self.title = title
        self.abbreviation = abbreviation
        self.authors = authors
        self.kind = kind
        self.language = language
        self.direction = direction
        self.versification = versification
        self.rights = rights
    }
}

/// A description of a book of a text.
public struct BookDescription: Hashable, Sendable, Codable {
    /// The id.
    public var id: BookID
    /// The name as it is shown, such as `The Gospel According to John`, or `John`.
    public var name: String
    /// A short name for narrow places, such as `Jn`.
    public var abbreviation: String

    /// Creates a description.
    public init(id: BookID, name: String, abbreviation: String) {
        self.id = id
        self.name = name
        self.abbreviation = abbreviation
    }
}
