public import Foundation
public import GRDB
import LecternTexts

/// The place at which a person stopped listening to a text on a device.
public struct ListeningPlace: Sendable, Hashable, Codable {
    /// The id of the text.
    public var text: String
    /// The device.
    public var device: String
    /// The position.
    public var position: PlaybackPosition
    /// When it was written.
    public var recordedAt: Date

    /// Creates a place.
    public init(text: String, device: String, position: PlaybackPosition, recordedAt: Date) {
        self.text = text
        self.device = device
        self.position = position
        self.recordedAt = recordedAt
    }
}

/// Reads and writes where listening stopped: one place for each text and device. Every method runs inside a transaction
/// of the caller.
public struct ListeningPositionStore: Sendable {
    /// Creates a store.
    public init() {}

    /// Creates the table. A migration calls it.
    static func createTable(in db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE listeningPosition (
                    text TEXT NOT NULL, device TEXT NOT NULL, book TEXT NOT NULL, chapter INTEGER NOT NULL,
                    verse INTEGER NOT NULL, milliseconds INTEGER NOT NULL, recordedAt REAL NOT NULL,
                    PRIMARY KEY (text, device)
                ) STRICT
                """)
    }

    /// Writes a place. An older place never replaces a newer one of the same device.
    public func record(_ place: ListeningPlace, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO listeningPosition (text, device, book, chapter, verse, milliseconds, recordedAt)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET book = excluded.book, chapter = excluded.chapter, verse = excluded.verse,
                milliseconds = excluded.milliseconds, recordedAt = excluded.recordedAt
                WHERE excluded.recordedAt >= recordedAt
                """,
            arguments: [
                place.text, place.device, place.position.chapter.book.rawValue, place.position.chapter.chapter,
                place.position.verse, place.position.milliseconds, place.recordedAt.timeIntervalSince1970,
            ])
    }

    /// Returns the place of a text on a device, or `nil` if there is none.
    public func place(of text: String, on device: String, in db: Database) throws -> ListeningPlace? {
        try places(of: text, in: db).first { $0.device == device }
    }

    /// Returns the places of a text on all devices, the newest first.
    public func places(of text: String, in db: Database) throws -> [ListeningPlace] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM listeningPosition WHERE text = ? ORDER BY recordedAt DESC, device",
            arguments: [text]
        ).map { row in
            ListeningPlace(
                text: row["text"], device: row["device"],
                position: PlaybackPosition(
                    ChapterID(BookID(rawValue: row["book"]), row["chapter"]), verse: row["verse"],
                    milliseconds: row["milliseconds"]),
                recordedAt: Date(timeIntervalSince1970: row["recordedAt"]))
        }
    }
}
