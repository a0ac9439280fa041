import GRDB

/// The classification of database failures for merges and action queues.
extension DatabaseError {
    /// Whether a retry can succeed without any change, because the database was temporarily busy, full or failing.
    var isPassing: Bool {
        switch resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_INTERRUPT, .SQLITE_ABORT,
            .SQLITE_CANTOPEN:
            true
        default: false
        }
    }

    /// Whether the disk or the quota is full. SQLite reports `SQLITE_IOERR_SHMSIZE` if there is no space for the index
    /// of the write-ahead log (<https://sqlite.org/rescode.html#ioerr_shmsize>).
    var isOfAFullDisk: Bool { resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE }

    /// Whether the tables of ``GRDB/DatabaseMigrator/registerHablareData()`` are missing.
    var isOfMissingBooks: Bool { message?.contains("no such table: hablare_") == true }
}
