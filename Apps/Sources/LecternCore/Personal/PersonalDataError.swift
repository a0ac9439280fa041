import GRDB
import HablareData
import HablarePersistence

/// The reason why a mark, a plan or the person's data could not be changed or read, with advice. Nothing was changed.
///
/// A caller that holds a text, such as a form, keeps it after every error.
public struct PersonalDataError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. Open for extension.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The code's text.
        public var description: String { rawValue }

        /// The mark, folder or plan does not exist, or was removed.
        public static let gone = Self(rawValue: "gone")
        /// The request is invalid.
        public static let invalid = Self(rawValue: "invalid")
        /// A text is longer than its limit.
        public static let tooLarge = Self(rawValue: "too-large")
        /// A different command was carried out under the same id.
        public static let conflict = Self(rawValue: "conflict")
        /// Nothing is left to undo.
        public static let nothingToUndo = Self(rawValue: "nothing-to-undo")
        /// Nothing is left to redo.
        public static let nothingToRedo = Self(rawValue: "nothing-to-redo")
        /// The disk is full. The same request succeeds when there is room.
        public static let diskFull = Self(rawValue: "disk-full")
        /// Another Lectern has opened the same data.
        public static let takenOver = Self(rawValue: "taken-over")
        /// A document to import is damaged, or is no export of Lectern.
        public static let damaged = Self(rawValue: "damaged")
        /// A newer version of Lectern exported the document.
        public static let newerVersion = Self(rawValue: "newer-version")
        /// A file could not be read or written.
        public static let fileFailed = Self(rawValue: "file-failed")
        /// The database could not be written or read for another reason.
        public static let databaseFailed = Self(rawValue: "database-failed")
    }

    /// The kind of error.
    public let code: Code
    /// A description of the problem and of how to solve it, in full sentences.
    public let message: String
    /// The underlying failure, for logs. Never contains the person's text.
    public let cause: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Whether the same request can succeed later without a change.
    public var isRetryable: Bool { code == .diskFull || code == .databaseFailed }

    /// The message and the code.
    public var description: String { "\(message) [\(code)]" }
}

extension PersonalDataError {
    /// Returns the error for a caller. An error that is none of the store's, such as a cancellation, stays as it is.
    static func forCaller(_ error: any Error) -> any Error {
        switch error {
        case let error as ActionQueueError: PersonalDataError(error)
        case let error as DatabaseError:
            if error.resultCode == .SQLITE_FULL || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE {
                PersonalDataError(.diskFull, fullDiskMessage, cause: "\(error.extendedResultCode)")
            } else {
                // The description of the error would include the statement's arguments, and so the person's text.
                PersonalDataError(
                    .databaseFailed, "The data could not be read or written. Try again.",
                    cause: "\(error.extendedResultCode): \(error.message ?? "no message")")
            }
        case let error as AppDatabaseError:
            PersonalDataError(error.code == .full ? .diskFull : .databaseFailed, error.message, cause: "\(error.code)")
        default: error
        }
    }

    static let fullDiskMessage = "The disk is full, and nothing was changed. Free some space, then save again."

    private init(_ error: ActionQueueError) {
        switch error.code {
        case .diskFull: self.init(.diskFull, Self.fullDiskMessage, cause: error.cause)
        case .takenOver, .erased:
            self.init(
                .takenOver, "Another Lectern has opened the same data. Close one of the two, then reload this page.",
                cause: "\(error.code)")
        case .nothingToUndo: self.init(.nothingToUndo, "There is nothing to undo.")
        case .nothingToRedo: self.init(.nothingToRedo, "There is nothing to redo.")
        case .tooLarge:
            self.init(.tooLarge, "The change touches too much at once. Change fewer things at a time.", cause: nil)
        default: self.init(.databaseFailed, error.message, cause: error.cause ?? "\(error.code)")
        }
    }
}
