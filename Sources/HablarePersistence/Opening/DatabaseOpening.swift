import Foundation
import GRDB
import HablareFiles

/// The steps that open and migrate a database.
struct DatabaseOpening {
    let url: URL
    let migrator: DatabaseMigrator
    let options: AppDatabase.Options

    /// The path of the database, for messages.
    private var path: String { url.path }

    func run() throws(AppDatabaseError) -> DatabasePool {
        try options.check()
        guard url.isFileURL else {
            throw AppDatabaseError(.invalidOptions, "\(url) is not a file URL. Pass the URL of a file.")
        }
        do {
            if options.createsFolder { try DurableCalls.system.makeFolders(Self.folder(of: path)) }
            // SQLite follows links and keeps its log beside the real file. The lock and the watcher must be there, too.
            let file = try FileSystem.resolved(path)
            return try FileLock.whileHeld(on: Self.folder(of: file), waiting: options.busySeconds) {
                try open(file)
            }
        } catch {
            throw AppDatabaseError(opening: path, failedWith: error)
        }
    }

    private static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }

    private func open(_ file: String) throws -> DatabasePool {
        let status = try FileSystem.status(of: file)
        switch status?.kind {
        case nil: try FileSystem.makeFile(file)
        case .folder:
            throw AppDatabaseError(
                .notADatabase, "\(path) is a folder. Nothing was changed. Choose the path of a file in the folder.")
        case .file, .other:
            // SQLite takes a file with an incomplete header for a new database, and would overwrite it.
            if let size = status?.size, (1..<100).contains(size) {
                throw AppDatabaseError(
                    opening: path, failedWith: DatabaseError(resultCode: .SQLITE_NOTADB, message: "\(size) bytes"))
            }
            try refuseNewer(file)
        }
        let pool = try DatabasePool(path: file, configuration: configuration)
        // Set again for the writer: opening a pool sets NORMAL, which loses the last commits when power fails.
        try pool.writeWithoutTransaction { db in try Self.setDurability(options.durability, db) }
        try Self.migrate(pool, by: migrator, path: path)
        return pool
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "app"
        configuration.busyMode = .timeout(options.busySeconds)
        configuration.maximumReaderCount = options.readers
        configuration.prepareDatabase { [options] db in
            try Self.setDurability(options.durability, db)
            try options.prepare?(db)
        }
        return configuration
    }

    private static func setDurability(_ durability: AppDatabase.Durability, _ db: Database) throws {
        switch durability {
        case .full:
            try db.execute(sql: "PRAGMA synchronous = FULL")
            #if canImport(Darwin)
            try db.execute(sql: "PRAGMA fullfsync = ON")
            try db.execute(sql: "PRAGMA checkpoint_fullfsync = ON")
            #endif
        case .normal: try db.execute(sql: "PRAGMA synchronous = NORMAL")
        }
    }

    /// Throws an error if a newer version of the app has written the database. The method uses a read-only connection,
    /// because opening a pool writes to the file.
    private func refuseNewer(_ file: String) throws {
        // Such a migrator erases what it does not know, and the app chose it.
        guard !migrator.eraseDatabaseOnSchemaChange else { return }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(options.busySeconds)
        // The file may only be readable after the app's `prepare`.
        if let prepare = options.prepare { configuration.prepareDatabase(prepare) }
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        let known = options.retiredMigrations.union(migrator.migrations)
        let unknown = try queue.read { db in try migrator.appliedIdentifiers(db).subtracting(known) }
        try queue.close()  // no other code has it, so none reads later
        guard unknown.isEmpty else {
            throw AppDatabaseError(
                .tooNew,
                "A newer version of this app has written \(path) (\(unknown.sorted().joined(separator: ", "))). Nothing was changed. Update the app, or choose another location."
            )
        }
    }

    /// Migrates the database. If a migration fails, the error names the migration.
    static func migrate(_ writer: any DatabaseWriter, by migrator: DatabaseMigrator, path: String) throws {
        do {
            try migrator.migrate(writer)
        } catch {
            if let error = error as? DatabaseError, let known = AppDatabaseError(knownOf: error, path) { throw known }
            let completed = try writer.read { db in try migrator.completedMigrations(db).count }
            let names = migrator.migrations
            let name = completed < names.count ? "\u{201C}\(names[completed])\u{201D}" : "after the last one"
            throw AppDatabaseError(
                .migrationFailed,
                "\(path): the migration \(name) failed and was undone. The earlier migrations stay. Report this error to the developer of the app. An earlier version of the app may still open the file.",
                cause: error)
        }
    }
}
