public import Foundation
public import GRDB
public import HablarePersistence
public import LecternTexts

/// A page of a list of marks.
public struct MarkPage: Sendable {
    /// The marks.
    public let marks: [Mark]
    /// The position of the marks before this page; `nil` if there are none.
    public let previous: PagePosition?
    /// The position of the marks after this page; `nil` if there are none.
    public let next: PagePosition?
}

/// Reads marks. Every method runs inside a read of the caller.
public struct MarkStore: Sendable {
    /// Creates a store.
    public init() {}

    /// Returns a mark; `nil` if it does not exist or was removed.
    public func mark(_ id: UUID, in db: Database) throws -> Mark? {
        try complete(
            MarkRow.fetchAll(db, sql: "SELECT * FROM mark WHERE id = ? AND isRemoved = 0", arguments: [id.key]), in: db
        ).first
    }

    /// Returns the note whose current text is a version; `nil` if there is none, or if it was removed.
    func note(ofVersion version: String, in db: Database) throws -> Mark? {
        try complete(
            MarkRow.fetchAll(
                db, sql: "SELECT * FROM mark WHERE version = ? AND isRemoved = 0", arguments: [version]), in: db
        ).first
    }

    /// Returns the marks that touch a chapter, in the order of their passages.
    ///
    /// - Parameters:
    ///   - chapter: The chapter.
    ///   - text: The text that is shown. Marks of its versification are included.
    public func marks(
        of chapter: ChapterID, in text: TextDescription, _ db: Database
    ) throws -> [Mark] {
        let rows = try MarkRow.fetchAll(
            db,
            sql: """
                SELECT * FROM mark
                WHERE book = ? AND firstChapter <= ? AND lastChapter >= ? AND space IN (?, ?) AND isRemoved = 0
                """,
            arguments: [
                chapter.book.rawValue, chapter.chapter, chapter.chapter, MarkPlace.Space.text(text.id).text,
                MarkPlace.Space.versification(text.versification).text,
            ])
        return try complete(rows, in: db).sorted { one, other in
            let places = (one.place?.reference.places?.lowerBound, other.place?.reference.places?.lowerBound)
            guard let first = places.0, let second = places.1, first != second else {
                return (one.createdAt, one.id.key) < (other.createdAt, other.id.key)
            }
            return first < second
        }
    }

    /// Returns a page of the marks that pass a filter, the newest first.
    public func page(
        _ position: PagePosition = .first, of filter: MarkFilter, size: Int = 50, in db: Database
    ) throws -> MarkPage {
        let query = try PagedQuery(
            order: PageOrder(.descending("createdAt"), unique: .descending("id")), size: size
        ) {
            filter.request
        }
        let page = try query.page(position, in: db)
        return MarkPage(marks: try complete(page.rows, in: db), previous: page.previous, next: page.next)
    }

    /// Returns the number of marks that pass a filter.
    public func count(of filter: MarkFilter, in db: Database) throws -> Int { try filter.request.fetchCount(db) }

    /// Returns the versions of a note, the newest first.
    public func versions(of note: UUID, in db: Database) throws -> [NoteVersion] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT noteVersion.*, lostVersion.version IS NOT NULL AS isLost FROM noteVersion
                LEFT JOIN lostVersion ON lostVersion.version = noteVersion.id
                WHERE noteVersion.note = ? ORDER BY noteVersion.madeAt DESC, noteVersion.rowid DESC
                """, arguments: [note.key]
        ).compactMap(Self.version)
    }

    /// Returns the folders by name, with the numbers of their marks.
    public func folders(in db: Database) throws -> [MarkFolder] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT id, name, (SELECT COUNT(*) FROM mark WHERE folder = markFolder.id AND mark.isRemoved = 0) AS number
                FROM markFolder WHERE isRemoved = 0 ORDER BY name, id
                """
        ).compactMap { row in
            UUID(uuidString: row["id"]).map { MarkFolder(id: $0, name: row["name"], count: row["number"]) }
        }
    }

    /// Returns the tags by name, with the numbers of their marks.
    public func tags(in db: Database) throws -> [(tag: String, count: Int)] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT tag, COUNT(*) AS number FROM markTag JOIN mark ON mark.id = markTag.mark AND mark.isRemoved = 0
                GROUP BY tag ORDER BY tag
                """
        ).map { ($0["tag"], $0["number"]) }
    }

    // MARK: Rows

    /// Adds tags and texts to rows of marks, with two queries for all of them.
    private func complete(_ rows: [MarkRow], in db: Database) throws -> [Mark] {
        guard !rows.isEmpty else { return [] }
        let ids = rows.map(\.mark.id.key)
        let tags = try SQLRequest<Row>("SELECT mark, tag FROM markTag WHERE mark IN \(ids) ORDER BY tag").fetchAll(db)
            .reduce(into: [String: [String]]()) { $0[$1["mark"], default: []].append($1["tag"]) }
        let folders = try Set(String.fetchAll(db, sql: "SELECT id FROM markFolder WHERE isRemoved = 0"))
        let current = rows.compactMap(\.version)
        let versions = try SQLRequest<Row>(
            """
            SELECT noteVersion.*, lostVersion.version IS NOT NULL AS isLost FROM noteVersion
            LEFT JOIN lostVersion ON lostVersion.version = noteVersion.id
            WHERE noteVersion.id IN \(current) OR noteVersion.id IN
            (SELECT version FROM lostVersion WHERE note IN \(ids)) ORDER BY noteVersion.madeAt DESC
            """
        ).fetchAll(db).compactMap(Self.version)
        let byID = Dictionary(versions.map { ($0.id.key, $0) }) { first, _ in first }
        let lost = Dictionary(grouping: versions.filter(\.isLost), by: \.note)
        return rows.map { row in
            var mark = row.mark
            if let folder = mark.folder, !folders.contains(folder.key) { mark.folder = nil }
            mark.tags = tags[mark.id.key] ?? []
            mark.version = row.version.flatMap { byID[$0] }
            mark.lost = lost[mark.id] ?? []
            return mark
        }
    }

    private static func version(_ row: Row) -> NoteVersion? {
        guard let id = UUID(uuidString: row["id"]), let note = UUID(uuidString: row["note"]) else { return nil }
        return NoteVersion(
            id: id, note: note, text: row["text"], madeAt: Moment(rawValue: row["madeAt"]),
            base: (row["base"] as String?).flatMap { UUID(uuidString: $0) }, isLost: row["isLost"])
    }
}
