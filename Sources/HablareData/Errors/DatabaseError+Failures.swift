import GRDB

/// What a failure of the app's database is to those who keep their books in it: merges and queues of actions.
extension DatabaseError {
    /// Whether asking again can help without anybody changing anything: it was busy, full or failing for a while.
    var isPassing: Bool {
        switch resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_INTERRUPT, .SQLITE_ABORT,
            .SQLITE_CANTOPEN:
            true
        default: false
        }
    }

    /// Whether the disk, or the quota, is full. The other code is what that is called where the index of the write-ahead log
    /// needs room (<https://sqlite.org/rescode.html#ioerr_shmsize>).
    var isOfAFullDisk: Bool { resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE }

    /// Whether the tables of ``GRDB/DatabaseMigrator/registerHablareData()`` are not there.
    var isOfMissingBooks: Bool { message?.contains("no such table: hablare_") == true }
}
