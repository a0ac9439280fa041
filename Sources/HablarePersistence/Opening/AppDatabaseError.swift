/// An error of an app's database, with advice.
///
/// Opening a database and deleting all rows throw this error. Reads and writes throw GRDB's errors. To get advice for
/// one of those, use ``init(describing:of:)``.
public struct AppDatabaseError: Error {
    /// The kind of failure. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// The options are invalid.
        public static let invalidOptions = Code(rawValue: "invalidOptions")
        /// The folder does not exist and must not be created, or a file has the folder's path.
        public static let folderMissing = Code(rawValue: "folderMissing")
        /// The folder, or a file in it, cannot be created.
        public static let folderUnwritable = Code(rawValue: "folderUnwritable")
        /// The file or its disk can be read but not written.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The file at the URL is not a database.
        public static let notADatabase = Code(rawValue: "notADatabase")
        /// The database is damaged.
        public static let corrupt = Code(rawValue: "corrupt")
        /// A newer version of the app has migrated the database.
        public static let tooNew = Code(rawValue: "tooNew")
        /// The disk or the quota is full.
        public static let full = Code(rawValue: "full")
        /// Another process or connection held the database for longer than the busy timeout.
        public static let busy = Code(rawValue: "busy")
        /// A migration failed.
        public static let migrationFailed = Code(rawValue: "migrationFailed")
        /// The process has the maximum number of open files.
        public static let tooManyFiles = Code(rawValue: "tooManyFiles")
        /// A given table does not exist.
        public static let unknownTable = Code(rawValue: "unknownTable")
        /// A kept row refers to a row that would be deleted.
        public static let stillReferredTo = Code(rawValue: "stillReferredTo")
        /// The tables could not be emptied, because triggers of the database insert rows into them or prevent a
        /// deletion.
        public static let refilled = Code(rawValue: "refilled")
        /// Another failure. See the cause.
        public static let failed = Code(rawValue: "failed")
    }

    /// The kind of failure.
    public let code: Code
    /// A description of the failure, with advice that a person can act on.
    public let message: String
    /// The underlying failure, for logs and debugging.
    public let cause: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: The failure and the advice.
    ///   - cause: The underlying failure.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}
