public import Foundation
public import GRDB
public import LecternTexts

/// The person's notes as a file for other programs.
public struct NoteDocument: Sendable {
    /// The names of books for headings. A book without a name has its id.
    public var names: [BookID: String]

    /// Creates a document.
    public init(names: [BookID: String] = [:]) { self.names = names }

    /// A note as JSON tells it.
    public struct Entry: Hashable, Sendable, Codable {
        /// The id.
        public var id: UUID
        /// The numbering, such as `versification:KJV`; `nil` for a note on nothing.
        public var space: String?
        /// The passage as an OSIS id; `nil` for a note on nothing.
        public var osis: String?
        /// The text, in Markdown.
        public var text: String
        /// The tags.
        public var tags: [String]
        /// When it was made and changed, as `2026-11-28T07:45:00.000Z`.
        public var created: String
        /// When it was changed last.
        public var changed: String
        /// The earlier and the lost versions, the newest first.
        public var earlier: [Version]

        /// A version that is not the current one.
        public struct Version: Hashable, Sendable, Codable {
            /// The text, in Markdown.
            public var text: String
            /// When it was made.
            public var made: String
        }
    }

    /// Passes the notes on, the oldest first, one at a time.
    public func forEach(in db: Database, _ body: (Mark, [NoteVersion]) throws -> Void) throws {
        let store = MarkStore()
        let ids = try String.fetchAll(
            db, sql: "SELECT id FROM mark WHERE kind = 'note' AND isRemoved = 0 ORDER BY createdAt, id")
        for id in ids.compactMap({ UUID(uuidString: $0) }) {
            guard let note = try store.mark(id, in: db) else { continue }
            try body(note, store.versions(of: id, in: db).filter { $0.id != note.version?.id })
        }
    }

    /// Returns the notes as a JSON array of ``Entry``.
    public func json(in db: Database) throws -> Data {
        var entries: [Entry] = []
        try forEach(in: db) { note, earlier in
            entries.append(
                Entry(
                    id: note.id, space: note.place?.space.text,
                    osis: note.place.map { OSISText.text(of: $0.reference) }, text: note.text, tags: note.tags,
                    created: Self.text(of: note.createdAt), changed: Self.text(of: note.changedAt),
                    earlier: earlier.map { Entry.Version(text: $0.text, made: Self.text(of: $0.madeAt)) }))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(entries)
    }

    /// Returns the notes as one Markdown document: a heading with the passage for each note, then its text as it is.
    public func markdown(in db: Database) throws -> String {
        var parts: [String] = []
        try forEach(in: db) { note, _ in
            var part = "## " + (note.place.map { title(of: $0.reference) } ?? "Note") + "\n\n"
            part += note.text.hasSuffix("\n") ? note.text : note.text + "\n"
            var facts = [CalendarDay(note.createdAt, offset: 0).description]
            facts += note.tags.map { "#" + $0.replacingOccurrences(of: " ", with: "-") }
            parts.append(part + "\n*" + facts.joined(separator: " \u{B7} ") + "*\n")
        }
        return parts.joined(separator: "\n")
    }

    private func title(of reference: Reference) -> String {
        let book = names[reference.book] ?? reference.book.rawValue
        guard let places = reference.places else { return book }
        let sides = [places.lowerBound, places.upperBound].map { place in
            "\(place.chapter)" + (place.verse.map { ":\($0)" } ?? "")
        }
        return "\(book) " + (sides[0] == sides[1] ? sides[0] : sides.joined(separator: "\u{2013}"))
    }

    private static func text(of moment: Moment) -> String {
        moment.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
