import Dispatch
public import Foundation
public import GRDB

/// An app's database: opened with advice instead of traps, migrated, and never waited for on the main actor.
///
/// It is GRDB's pool with what an app adds to it, and nothing that GRDB has is hidden: ``writer`` is for everything
/// that is not here. The database closes soon after the last reference to it has gone, on a background queue, because that
/// syncs the disk. There is no other way to close it, because a reader that comes after would crash the process.
///
/// Several processes of one machine may open the same file. A network file system may not hold it.
public final class AppDatabase: Sendable {
    /// Where reads and writes go: a `DatabasePool` for a file, a `DatabaseQueue` in memory. Do not call its `close()`, and do
    /// not keep it longer than this: whoever has the last reference to the writer itself closes it, on that thread.
    public var writer: any DatabaseWriter { keeper.writer }
    /// The file; `nil` for a database in memory.
    public let url: URL?
    private let otherProcesses: OtherProcesses?
    private let keeper: WriterKeeper

    /// Where reads go: the same as ``writer``, for what needs no more.
    public var reader: any DatabaseReader { writer }

    /// Opens the database of a file, which is made if it is missing, and migrates it.
    ///
    /// Blocks the thread for as long as that takes, which may be the busy timeout and all of a migration: call it where
    /// nobody waits, or use ``open(at:migrator:options:)``. Processes that open the same folder do so one after another.
    ///
    /// - Parameters:
    ///   - url: The file. Its folder is made, for its owner's eyes only, unless the options say otherwise.
    ///   - migrator: What leads from any earlier schema to the present one.
    ///   - options: How it is opened. Default: durable to the letter, waiting 5 s for others, noticing their changes.
    /// - Throws: ``AppDatabaseError``. A file that is no database, is damaged or is of a newer version is not changed; a
    ///   migration that fails leaves what the migrations before it made.
    public convenience init(
        at url: URL, migrator: DatabaseMigrator, options: Options = Options()
    ) throws(AppDatabaseError) {
        try self.init(at: url, migrator: migrator, options: options, closingOn: .global(qos: .utility))
    }

    /// The same, closing on a queue of the caller's, who can wait for it there.
    package init(
        at url: URL, migrator: DatabaseMigrator, options: Options = Options(), closingOn queue: DispatchQueue
    ) throws(AppDatabaseError) {
        let pool = try DatabaseOpening(url: url, migrator: migrator, options: options).run()
        keeper = WriterKeeper(pool, closingOn: queue)
        self.url = url
        do {
            otherProcesses = options.noticesOtherProcesses ? try OtherProcesses(pool) : nil
        } catch {
            throw AppDatabaseError(opening: url.path, failedWith: error)
        }
    }

    private init(inMemory queue: DatabaseQueue) {
        keeper = WriterKeeper(queue, closingOn: .global(qos: .utility))
        url = nil
        otherProcesses = nil
    }

    /// Opens the database of a file away from the caller's actor: see ``init(at:migrator:options:)``.
    ///
    /// - Throws: ``AppDatabaseError``; `CancellationError` where the task was cancelled before. Once begun, opening is
    ///   not interrupted, because a migration should not be.
    @concurrent
    public static func open(
        at url: URL, migrator: DatabaseMigrator, options: Options = Options()
    ) async throws -> AppDatabase {
        try Task.checkCancellation()
        // On a thread that may block; the few that tasks share may not.
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(
                    with: Result { try AppDatabase(at: url, migrator: migrator, options: options) })
            }
        }
    }

    /// Opens a database in memory, for tests, previews, and an app whose file cannot be opened. What it holds ends with it.
    ///
    /// - Parameters:
    ///   - migrator: What makes the schema.
    ///   - prepare: Runs on its connection when it opens, as ``AppDatabase/Options/prepare`` does on those of a file: what
    ///     migrations need there, they need here. Default: nothing.
    /// - Throws: ``AppDatabaseError`` of a migration, or a `prepare`, that fails.
    public static func inMemory(
        migrator: DatabaseMigrator, prepare: (@Sendable (Database) throws -> Void)? = nil
    ) throws(AppDatabaseError) -> AppDatabase {
        do {
            var configuration = Configuration()
            configuration.label = "app"
            if let prepare { configuration.prepareDatabase(prepare) }
            let queue = try DatabaseQueue(configuration: configuration)
            try DatabaseOpening.migrate(queue, by: migrator, path: "The database in memory")
            return AppDatabase(inMemory: queue)
        } catch {
            throw AppDatabaseError(opening: "The database in memory", failedWith: error)
        }
    }

    /// Reads in one snapshot, away from the caller's actor: what others write meanwhile is not seen.
    ///
    /// - Throws: What `body` throws; `CancellationError` when the task is cancelled, which interrupts the read.
    @concurrent
    public func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await writer.read(body)
    }

    /// Writes in one transaction, away from the caller's actor. It is committed when `body` returns and is on the disk when
    /// this returns; it is undone when `body` throws.
    ///
    /// - Throws: What `body` throws, and the `DatabaseError` of a commit that fails (``AppDatabaseError/init(describing:of:)``
    ///   says what to do about it); `CancellationError` when the task is cancelled before the commit, which undoes it.
    @concurrent
    public func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await writer.write(body)
    }
}
