public import Foundation

/// Why a queue did not do what it was asked, and what to do about it. Messages never contain an action.
public struct ActionQueueError: Error, Sendable, Hashable {
    /// What went wrong. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// Nothing is left to undo.
        public static let nothingToUndo = Self(rawValue: "nothing-to-undo")
        /// Nothing is left to redo.
        public static let nothingToRedo = Self(rawValue: "nothing-to-redo")
        /// The action was carried out, or may have been, and has no compensation.
        public static let cannotBeUndone = Self(rawValue: "cannot-be-undone")
        /// The action has not failed, or does not wait any more.
        public static let notPending = Self(rawValue: "not-pending")
        /// The action cannot be written as JSON.
        public static let notEncodable = Self(rawValue: "not-encodable")
        /// Another action was appended under the id.
        public static let conflict = Self(rawValue: "conflict")
        /// The action is larger than a queue takes.
        public static let tooLarge = Self(rawValue: "too-large")
        /// Nobody runs the queue, or it is paused.
        public static let notRunning = Self(rawValue: "not-running")
        /// The queue runs already.
        public static let alreadyRunning = Self(rawValue: "already-running")
        /// Another process, or another object of this one, has opened the queue since.
        public static let takenOver = Self(rawValue: "taken-over")
        /// The queue was erased from its database, for example by `AppDatabase.deleteAll()`, while it was open.
        public static let erased = Self(rawValue: "erased")
        /// A setting of the ``ActionQueueConfiguration`` has a value that cannot work.
        public static let invalidConfiguration = Self(rawValue: "invalid-configuration")
        /// The database does not have this library's tables.
        public static let notMigrated = Self(rawValue: "not-migrated")
        /// The disk, or the quota, of the database is full, and nothing was changed. What was on it before is safe.
        public static let diskFull = Self(rawValue: "disk-full")
        /// The database could not be written or read, for another reason.
        public static let databaseFailed = Self(rawValue: "database-failed")
    }

    /// Whether the queue that says so is of no use any more.
    var isFinal: Bool { code == .takenOver || code == .erased }

    /// What went wrong.
    public let code: Code
    /// What happened and what to do, in sentences a person can act on.
    public let message: String
    /// The underlying failure in its own words, for logs.
    public let cause: String?
    /// Whether asking for the same again can help without a change of the app: the database or its disk was busy, full or
    /// failing for a while.
    public let isRetryable: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: What happened and what to do.
    ///   - cause: The underlying failure in its own words. Default: none.
    ///   - isRetryable: Whether asking again can help. Default: `false`.
    public init(_ code: Code, _ message: String, cause: String? = nil, isRetryable: Bool = false) {
        self.code = code
        self.message = message
        self.cause = cause
        self.isRetryable = isRetryable
    }
}

extension ActionQueueError: CustomStringConvertible, LocalizedError {
    /// The message and the code.
    public var description: String { "\(message) [\(code)]" }
    /// The message.
    public var errorDescription: String? { message }
}
