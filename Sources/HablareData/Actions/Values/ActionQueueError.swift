public import Foundation

/// The reason why a queue refused a request, with advice. Messages never contain an action.
public struct ActionQueueError: Error, Sendable, Hashable {
    /// The kind of error. Open for extension.
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
        /// The action was or may have been carried out, and has no compensation.
        public static let cannotBeUndone = Self(rawValue: "cannot-be-undone")
        /// The action has not failed, or no longer waits to be carried out.
        public static let notPending = Self(rawValue: "not-pending")
        /// The action cannot be encoded as JSON.
        public static let notEncodable = Self(rawValue: "not-encodable")
        /// A different action was appended under the same id.
        public static let conflict = Self(rawValue: "conflict")
        /// The action is larger than the limit of a queue.
        public static let tooLarge = Self(rawValue: "too-large")
        /// The queue's `run()` is not active, or the queue is paused.
        public static let notRunning = Self(rawValue: "not-running")
        /// The queue is already running.
        public static let alreadyRunning = Self(rawValue: "already-running")
        /// Another process, or another object of this process, has opened the queue. This object can no longer use it.
        public static let takenOver = Self(rawValue: "taken-over")
        /// The queue was erased from its database while it was open, for example by `AppDatabase.deleteAll()`.
        public static let erased = Self(rawValue: "erased")
        /// A setting of the ``ActionQueueConfiguration`` is below its minimum.
        public static let invalidConfiguration = Self(rawValue: "invalid-configuration")
        /// The database does not have this library's tables.
        public static let notMigrated = Self(rawValue: "not-migrated")
        /// The disk or the quota of the database is full, and nothing was changed. Existing data is safe.
        public static let diskFull = Self(rawValue: "disk-full")
        /// The database could not be written or read for another reason.
        public static let databaseFailed = Self(rawValue: "database-failed")
    }

    /// Whether the queue that throws this error can no longer be used.
    var isFinal: Bool { code == .takenOver || code == .erased }

    /// The kind of error.
    public let code: Code
    /// A description of the problem and of how to solve it, in full sentences.
    public let message: String
    /// The underlying failure, for logs.
    public let cause: String?
    /// Whether the same request can succeed later without a change to the app. `true` if the database or its disk was
    /// temporarily busy, full or failing.
    public let isRetryable: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: A description of the problem and of how to solve it.
    ///   - cause: The underlying failure. Default: none.
    ///   - isRetryable: Whether the same request can succeed later. Default: `false`.
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
