import GRDB

/// A mark in the database. It means that deleted data may still be in the write-ahead log. The mark is in the database,
/// because the process that deleted the data may end before the log can be emptied. Another process then empties the
/// log.
///
/// `wanted` counts the commits that deleted data. `done` is the value that `wanted` had before the log was last
/// emptied. Clearing the mark therefore does not clear a mark that another process set while the log was being emptied.
enum ErasureMark {
    /// Sets the mark, in the transaction that deletes the data. Needs no disk space, so that data can be deleted from a
    /// full store. If damage removed the row, inserts it again.
    static func set(_ db: Database) throws {
        var update = try BoundStatement(
            db,
            "INSERT INTO erasures (id, wanted, done) VALUES (1, 1, 0) ON CONFLICT (id) DO UPDATE SET wanted = wanted + 1"
        )
        try update.run()
    }

    /// Returns the count up to which the log must be emptied. Returns `nil` if no data is left to erase.
    static func wanted(_ db: Database) throws -> Int64? {
        var wanted: Int64?
        var select = try BoundStatement(db, "SELECT wanted FROM erasures WHERE id = 1 AND wanted > done")
        try select.forEach { wanted = $0.int(0) }
        return wanted
    }

    /// Clears the mark up to the count that `wanted` had before the log was emptied.
    static func clear(_ wanted: Int64, _ db: Database) throws {
        var update = try BoundStatement(db, "UPDATE erasures SET done = ?1 WHERE id = 1 AND done < ?1")
        update.bind(1, wanted)
        try update.run()
    }
}
