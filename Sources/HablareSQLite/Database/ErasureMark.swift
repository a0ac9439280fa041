import GRDB

/// A mark in the database which means that deleted data may still be in the write-ahead log. It is in the database
/// because the process that deleted the data may end before it can empty the log. Another process then empties the log.
///
/// `wanted` is the number of commits that have deleted data. `done` is the value that `wanted` had before the log was
/// last emptied. If another process sets the mark while the log is being emptied, `wanted` is greater than `done`, and
/// the mark stays set.
enum ErasureMark {
    /// Sets the mark, in the same transaction that deletes the data. This needs no disk space, so that data can be
    /// deleted from a full store. If the row of the mark is lost by damage, inserts it again.
    static func set(_ db: Database) throws {
        var update = try BoundStatement(
            db,
            "INSERT INTO erasures (id, wanted, done) VALUES (1, 1, 0) ON CONFLICT (id) DO UPDATE SET wanted = wanted + 1"
        )
        try update.run()
    }

    /// Returns the current value of `wanted`, if the log must be emptied. Returns `nil` if there is nothing to erase.
    static func wanted(_ db: Database) throws -> Int64? {
        var wanted: Int64?
        var select = try BoundStatement(db, "SELECT wanted FROM erasures WHERE id = 1 AND wanted > done")
        try select.forEach { wanted = $0.int(0) }
        return wanted
    }

    /// Records that the log was emptied. The parameter is the value that `wanted` had before.
    static func clear(_ wanted: Int64, _ db: Database) throws {
        var update = try BoundStatement(db, "UPDATE erasures SET done = ?1 WHERE id = 1 AND done < ?1")
        update.bind(1, wanted)
        try update.run()
    }
}
