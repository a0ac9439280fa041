public import Foundation
public import GRDB
import Hablare
import HablarePersistence
public import LecternTexts

/// The history of reading and listening, and the positions of each device. Every method runs inside a transaction of the
/// caller. Only an act of reading or listening writes; opening a page does not.
public struct ReadingLog: Sendable {
    /// The time within which acts in the same chapter are one event: 30 minutes.
    static let pause: Int64 = 30 * 60

    /// Creates a log.
    public init() {}

    // MARK: Acts

    /// Records an act: adds it to the history, and moves the position of the device, unless that is newer.
    ///
    /// A position from the future, written before the clock was set back, is not newer.
    ///
    /// - Parameters:
    ///   - position: The place that was reached, and when.
    ///   - id: The id of a new event.
    ///   - now: The current time. A position that claims to be later counts as made now.
    /// - Returns: Whether the position was moved.
    /// - Throws: ``PersonalDataError`` with the code `invalid`. The errors of writing.
    @discardableResult
    public func record(_ position: ReadingPosition, id: UUID, now: Moment, in db: Database) throws -> Bool {
        guard !position.device.isEmpty, position.device.utf8.count <= 100, position.text.utf8.count <= 100 else {
            throw PersonalDataError(.invalid, "The device or the text of a position is invalid. Reload the page.")
        }
        var position = position
        position.madeAt = min(position.madeAt, now)
        try addEvent(position, id: id, in: db)
        try db.cachedStatement(
            sql: """
                INSERT INTO readingPosition (device, text, kind, book, chapter, verse, offset, madeAt)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (device, text, kind) DO UPDATE SET book = excluded.book, chapter = excluded.chapter,
                verse = excluded.verse, offset = excluded.offset, madeAt = excluded.madeAt
                WHERE madeAt <= excluded.madeAt OR madeAt > ?
                """
        ).execute(
            arguments: [
                position.device, position.text, position.kind.rawValue, position.chapter.book.rawValue,
                position.chapter.chapter, position.verse, max(0, position.offset), position.madeAt.rawValue,
                now.rawValue,
            ])
        return db.changesCount > 0
    }

    private func addEvent(_ position: ReadingPosition, id: UUID, in db: Database) throws {
        let last = try Row.fetchOne(
            db,
            sql: """
                SELECT * FROM readingEvent WHERE kind = ? AND device = ? AND text = ? AND book = ? AND chapter = ?
                AND startedAt <= ? AND endedAt >= ? ORDER BY endedAt DESC LIMIT 1
                """,
            arguments: [
                position.kind.rawValue, position.device, position.text, position.chapter.book.rawValue,
                position.chapter.chapter, position.madeAt.rawValue,
                position.madeAt.adding(seconds: -Self.pause).rawValue,
            ])
        if let last {
            // A late older act lies within the event already.
            guard (last["endedAt"] as Int64) <= position.madeAt.rawValue else { return }
            return try db.execute(
                sql: "UPDATE readingEvent SET endedAt = ?, verse = ? WHERE id = ?",
                arguments: [position.madeAt.rawValue, position.verse, last["id"] as String])
        }
        try db.execute(
            sql: """
                INSERT INTO readingEvent (id, kind, device, text, book, chapter, verse, startedAt, endedAt)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
            arguments: [
                id.key, position.kind.rawValue, position.device, position.text, position.chapter.book.rawValue,
                position.chapter.chapter, position.verse, position.madeAt.rawValue, position.madeAt.rawValue,
            ])
    }

    // MARK: Positions

    /// Returns where the device was last; `nil` if it never was in the text.
    public func position(
        of device: String, in text: String, _ kind: ReadingEvent.Kind, _ db: Database
    ) throws -> ReadingPosition? {
        try Row.fetchOne(
            db, sql: "SELECT * FROM readingPosition WHERE device = ? AND text = ? AND kind = ?",
            arguments: [device, text, kind.rawValue]
        ).flatMap(Self.position)
    }

    /// Returns the newer place of another device, to be offered. It is never applied by itself.
    ///
    /// - Returns: The newest place; `nil` if it is the same place, is not newer, or was declined.
    public func offer(
        to device: String, in text: String, _ kind: ReadingEvent.Kind, _ db: Database
    ) throws -> ReadingPosition? {
        let own = try Row.fetchOne(
            db, sql: "SELECT * FROM readingPosition WHERE device = ? AND text = ? AND kind = ?",
            arguments: [device, text, kind.rawValue])
        let newest = try Row.fetchOne(
            db,
            sql: """
                SELECT * FROM readingPosition WHERE device <> ? AND text = ? AND kind = ? AND madeAt > ?
                ORDER BY madeAt DESC LIMIT 1
                """,
            arguments: [
                device, text, kind.rawValue,
                own.map { max($0["madeAt"] as Int64, $0["declinedUpTo"] as Int64) } ?? Int64.min,
            ]
        ).flatMap(Self.position)
        guard let newest, own.flatMap(Self.position)?.isSamePlace(as: newest) != true else { return nil }
        return newest
    }

    /// Remembers that the person declined a place, so that it is not offered again. A device without a position of its
    /// own gets none by this.
    public func decline(_ offer: ReadingPosition, on device: String, in db: Database) throws {
        try db.execute(
            sql: """
                UPDATE readingPosition SET declinedUpTo = MAX(declinedUpTo, ?)
                WHERE device = ? AND text = ? AND kind = ?
                """, arguments: [offer.madeAt.rawValue, device, offer.text, offer.kind.rawValue])
    }

    private static func position(_ row: Row) -> ReadingPosition? {
        guard let kind = ReadingEvent.Kind(rawValue: row["kind"]) else { return nil }
        return ReadingPosition(
            device: row["device"], text: row["text"], kind: kind,
            chapter: ChapterID(BookID(rawValue: row["book"]), row["chapter"]), verse: row["verse"],
            offset: row["offset"], madeAt: Moment(rawValue: row["madeAt"]))
    }

    // MARK: History

    /// Returns the history, the newest first.
    ///
    /// - Parameters:
    ///   - kind: Only acts of this kind. Default: all.
    ///   - last: The last event of the page before; `nil` for the first page.
    ///   - limit: The most events.
    public func history(
        _ kind: ReadingEvent.Kind? = nil, after last: ReadingEvent? = nil, limit: Int = 50, in db: Database
    ) throws -> [ReadingEvent] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM readingEvent WHERE (endedAt, id) < (?, ?) AND (?3 IS NULL OR kind = ?3)
                ORDER BY endedAt DESC, id DESC LIMIT ?4
                """,
            arguments: [last?.endedAt.rawValue ?? .max, last?.id.key ?? "", kind?.rawValue, limit]
        ).compactMap(Self.event)
    }

    /// Returns the chapters that were read or heard last, the newest first, each once.
    public func recentChapters(limit: Int = 10, in db: Database) throws -> [(text: String, chapter: ChapterID)] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT text, book, chapter, MAX(endedAt) AS newest FROM readingEvent
                GROUP BY text, book, chapter ORDER BY newest DESC LIMIT ?
                """, arguments: [limit]
        ).map { ($0["text"], ChapterID(BookID(rawValue: $0["book"]), $0["chapter"])) }
    }

    /// Clears the history. Positions stay.
    ///
    /// - Parameter text: Only the history of this text. Default: all.
    public func clear(text: String? = nil, in db: Database) throws {
        // The free pages are overwritten, so that the file does not tell what was read.
        try db.execute(sql: "PRAGMA secure_delete = ON")
        try db.execute(sql: "DELETE FROM readingEvent WHERE ?1 IS NULL OR text = ?1", arguments: [text])
        try db.execute(sql: "PRAGMA secure_delete = OFF")
    }

    private static func event(_ row: Row) -> ReadingEvent? {
        guard let id = UUID(uuidString: row["id"]), let kind = ReadingEvent.Kind(rawValue: row["kind"]) else {
            return nil
        }
        return ReadingEvent(
            id: id, kind: kind, device: row["device"], text: row["text"],
            chapter: ChapterID(BookID(rawValue: row["book"]), row["chapter"]), verse: row["verse"],
            startedAt: Moment(rawValue: row["startedAt"]), endedAt: Moment(rawValue: row["endedAt"]))
    }
}

extension PersonalData {
    /// Records an act of reading or listening. See ``ReadingLog/record(_:id:now:in:)``. It is no step of the undo history.
    ///
    /// - Returns: Whether the position of the device was moved.
    /// - Throws: ``PersonalDataError``: `invalid`, `diskFull`, `databaseFailed`.
    @discardableResult
    public func record(_ position: ReadingPosition) async throws -> Bool {
        let (id, now) = (seams.makeID(), now)
        do {
            return try await database.write { try ReadingLog().record(position, id: id, now: now, in: $0) }
        } catch {
            throw PersonalDataError.forCaller(error)
        }
    }
}
