/// The books of scripture that are known: the 66 of the Protestant canon, and the deuterocanon of the World English Bible.
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
        /// The part of the canon.
        public let testament: Testament
        /// The position among all books, from 0. The deuterocanon is between the testaments.
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

    /// The books, in order.
    public let entries: [Entry]
    private let byID: [BookID: Int]
    private let byUSFM: [String: Int]
    private let byName: [String: Int]

    private init() {
        var entries: [Entry] = []
        for (testament, rows) in [(Testament.old, Self.old), (.deuterocanon, Self.deuterocanon), (.new, Self.new)] {
            for row in rows {
                let order = entries.count
                entries.append(
                    Entry(
                        id: BookID(rawValue: row.0), usfm: row.1.isEmpty ? nil : row.1, name: row.2,
                        abbreviation: row.3, testament: testament, order: order,
                        aliases: row.4.split(separator: " ").map(String.init)))
            }
        }
        var byName: [String: Int] = [:]
        for entry in entries {
            for name in [entry.id.rawValue, entry.name, entry.abbreviation, entry.usfm ?? ""] + entry.aliases {
                let key = name.bookKey
                if !key.isEmpty, byName[key] == nil { byName[key] = entry.order }
            }
        }
        self.entries = entries
        self.byName = byName
        byID = Dictionary(entries.map { ($0.id, $0.order) }, uniquingKeysWith: { first, _ in first })
        byUSFM = Dictionary(
            entries.compactMap { entry in entry.usfm.map { ($0, entry.order) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the book with an OSIS id.
    public subscript(id: BookID) -> Entry? { byID[id].map { entries[$0] } }

    /// Returns the book with an identifier of USFM, in any case.
    public func entry(usfm: String) -> Entry? { byUSFM[usfm.uppercased()].map { entries[$0] } }

    /// Returns the book that has exactly this id, name or abbreviation, whatever its case, spaces and periods.
    ///
    /// Use ``ReferenceParser`` for what a person types: it also knows incomplete, ambiguous and misspelt names.
    public func entry(named name: String) -> Entry? { byName[name.bookKey].map { entries[$0] } }
}
