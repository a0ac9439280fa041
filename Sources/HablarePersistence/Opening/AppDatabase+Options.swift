public import GRDB

extension AppDatabase {
    /// What a commit survives.
    public enum Durability: Sendable, Hashable {
        /// The loss of power: every commit waits until the disk has it (`synchronous=FULL`, and `F_FULLFSYNC` on Apple
        /// platforms).
        case full
        /// The end of the process. With the power, the last commits may go; the database stays whole
        /// (`synchronous=NORMAL`). Commits are many times faster.
        case normal
    }

    /// How a database is opened.
    public struct Options: Sendable {
        /// What a commit survives. Default: ``AppDatabase/Durability/full``.
        public var durability: Durability
        /// How long to wait for somebody else who writes or opens, before that fails as
        /// ``AppDatabaseError/Code/busy``. 0 or more; more than 24 days is taken for that. Default: 5 seconds.
        public var busyTimeout: Duration
        /// How many reads run at the same time, 1 or more. Default: 4.
        public var readers: Int
        /// Whether observations hear of the commits of other processes, and of other connections of this one. It costs a
        /// thread that sleeps. Default: `true`.
        public var noticesOtherProcesses: Bool
        /// Whether a missing folder, and those above it, are made. Default: `true`.
        public var createsFolder: Bool
        /// The names of former migrations that the migrator no longer registers because a later one merges them. Any other
        /// name it does not know is of a newer version of the app. Default: none.
        public var retiredMigrations: Set<String>
        /// Runs on each connection when it opens: for custom functions, collations and pragmas. Default: nothing.
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

        /// The busy timeout in seconds. SQLite's milliseconds have 32 bits, and no more is taken.
        var busySeconds: Double { min(busyTimeout / .seconds(1), 2_147_483) }

        /// Refuses what cannot work.
        func check() throws(AppDatabaseError) {
            guard busyTimeout >= .zero else {
                throw AppDatabaseError(
                    .invalidOptions, "The busy timeout is negative. Give it 0 seconds or more.")
            }
            guard readers >= 1 else {
                throw AppDatabaseError(.invalidOptions, "There are \(readers) readers. Give it 1 or more.")
            }
        }
    }
}
