import Foundation
import GRDB

/// The commands that were carried out, so that a repeated one is found done.
enum CommandBook {
    /// The time for which a command is remembered: 400 days. An outbox of a browser may be opened after a long time.
    static let kept: Int64 = 400 * 86_400

    /// Records a command in the transaction that carries it out.
    ///
    /// - Returns: False if the command was carried out before, and must not be again.
    /// - Throws: ``PersonalDataError`` with the code `conflict` if a different command has the id.
    static func begin(_ id: UUID, digest: String, at now: Moment, in db: Database) throws -> Bool {
        let known = try String.fetchOne(
            db.cachedStatement(sql: "SELECT digest FROM personalCommand WHERE id = ?"), arguments: [id.key])
        if let known {
            guard known == digest else {
                throw PersonalDataError(
                    .conflict, "A different command was carried out under the same id. Reload the page.")
            }
            return false
        }
        try db.cachedStatement(sql: "INSERT INTO personalCommand (id, digest, madeAt) VALUES (?, ?, ?)")
            .execute(arguments: [id.key, digest, now.rawValue])
        try db.cachedStatement(
            sql: """
                DELETE FROM personalCommand
                WHERE id IN (SELECT id FROM personalCommand WHERE madeAt < ? ORDER BY madeAt LIMIT 10)
                """
        ).execute(arguments: [now.adding(seconds: -kept).rawValue])
        return true
    }
}

extension UUID {
    /// The text in lower case, as rows hold it.
    var key: String { uuidString.lowercased() }
    /// The text as a value of a row.
    var value: StoredValue { .text(key) }
}
