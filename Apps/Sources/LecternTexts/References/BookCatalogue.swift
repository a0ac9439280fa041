/// The books of scripture that are known: the 66 of the Protestant canon, the deuterocanon of the World English Bible,
/// and what else a source may have, such as further books of other canons and front matter.
public struct BookCatalogue: Sendable {
    /// A part of the canon.
    public enum Testament: String, Hashable, Sendable, Codable, CaseIterable {
        /// The Old Testament.
        case old
        /// The deuterocanon, also called apocrypha.
        case deuterocanon
        /// The New Testament.
        case new
    }

    /// A book that is known.
    public struct Entry: Hashable, Sendable {
        /// The OSIS id.
        public let id: BookID
        /// The three-letter identifier of USFM and USX, such as `1SA`; `nil` if these formats have none for the book.
        public let usfm: String?
        /// The English name, such as `1 Samuel`.
        public let name: String
        /// The usual English abbreviation, such as `1 Sam`.
        public let abbreviation: String
        /// The part of the canon; `nil` for front and back matter.
        public let testament: Testament?
        /// The position among all that is known, from 0. The deuterocanon is between the testaments.
        public let order: Int
        /// Further names and abbreviations, in lower case, without spaces.
        public let aliases: [String]

        /// The description for a text that names no book itself.
        public var description: BookDescription {
            BookDescription(id: id, name: name, abbreviation: abbreviation)
        }
    }

    /// The catalogue.
    public static let standard = BookCatalogue()

    /// The books that people read and type, in order: the 66, and the deuterocanon of the World English Bible.
    public let entries: [Entry]
    private let all: [Entry]
    private let byID: [BookID: Int]
    private let byUSFM: [String: Int]
    private let byName: [String: Int]

    private init() {
        let parts: [(rows: [Row], testament: Testament?, isRead: Bool)] = [
            (Self.frontMatter, nil, false), (Self.old, .old, true), (Self.deuterocanon, .deuterocanon, true),
            (Self.furtherDeuterocanon, .deuterocanon, false), (Self.new, .new, true), (Self.backMatter, nil, false),
        ]
        var entries: [Entry] = []
        var all: [Entry] = []
        for part in parts {
            for row in part.rows {
                let entry = Entry(
                    id: BookID(rawValue: row.0), usfm: row.1.isEmpty ? nil : row.1, name: row.2,
                    abbreviation: row.3, testament: part.testament, order: all.count,
                    aliases: row.4.split(separator: " ").map(String.init))
                all.append(entry)
                if part.isRead { entries.append(entry) }
            }
        }
        var byName: [String: Int] = [:]
        for entry in entries + all {
            for name in [entry.id.rawValue, entry.name, entry.abbreviation, entry.usfm ?? ""] + entry.aliases {
                let key = name.bookKey
                if !key.isEmpty, byName[key] == nil { byName[key] = entry.order }
            }
        }
        self.entries = entries
        self.all = all
        self.byName = byName
        byID = Dictionary(all.map { ($0.id, $0.order) }, uniquingKeysWith: { first, _ in first })
        byUSFM = Dictionary(
            all.compactMap { entry in entry.usfm.map { ($0, entry.order) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the book with an OSIS id.
    public subscript(id: BookID) -> Entry? { byID[id].map { all[$0] } }

    /// Returns the book with an identifier of USFM, in any case.
    public func entry(usfm: String) -> Entry? { byUSFM[usfm.uppercased()].map { all[$0] } }

    /// Returns the book that has exactly this id, name or abbreviation, whatever its case, spaces and periods.
    ///
    /// Use ``ReferenceParser`` for what a person types: it also knows incomplete, ambiguous and misspelt names.
    public func entry(named name: String) -> Entry? { byName[name.bookKey].map { all[$0] } }
}
