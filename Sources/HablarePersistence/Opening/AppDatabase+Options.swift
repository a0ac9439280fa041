public import GRDB

extension AppDatabase {
    /// The failures after which committed data is still there.
    public enum Durability: Sendable, Hashable {
        /// A commit survives a loss of power. It returns when the data is on the disk (`synchronous=FULL`, and
        /// `F_FULLFSYNC` on Apple platforms).
        case full
        /// A commit survives the end of the process. A loss of power may undo the last commits, but does not damage the
        /// database (`synchronous=NORMAL`). Commits are many times faster than with ``full``.
        case normal
    }

    /// The options with which a database is opened.
    ///
    /// ```swift
    /// let options = AppDatabase.Options(
    ///     durability: .normal, busyTimeout: .seconds(30), readers: 8, retiredMigrations: ["v1-notes", "v2-notes"],
    ///     prepare: { db in try db.execute(sql: "PRAGMA cache_size = -8000") })
    /// ```
    public struct Options: Sendable {
        /// The failures after which committed data is still there. Default: ``AppDatabase/Durability/full``. For
        /// example, use `.normal` for data that can be loaded again.
        public var durability: Durability
        /// The maximum time for which an operation waits while another process or connection writes to the database or
        /// opens it. After this time, the operation fails with ``AppDatabaseError/Code/busy``. Default: 5 seconds.
        ///
        /// The time must be 0 or more. A time over 24 days counts as 24 days. For example, use `.seconds(30)` if an
        /// extension of the app writes much at once.
        public var busyTimeout: Duration
        /// The maximum number of concurrent reads, 1 or more. Default: 4. For example, use 8 for a server with many
        /// readers.
        public var readers: Int
        /// Whether observations notice commits of other processes and of other connections of this process. Default:
        /// `true`.
        ///
        /// If `true`, the database needs one thread, which sleeps most of the time. For example, use `false` for an app
        /// without extensions.
        public var noticesOtherProcesses: Bool
        /// Whether to create a missing folder and its missing parents. Default: `true`. For example, use `false` if a
        /// missing folder means that a volume is not mounted.
        public var createsFolder: Bool
        /// The names of old migrations that the migrator no longer registers, because a later migration includes them.
        /// Default: none. For example, `["v1-notes", "v2-notes"]`.
        ///
        /// If the database has applied any other migration that the migrator does not know, a newer version of the app
        /// has written it. Opening it then fails with ``AppDatabaseError/Code/tooNew``.
        public var retiredMigrations: Set<String>
        /// A closure that runs on each connection when it opens, for custom functions, collations and pragmas. Default:
        /// none. For example, `{ db in try db.execute(sql: "PRAGMA cache_size = -8000") }` for a cache of 8 MB.
        public var prepare: (@Sendable (Database) throws -> Void)?

        /// Creates options.
        public init(
            durability: Durability = .full, busyTimeout: Duration = .seconds(5), readers: Int = 4,
            noticesOtherProcesses: Bool = true, createsFolder: Bool = true,
            retiredMigrations: Set<String> = [], prepare: (@Sendable (Database) throws -> Void)? = nil
        ) {
            self.durability = durability
            self.busyTimeout = busyTimeout
            self.readers = readers
            self.noticesOtherProcesses = noticesOtherProcesses
            self.createsFolder = createsFolder
            self.retiredMigrations = retiredMigrations
            self.prepare = prepare
        }

        /// The busy timeout in seconds. It is limited, because SQLite stores it as milliseconds in 32 bits.
        var busySeconds: Double { min(busyTimeout / .seconds(1), 2_147_483) }

        /// Throws if an option is invalid.
        func check() throws(AppDatabaseError) {
            guard busyTimeout >= .zero else {
                throw AppDatabaseError(
                    .invalidOptions, "The option `busyTimeout` is negative. Set it to 0 seconds or more.")
            }
            guard readers >= 1 else {
                throw AppDatabaseError(.invalidOptions, "The option `readers` is \(readers). Set it to 1 or more.")
            }
        }
    }
}
