import Foundation
import GRDB
import Hablare
import HablareFiles

/// Functions that open the database file.
enum DatabaseFile {
    /// Opens or creates the database, and migrates it. Also returns the identity of the open file.
    ///
    /// - Throws: `AIServiceError` if newer software or another program wrote the database, or if the file is replaced
    ///   during the call. `DatabaseError` for every other failure.
    static func open(
        _ path: String, _ options: SQLiteStore.Configuration
    ) throws -> (DatabasePool, DatabaseIdentity) {
        let isThere = FileManager.default.fileExists(atPath: path)
        // Only its owner may read it, because prompts are private. SQLite gives its other files the same mode.
        if !isThere { try FileSystem.makeFile(path) }
        let identity = try DatabaseIdentity(ofFileAt: path)
        if isThere { try check(path, options) }
        return (try open(path, options, as: identity), identity)
    }

    /// Opens a file whose identity is already known. Each connection opens the file by its path, immediately or when it
    /// is first needed. It then checks the identity of the file. No connection therefore uses a different file.
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
            // Set again for the writer: opening a pool sets NORMAL, which loses the last commits when power fails.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // Four times the default: pages that every commit changes are copied from the log less often.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
            // Setting it is a commit even if nothing changes; reading it is not.
            if try Int32.fetchOne(db, sql: "PRAGMA application_id") != Schema.applicationID {
                try db.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
            }
        }
        try Schema.migrator.migrate(pool)
        // SQLite opened the write-ahead log by its path, too.
        try identity.check()
        return pool
    }

    private static func prepare(_ db: Database, _ options: SQLiteStore.Configuration) throws {
        try db.execute(sql: "PRAGMA synchronous = FULL")
        // Overwrites deleted data, also on pages that become free.
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

    /// Throws an error for a database that this library must not migrate. The check uses a read-only connection,
    /// because opening the pool of connections writes to the file.
    private static func check(_ path: String, _ options: SQLiteStore.Configuration) throws {
        // SQLite takes a file with an incomplete header for a new database, and would overwrite it.
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
