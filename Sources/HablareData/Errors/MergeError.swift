public import Foundation

/// Why a response did not get into the app's data, and what to do about it.
///
/// The response itself is kept: whatever this says can be mended, and the merge asked for again. Messages never contain
/// an answer's content.
public struct MergeError: Error, Sendable, Hashable {
    /// What went wrong. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// The answer is of a kind that the property or column cannot hold. The message names both.
        public static let typeMismatch = Self(rawValue: "type-mismatch")
        /// The answer is of the right kind and cannot be read as the value that is wanted: text that is no number, JSON
        /// without a member.
        public static let invalidContent = Self(rawValue: "invalid-content")
        /// A rule does not allow the answer.
        public static let rejected = Self(rawValue: "rejected")
        /// A rule cannot be checked: its pattern or its schema is none.
        public static let invalidRule = Self(rawValue: "invalid-rule")
        /// The database has no such table.
        public static let noTable = Self(rawValue: "no-table")
        /// The table has no row with that key.
        public static let noRow = Self(rawValue: "no-row")
        /// The table has no such column.
        public static let noColumn = Self(rawValue: "no-column")
        /// The table's primary key has several columns, and a merge names a row by one value.
        public static let unsupportedKey = Self(rawValue: "unsupported-key")
        /// No target of that name is registered.
        public static let unknownTarget = Self(rawValue: "unknown-target")
        /// Several targets of that name are registered.
        public static let ambiguousTarget = Self(rawValue: "ambiguous-target")
        /// The request has no response to merge: it failed, was cancelled, or its response is not kept any more.
        public static let noResponse = Self(rawValue: "no-response")
        /// The model went away before its response came.
        public static let modelGone = Self(rawValue: "model-gone")
        /// The app's database does not have this library's tables.
        public static let notMigrated = Self(rawValue: "not-migrated")
        /// The app's database, or its model context, could not be written.
        public static let databaseFailed = Self(rawValue: "database-failed")
        /// The disk of the app's database is full. What was promised goes on by itself once there is room.
        public static let diskFull = Self(rawValue: "disk-full")
        /// The file of the content could not be read or kept.
        public static let fileFailed = Self(rawValue: "file-failed")
        /// The merge was given up: the task that asked for it was cancelled.
        public static let cancelled = Self(rawValue: "cancelled")
        /// The app's own code (a transform, a rule, a target) threw.
        public static let appFailed = Self(rawValue: "app-failed")
    }

    /// What went wrong.
    public let code: Code
    /// The request whose response it was; `nil` where there is none.
    public let requestID: UUID?
    /// What happened and what to do, in sentences a person can act on.
    public let message: String
    /// The underlying failure, for logs: codes, types and names of a schema, never a value.
    public let cause: String?
    /// Whether asking for the merge again can help without anybody changing anything: the app's database or its disk was
    /// busy, full or failing for a while.
    public let isRetryable: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: What happened and what to do.
    ///   - requestID: The request whose response it was. Default: none.
    ///   - cause: The underlying failure in its own words. Default: none.
    ///   - isRetryable: Whether asking again can help. Default: `false`.
    public init(
        _ code: Code, _ message: String, requestID: UUID? = nil, cause: String? = nil, isRetryable: Bool = false
    ) {
        self.code = code
        self.requestID = requestID
        self.message = message
        self.cause = cause
        self.isRetryable = isRetryable
    }

    /// The same error of a request.
    func of(_ requestID: UUID) -> MergeError {
        guard self.requestID == nil else { return self }
        return MergeError(code, message, requestID: requestID, cause: cause, isRetryable: isRetryable)
    }
}

extension MergeError: CustomStringConvertible, LocalizedError {
    /// The message and the code; where the database failed, its cause as well.
    public var description: String {
        guard code == .databaseFailed, let cause else { return "\(message) [\(code)]" }
        return "\(message) [\(code): \(cause)]"
    }
    /// The message.
    public var errorDescription: String? { message }
}
