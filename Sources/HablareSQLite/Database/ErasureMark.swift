import GRDB

/// A mark in the database, for every process to see, that what was deleted may still be in the write-ahead log. The
/// process that deleted it may end before the log can be emptied.
///
/// `wanted` counts the commits that deleted something; `done` is what it was before the log was last emptied. So whoever
/// says that the log is empty takes no mark back that was set meanwhile.
enum ErasureMark {
    /// Sets the mark, in the transaction that deletes. Needs no room: a full store must delete. Where damage took the
    /// row away, it is made again.
    static func set(_ db: Database) throws {
        var update = try BoundStatement(
            db,
            "INSERT INTO erasures (id, wanted, done) VALUES (1, 1, 0) ON CONFLICT (id) DO UPDATE SET wanted = wanted + 1"
        )
        try update.run()
    }

    /// How far the log is to be emptied; `nil` where nothing is left to erase.
    static func wanted(_ db: Database) throws -> Int64? {
        var wanted: Int64?
        var select = try BoundStatement(db, "SELECT wanted FROM erasures WHERE id = 1 AND wanted > done")
        try select.forEach { wanted = $0.int(0) }
        return wanted
    }

    /// Takes the mark back, up to what was wanted before the log was emptied.
    static func clear(_ wanted: Int64, _ db: Database) throws {
        var update = try BoundStatement(db, "UPDATE erasures SET done = ?1 WHERE id = 1 AND done < ?1")
        update.bind(1, wanted)
        try update.run()
    }
}
