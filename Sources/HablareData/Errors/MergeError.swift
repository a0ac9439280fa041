public import Foundation

/// The reason why a response was not merged into the app's data, with advice.
///
/// The response itself is kept, so that the merge can be repeated after the problem is fixed. Messages never contain an
/// answer's content.
public struct MergeError: Error, Sendable, Hashable {
    /// The kind of error. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// The answer has a kind that the property or column cannot hold. The message names the kind and the property
        /// or column.
        public static let typeMismatch = Self(rawValue: "type-mismatch")
        /// The answer has the right kind, but cannot be read as the requested value. Examples are a text that is not a
        /// number, and JSON without a required member.
        public static let invalidContent = Self(rawValue: "invalid-content")
        /// A rule does not allow the answer.
        public static let rejected = Self(rawValue: "rejected")
        /// A rule cannot be checked, because its pattern or its schema is invalid.
        public static let invalidRule = Self(rawValue: "invalid-rule")
        /// The database has no such table.
        public static let noTable = Self(rawValue: "no-table")
        /// The table has no row with that key.
        public static let noRow = Self(rawValue: "no-row")
        /// The table has no such column.
        public static let noColumn = Self(rawValue: "no-column")
        /// The table's primary key has several columns. A merge needs a primary key with one column.
        public static let unsupportedKey = Self(rawValue: "unsupported-key")
        /// No target with that name is registered.
        public static let unknownTarget = Self(rawValue: "unknown-target")
        /// Several targets with that name are registered.
        public static let ambiguousTarget = Self(rawValue: "ambiguous-target")
        /// The request has no response to merge. The request failed or was cancelled, or its response was evicted.
        public static let noResponse = Self(rawValue: "no-response")
        /// The model was released before its response arrived.
        public static let modelGone = Self(rawValue: "model-gone")
        /// The app's database does not have this library's tables.
        public static let notMigrated = Self(rawValue: "not-migrated")
        /// The app's database or its model context could not be written.
        public static let databaseFailed = Self(rawValue: "database-failed")
        /// The disk of the app's database is full. Promised merges continue automatically when there is space.
        public static let diskFull = Self(rawValue: "disk-full")
        /// The content's file could not be read or stored.
        public static let fileFailed = Self(rawValue: "file-failed")
        /// The merge was abandoned, because the task that called it was cancelled.
        public static let cancelled = Self(rawValue: "cancelled")
        /// The app's own code (a transform, a rule or a target) threw an error.
        public static let appFailed = Self(rawValue: "app-failed")
    }

    /// The kind of error.
    public let code: Code
    /// The id of the response's request; `nil` if there is none.
    public let requestID: UUID?
    /// A description of the problem and of how to solve it, in full sentences.
    public let message: String
    /// The underlying failure, for logs. It has codes, types and names of a schema, but never a value.
    public let cause: String?
    /// Whether the same merge can succeed later without any change, because the app's database or its disk was
    /// temporarily busy, full or failing.
    public let isRetryable: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: A description of the problem and of how to solve it.
    ///   - requestID: The id of the response's request. Default: none.
    ///   - cause: The underlying failure. Default: none.
    ///   - isRetryable: Whether the same merge can succeed later. Default: `false`.
    public init(
        _ code: Code, _ message: String, requestID: UUID? = nil, cause: String? = nil, isRetryable: Bool = false
    ) {
        self.code = code
        self.requestID = requestID
        self.message = message
        self.cause = cause
        self.isRetryable = isRetryable
    }

    /// Returns the error with a request's id, unless the error already has an id.
    func of(_ requestID: UUID) -> MergeError {
        guard self.requestID == nil else { return self }
        return MergeError(code, message, requestID: requestID, cause: cause, isRetryable: isRetryable)
    }
}

extension MergeError: CustomStringConvertible, LocalizedError {
    /// The message and the code. If the database failed, the description also has the cause.
    public var description: String {
        guard code == .databaseFailed, let cause else { return "\(message) [\(code)]" }
        return "\(message) [\(code): \(cause)]"
    }
    /// The message.
    public var errorDescription: String? { message }
}
