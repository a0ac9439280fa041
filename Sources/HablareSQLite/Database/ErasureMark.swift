import GRDB

/// A mark in the database that deleted data may still be in the write-ahead log. Every process sees it, because the
/// process that deleted may end before the log can be emptied.
///
/// `wanted` counts the commits that deleted something. `done` is the value that `wanted` had before the log was last
/// emptied. So clearing the mark does not clear one that was set meanwhile.
enum ErasureMark {
    /// Sets the mark, in the transaction that deletes. Needs no room, because a full store must be able to delete.
    /// Inserts the row again if damage removed it.
    static func set(_ db: Database) throws {
        var update = try BoundStatement(
            db,
            "INSERT INTO erasures (id, wanted, done) VALUES (1, 1, 0) ON CONFLICT (id) DO UPDATE SET wanted = wanted + 1"
        )
        try update.run()
    }

    /// Returns the count up to which the log must be emptied; `nil` if nothing is left to erase.
    static func wanted(_ db: Database) throws -> Int64? {
        var wanted: Int64?
        var select = try BoundStatement(db, "SELECT wanted FROM erasures WHERE id = 1 AND wanted > done")
        try select.forEach { wanted = $0.int(0) }
        return wanted
    }

    /// Clears the mark up to the count that was wanted before the log was emptied.
    static func clear(_ wanted: Int64, _ db: Database) throws {
        var update = try BoundStatement(db, "UPDATE erasures SET done = ?1 WHERE id = 1 AND done < ?1")
        update.bind(1, wanted)
        try update.run()
    }
}
