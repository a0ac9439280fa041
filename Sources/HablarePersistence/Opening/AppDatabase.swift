import Dispatch
public import Foundation
public import GRDB

/// An app's database. Opening it migrates it, its errors give advice, and the main actor never waits for it.
///
/// It is GRDB's pool with additions for apps, and hides nothing of GRDB: ``writer`` is for everything that is missing
/// here. The database closes soon after its last reference is released. It closes on a background queue, because
/// closing syncs the disk. It has no `close` method, because a read after closing would crash the process.
///
/// Several processes of one machine may open the same file. A network file system must not hold it.
public final class AppDatabase: Sendable {
    /// The writer for reads and writes: a `DatabasePool` for a file, a `DatabaseQueue` in memory. Do not call its
    /// `close()`, and do not keep it longer than this database: the thread that releases the writer last closes it.
    public var writer: any DatabaseWriter { keeper.writer }
    /// The file; `nil` for a database in memory.
    public let url: URL?
    private let otherProcesses: OtherProcesses?
    private let keeper: WriterKeeper

    /// The reader for code that only reads: the same object as ``writer``.
    public var reader: any DatabaseReader { writer }

    /// Opens the database in a file, and migrates it. Creates the file if it is missing.
    ///
    /// Blocks the thread meanwhile, perhaps for the busy timeout and a whole migration. Call it where no user waits, or
    /// use ``open(at:migrator:options:)``. Processes that open databases in the same folder do so one after another.
    ///
    /// - Parameters:
    ///   - url: The file. Its folder is created, readable by its owner only, unless
    ///     ``AppDatabase/Options/createsFolder`` is `false`.
    ///   - migrator: The migrator from any earlier schema to the present one.
    ///   - options: The options. Default: full durability, a busy timeout of 5 s, and observation of the commits of
    ///     other processes.
    /// - Throws: ``AppDatabaseError``. A file that is not a database, is damaged or is of a newer version is not
    ///   changed. If a migration fails, the migrations before it stay applied.
    public convenience init(
        at url: URL, migrator: DatabaseMigrator, options: Options = Options()
    ) throws(AppDatabaseError) {
        try self.init(at: url, migrator: migrator, options: options, closingOn: .global(qos: .utility))
    }

    /// Opens the database in a file. Closes it on a queue of the caller, who can wait for it there.
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

    /// Opens the database in a file, away from the caller's actor: see ``init(at:migrator:options:)``.
    ///
    /// - Throws: ``AppDatabaseError``; `CancellationError` if the task was cancelled before. Once begun, opening is not
    ///   interrupted, because a migration should not be.
    @concurrent
    public static func open(
        at url: URL, migrator: DatabaseMigrator, options: Options = Options()
    ) async throws -> AppDatabase {
        try Task.checkCancellation()
        // Runs on a thread that may block. The few threads that tasks share must not.
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(
                    with: Result { try AppDatabase(at: url, migrator: migrator, options: options) })
            }
        }
    }

    /// Opens a database in memory, for tests, previews, and an app whose file cannot be opened. Its data is lost when
    /// it closes.
    ///
    /// - Parameters:
    ///   - migrator: The migrator that creates the schema.
    ///   - prepare: A closure that runs on its connection when it opens, like ``AppDatabase/Options/prepare`` for a
    ///     file. Migrations that need the closure for a file need it in memory, too. Default: none.
    /// - Throws: ``AppDatabaseError`` if a migration or `prepare` fails.
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

    /// Reads in one snapshot, away from the caller's actor. It does not see what others write meanwhile.
    ///
    /// - Throws: The errors of `body`; `CancellationError` if the task is cancelled, which interrupts the read.
    @concurrent
    public func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await writer.read(body)
    }

    /// Writes in one transaction, away from the caller's actor. The transaction is committed when `body` returns, and
    /// is on the disk when this method returns. It is rolled back if `body` throws.
    ///
    /// - Throws: The errors of `body`, and the `DatabaseError` of a commit that fails, for which
    ///   ``AppDatabaseError/init(describing:of:)`` has advice. `CancellationError` if the task is cancelled before the
    ///   commit, which rolls it back.
    @concurrent
    public func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await writer.write(body)
    }
}
