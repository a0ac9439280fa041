/// Where a walk over the migrations failed, and what to do about it: see ``MigrationWalk``.
public struct MigrationWalkError: Error, CustomStringConvertible {
    /// What went wrong. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no migration.
        public static let nothingToWalk = Code(rawValue: "nothingToWalk")
        /// A version has no fixture.
        public static let fixtureMissing = Code(rawValue: "fixtureMissing")
        /// A fixture is for a version that is none.
        public static let fixtureUnknown = Code(rawValue: "fixtureUnknown")
        /// A fixture writes nothing.
        public static let fixtureEmpty = Code(rawValue: "fixtureEmpty")
        /// A fixture fails, or leaves rows that refer to none.
        public static let fixtureFailed = Code(rawValue: "fixtureFailed")
        /// A migration fails.
        public static let migrationFailed = Code(rawValue: "migrationFailed")
        /// After a migration, rows refer to others that are not there.
        public static let danglingReferences = Code(rawValue: "danglingReferences")
        /// After a migration, SQLite finds the database damaged, or rows that break its constraints.
        public static let damaged = Code(rawValue: "damaged")
        /// Somebody who comes from the version ends with another schema than somebody who begins anew.
        public static let otherSchema = Code(rawValue: "otherSchema")
        /// The app's own check fails.
        public static let checkFailed = Code(rawValue: "checkFailed")
    }

    /// What went wrong.
    public let code: Code
    /// The version whose fixture was walked with; `nil` where the walk could not begin.
    public let version: String?
    /// The migration at which it failed; `nil` where it was none.
    public let migration: String?
    /// What happened and what to do.
    public let message: String
    /// The failure underneath.
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
