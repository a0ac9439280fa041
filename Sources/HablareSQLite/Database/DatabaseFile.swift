import Foundation
import GRDB
import Hablare
import HablareFiles

/// Opens the database file.
enum DatabaseFile {
    /// Opens or creates the database, and migrates it. Returns the identity of the file that is open, too.
    ///
    /// - Throws: `AIServiceError` for a database of newer software or of somebody else, and for one that is replaced
    ///   meanwhile; else `DatabaseError`.
    static func open(
        _ path: String, _ options: SQLiteStore.Configuration
    ) throws -> (DatabasePool, DatabaseIdentity) {
        let isThere = FileManager.default.fileExists(atPath: path)
        // For its owner's eyes only: prompts are private. SQLite gives its other files the database's mode.
        if !isThere { try FileSystem.makeFile(path) }
        let identity = try DatabaseIdentity(ofFileAt: path)
        if isThere { try check(path, options) }
        return (try open(path, options, as: identity), identity)
    }

    /// Opens a file whose identity was taken before. Each connection opens it by its path, now or when it is first needed,
    /// and looks then whether that is the same file: none ever reads or writes another one.
    static func open(
        _ path: String, _ options: SQLiteStore.Configuration, as identity: DatabaseIdentity
    ) throws -> DatabasePool {
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(options.busyTimeout)
        configuration.maximumReaderCount = 4
        configuration.label = "hablare"
        configuration.prepareDatabase { db in
            try identity.check()
            try prepare(db, options)
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            // Again, for the writer: opening a pool sets NORMAL, which loses the last commits with the power.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // Pages that every commit changes are copied from the log into the database four times less often.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
            // Setting it is a commit, also when nothing changes; looking is not.
            if try Int32.fetchOne(db, sql: "PRAGMA application_id") != Schema.applicationID {
                try db.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
            }
        }
        try Schema.migrator.migrate(pool)
        // The write-ahead log was opened by its path, too.
        try identity.check()
        return pool
    }

    private static func prepare(_ db: Database, _ options: SQLiteStore.Configuration) throws {
        try db.execute(sql: "PRAGMA synchronous = FULL")
        // What is deleted is overwritten, also on pages that become free.
        try db.execute(sql: "PRAGMA secure_delete = ON")
        #if canImport(Darwin)
        try db.execute(sql: "PRAGMA fullfsync = ON")
        try db.execute(sql: "PRAGMA checkpoint_fullfsync = ON")
        #endif
        if let size = options.maximumDatabaseSize {
            let page = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
            try db.execute(sql: "PRAGMA max_page_count = \(max(1, size / page))")
        }
    }

    /// Refuses what is not ours to migrate. Looks by a connection that cannot write: the pool writes by its opening.
    private static func check(_ path: String, _ options: SQLiteStore.Configuration) throws {
        // SQLite takes a file without a whole header for a new database, and would write over it.
        if let size = try FileSystem.size(ofFile: path), (1..<100).contains(size) {
            throw AIServiceError(DatabaseError(resultCode: .SQLITE_NOTADB, message: "\(size) bytes"), path: path)
        }
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(options.busyTimeout)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.read { db in try check(db, path) }
        try queue.close()
    }

    private static func check(_ db: Database, _ path: String) throws {
        let id = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        guard id == Schema.applicationID || tables == 0 else {
            throw AIServiceError(
                .storageCorrupt,
                "\(path) is a database of another program. Nothing was changed. Choose another folder.")
        }
        if try Schema.migrator.hasBeenSuperseded(db) { throw AIServiceError.tooNew(path: path) }
    }
}
