/// What failed about an app's database, and what to do about it.
///
/// It is what opening and deleting all throw. Reads and writes throw GRDB's errors, which ``init(describing:of:)`` explains.
public struct AppDatabaseError: Error {
    /// What went wrong. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// The options cannot work.
        public static let invalidOptions = Code(rawValue: "invalidOptions")
        /// The folder is not there and was not to be made, or cannot be because a file is in its place.
        public static let folderMissing = Code(rawValue: "folderMissing")
        /// The folder, or a file in it, may not or cannot be made.
        public static let folderUnwritable = Code(rawValue: "folderUnwritable")
        /// The file, or its disk, may be read and not written.
        public static let readOnly = Code(rawValue: "readOnly")
        /// What is at the place is no database.
        public static let notADatabase = Code(rawValue: "notADatabase")
        /// The database is damaged.
        public static let corrupt = Code(rawValue: "corrupt")
        /// A newer version of the app has migrated the database.
        public static let tooNew = Code(rawValue: "tooNew")
        /// The disk, or the quota, is full.
        public static let full = Code(rawValue: "full")
        /// Somebody else held the database for longer than the busy timeout.
        public static let busy = Code(rawValue: "busy")
        /// A migration failed.
        public static let migrationFailed = Code(rawValue: "migrationFailed")
        /// The process has as many files open as it may.
        public static let tooManyFiles = Code(rawValue: "tooManyFiles")
        /// There is no table of a name that was given.
        public static let unknownTable = Code(rawValue: "unknownTable")
        /// Rows that are to stay refer to rows that are to go.
        public static let stillReferredTo = Code(rawValue: "stillReferredTo")
        /// Triggers put rows into tables that are to be emptied, or keep them there.
        public static let refilled = Code(rawValue: "refilled")
        /// Another failure: see the cause.
        public static let failed = Code(rawValue: "failed")
    }

    /// What went wrong.
    public let code: Code
    /// What happened and what to do, in sentences a person can act on.
    public let message: String
    /// The failure underneath, for logs and for whoever knows it.
    public let cause: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: What happened and what to do.
    ///   - cause: The failure underneath.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}
