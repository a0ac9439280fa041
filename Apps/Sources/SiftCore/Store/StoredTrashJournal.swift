import Foundation
import GRDB
public import HablarePersistence

/// The journal of the trash in Sift's database. A saved record survives a loss of power.
public struct StoredTrashJournal: TrashJournal {
    private let database: AppDatabase

    /// Creates a journal in a database with ``SiftSchema/migrator``.
    public init(_ database: AppDatabase) { self.database = database }

    /// Returns the record of an act.
    public func record(for key: String) throws -> TrashRecord? {
        try database.writer.read { db in
            try String.fetchOne(
                db.cachedStatement(sql: "SELECT record FROM trashAct WHERE key = ?"), arguments: [key])
        }
        .map { try JSONDecoder().decode(TrashRecord.self, from: Data($0.utf8)) }
    }

    /// Writes a record.
    public func save(_ record: TrashRecord) throws {
        let text = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
        try database.writer.write { db in
            try db.cachedStatement(
                sql: """
                    INSERT INTO trashAct (key, phase, record, changedAt) VALUES (?, ?, ?, CURRENT_TIMESTAMP)
                    ON CONFLICT (key) DO UPDATE SET phase = excluded.phase, record = excluded.record,
                    changedAt = excluded.changedAt
                    """
            ).execute(arguments: [record.key, record.phase.rawValue, text])
        }
    }
}
