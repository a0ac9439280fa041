/// An error of a ``MigrationWalk``, with advice.
public struct MigrationWalkError: Error, CustomStringConvertible {
    /// The kind of failure. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The migrator has no migration.
        public static let nothingToWalk = Code(rawValue: "nothingToWalk")
        /// A version has no fixture.
        public static let fixtureMissing = Code(rawValue: "fixtureMissing")
        /// A fixture is for an unknown version.
        public static let fixtureUnknown = Code(rawValue: "fixtureUnknown")
        /// A fixture writes nothing.
        public static let fixtureEmpty = Code(rawValue: "fixtureEmpty")
        /// A fixture fails, or leaves rows that refer to missing rows.
        public static let fixtureFailed = Code(rawValue: "fixtureFailed")
        /// A migration fails.
        public static let migrationFailed = Code(rawValue: "migrationFailed")
        /// After a migration, rows refer to missing rows.
        public static let danglingReferences = Code(rawValue: "danglingReferences")
        /// After a migration, SQLite finds that the database is damaged, or that rows violate its constraints.
        public static let damaged = Code(rawValue: "damaged")
        /// The schema after all migrations from this version differs from the schema of a new database.
        public static let otherSchema = Code(rawValue: "otherSchema")
        /// The app's own check fails.
        public static let checkFailed = Code(rawValue: "checkFailed")
    }

    /// The kind of failure.
    public let code: Code
    /// The version of the schema at which the failure happened; `nil` if the test could not begin.
    public let version: String?
    /// The migration that failed; `nil` if the failure does not concern a migration.
    public let migration: String?
    /// The failure and the advice.
    public let message: String
    /// The underlying failure.
    public let cause: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, version: String? = nil, migration: String? = nil, _ message: String, cause: (any Error)? = nil
    ) {
        self.code = code
        self.version = version
        self.migration = migration
        self.message = message
        self.cause = cause
    }

    /// The code, the message and the cause.
    public var description: String { "\(code.rawValue): \(message)" + (cause.map { " (\($0))" } ?? "") }
}
