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
            case .merge, .promisedMerge: "The app's database did not take the merge."
            case .promise: "The app's database did not take the promise of a merge, and nothing was promised."
            case .promises: "The app's database could not be asked for its promises of merges."
            }
        }

        fileprivate var again: String {
            switch self {
            case .merge: "ask for the merge again"
            case .promisedMerge: "the promise is tried again by itself"
            case .promise, .promises: "ask again"
            }
        }
    }

    /// Returns the error that the caller of a merge receives. `CancellationError` stays unchanged. Errors of the engine
    /// also stay unchanged, because they have their own advice.
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
                "The merge did not happen, because its task was cancelled. Call merge again if you need it.",
                requestID: requestID)
        }
    }

    /// Returns a failure that does not concern a single request as a `MergeError`.
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
                "The app's database has no table for receipts. Call `registerHablareData()` on its migrator.",
                cause: cause(of: error))
        }
        if let table = missingTable(error) {
            return MergeError(
                .noTable, "The database has no table \(table). Add it to your migrator.", cause: cause(of: error))
        }
        let advice =
            switch error.resultCode {
            case _ where error.isOfAFullDisk: "Its disk is full: make room, and \(asked.again)."
            case .SQLITE_BUSY, .SQLITE_LOCKED: "It was busy for too long: \(asked.again)."
            case .SQLITE_READONLY: "It may not be written: open it for writing."
            case .SQLITE_CONSTRAINT:
                "A constraint of its schema does not allow the value: see the cause, and mend the target or the schema."
            case _ where error.isPassing: "It failed for now: see the cause, and \(asked.again)."
            default: "See the cause, and mend it."
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

    /// Returns SQLite's message if it contains only names of the schema. A message from a trigger, an SQL function or
    /// the app may contain a value. A statement's arguments may also contain values.
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
            .appFailed, "The app's own code that merges threw an error of \(type(of: error)). Mend it there.",
            cause: "\(type(of: error))")
    }
}
