import Foundation
import GRDB
import Hablare

extension MergeError {
    /// The database operation that failed. It determines the advice in the error.
    enum Asked: Sendable {
        /// A merge that the caller can repeat.
        case merge
        /// A promised merge, which is retried automatically.
        case promisedMerge
        /// The creation of a promise. If it fails, there is no promise.
        case promise
        /// Reading or withdrawing promises.
        case promises

        fileprivate var failed: String {
            switch self {
            case .merge, .promisedMerge: "The app's database refused the merge."
            case .promise: "The app's database refused the promise of a merge, and nothing was promised."
            case .promises: "The promises of merges in the app's database could not be read or changed."
            }
        }

        fileprivate var again: String {
            switch self {
            case .merge: "Merge again."
            case .promisedMerge: "The promised merge is retried automatically."
            case .promise, .promises: "Try again."
            }
        }
    }

    /// Returns the error that the caller of a merge receives. `CancellationError` and errors of the engine stay
    /// unchanged, because errors of the engine have their own advice.
    static func forCaller(_ error: any Error, of requestID: UUID, asked: Asked = .merge) -> any Error {
        switch error {
        case is CancellationError, is AIServiceError: error
        case let error as MergeError: error.of(requestID)
        case let error as DatabaseError: MergeError.database(error, asked).of(requestID)
        default: MergeError.app(error).of(requestID)
        }
    }

    /// Returns a failure as a `MergeError`, for events and for a single outcome of several merges.
    static func recorded(_ error: any Error, of requestID: UUID) -> MergeError {
        switch forCaller(error, of: requestID) {
        case let error as MergeError: error
        case let error as AIServiceError:
            MergeError(
                .noResponse, error.message, requestID: requestID, cause: error.code.rawValue,
                isRetryable: error.isRetryable)
        default:
            MergeError(
                .cancelled,
                "The merge was not done, because its task was cancelled. If you need the merge, call the method again.",
                requestID: requestID)
        }
    }

    /// Returns a failure as a `MergeError` that names no request, because the failure concerns promises in general.
    static func recorded(_ error: any Error, ofPromises: Void) -> MergeError {
        switch error {
        case let error as MergeError: error
        case let error as DatabaseError: database(error, .promises)
        default: app(error)
        }
    }

    /// Returns a description of a failure for the metadata of a log message. It has codes, types and names of a schema,
    /// but never a value.
    static func logged(_ error: any Error) -> String {
        switch error {
        case let error as DatabaseError: cause(of: error)
        case let error as MergeError: error.cause ?? error.code.rawValue
        case let error as AIServiceError: error.code.rawValue
        default: "\(type(of: error))"
        }
    }

    private static func database(_ error: DatabaseError, _ asked: Asked) -> MergeError {
        if error.isOfMissingBooks {
            return MergeError(
                .notMigrated,
                "The app's database has no tables for merges. Call `registerHablareData()` on its migrator.",
                cause: cause(of: error))
        }
        if let table = missingTable(error) {
            return MergeError(
                .noTable, "The database has no table \(table). Add it to your migrator.", cause: cause(of: error))
        }
        let advice =
            switch error.resultCode {
            case _ where error.isOfAFullDisk: "The disk of the database is full. Free some space. \(asked.again)"
            case .SQLITE_BUSY, .SQLITE_LOCKED: "The database was busy for too long. \(asked.again)"
            case .SQLITE_READONLY: "The database is read-only. Open it for writing."
            case .SQLITE_CONSTRAINT:
                "A constraint of the schema does not allow the value. See the cause, then correct the target or the schema."
            case _ where error.isPassing: "The failure may be temporary. See the cause. \(asked.again)"
            default: "See the cause, and correct it."
            }
        return MergeError(
            error.isOfAFullDisk ? .diskFull : .databaseFailed, "\(asked.failed) \(advice)",
            cause: cause(of: error), isRetryable: error.isPassing)
    }

    /// Returns the table that SQLite cannot find.
    private static func missingTable(_ error: DatabaseError) -> String? {
        let prefix = "no such table: "
        guard error.resultCode == .SQLITE_ERROR, let message = error.message, message.hasPrefix(prefix) else {
            return nil
        }
        return String(message.dropFirst(prefix.count))
    }

    /// Returns SQLite's message if it contains only names of the schema. Otherwise a message may contain a value, for
    /// example if it comes from a trigger, from an SQL function or from the app, or if it quotes a statement's
    /// arguments.
    private static func cause(of error: DatabaseError) -> String {
        let code = "\(error.extendedResultCode)"
        let named: [String] =
            switch error.resultCode {
            case .SQLITE_ERROR: ["no such table: ", "no such column: "]
            case .SQLITE_CONSTRAINT where error.extendedResultCode != .SQLITE_CONSTRAINT_TRIGGER:
                ["UNIQUE", "NOT NULL", "CHECK", "FOREIGN KEY"].map { "\($0) constraint failed" }
            default: []
            }
        guard let message = error.message, named.contains(where: message.hasPrefix) else { return code }
        return "\(code): \(message)"
    }

    private static func app(_ error: any Error) -> MergeError {
        MergeError(
            .appFailed,
            "The app's own code for the merge threw an error of type \(type(of: error)). Correct that code: the transform, the rule or the target.",
            cause: "\(type(of: error))")
    }
}
