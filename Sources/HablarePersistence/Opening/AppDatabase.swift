import Dispatch
public import Foundation
public import GRDB

/// An app's database: a GRDB pool that is migrated when it opens, with errors that give advice, and with functions that
/// never make the main actor wait.
///
/// The type hides nothing of GRDB: use ``writer`` for everything that this type does not offer. The database closes
/// soon after its last reference is released. It closes on a background queue, because closing syncs the disk. There is
/// no `close` method, because a read after closing would crash the process.
///
/// Several processes of one machine may open the same file. The file must not be on a network file system.
public final class AppDatabase: Sendable {
    /// The writer, for reads and writes: a `DatabasePool` for a file, a `DatabaseQueue` for a database in memory. Do
    /// not call its `close()`. Do not keep the writer longer than this database, because the thread that releases the
    /// writer last also closes it.
    public var writer: any DatabaseWriter { keeper.writer }
    /// The URL of the file; `nil` for a database in memory.
    public let url: URL?
    private let otherProcesses: OtherProcesses?
    private let keeper: WriterKeeper

    /// The reader, for code that only reads. It is the same object as ``writer``.
    public var reader: any DatabaseReader { writer }

    /// Opens the database in a file, and migrates it. Creates the file if it is missing.
    ///
    /// Blocks the thread while another process holds the database, and during migrations. Call this initializer where
    /// no user waits, or use ``open(at:migrator:options:)``. If several processes open databases in the same folder,
    /// one process waits for the other.
    ///
    /// - Parameters:
    ///   - url: The URL of the file. Its folder is created, unless ``AppDatabase/Options/createsFolder`` is `false`.
    ///     Only the owner can read the folder.
    ///   - migrator: The migrator from any earlier schema to the current schema.
    ///   - options: The options. Default: full durability, a busy timeout of 5 s, and observation of commits by other
    ///     processes.
    /// - Throws: ``AppDatabaseError``. If the file is not a database, is damaged, or has a newer version, the file is
    ///   not changed. If a migration fails, the earlier migrations stay applied.
    public convenience init(
        at url: URL, migrator: DatabaseMigrator, options: Options = Options()
    ) throws(AppDatabaseError) {
        try self.init(at: url, migrator: migrator, options: options, closingOn: .global(qos: .utility))
    }

    /// Opens the database in a file. The database closes on a queue of the caller, so that the caller can wait until it
    /// has closed.
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

    /// Opens the database in a file, off the caller's actor. See ``init(at:migrator:options:)``.
    ///
    /// - Throws: ``AppDatabaseError``. `CancellationError` if the task was cancelled before the opening began. After
    ///   that, a cancellation has no effect, so that no migration is interrupted.
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

    /// Opens a database in memory. Use it for tests, for previews, and for an app whose file cannot be opened. The data
    /// is lost when the database closes.
    ///
    /// - Parameters:
    ///   - migrator: The migrator that creates the schema.
    ///   - prepare: A closure that runs on the connection when it opens, like ``AppDatabase/Options/prepare`` for a
    ///     file. If the migrations of the app need this closure for a file, pass the same closure here. Default: none.
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

    /// Reads from the database, off the caller's actor. The read sees the data of one moment, even if other connections
    /// commit during the read.
    ///
    /// - Throws: The errors of `body`. `CancellationError` if the task is cancelled, which interrupts the read.
    @concurrent
    public func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await writer.read(body)
    }

    /// Writes in one transaction, off the caller's actor. When this method returns, the transaction is committed and on
    /// the disk. If `body` throws an error, the transaction is rolled back.
    ///
    /// - Throws: The errors of `body`. GRDB's `DatabaseError` if the commit fails. For advice about it, use
    ///   ``AppDatabaseError/init(describing:of:)``. `CancellationError` if the task is cancelled before the commit,
    ///   which rolls the transaction back.
    @concurrent
    public func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await writer.write(body)
    }
}
