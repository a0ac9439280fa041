import Foundation
import GRDB
import Hablare

extension MergeError {
    /// The error that whoever asked for a merge gets. `CancellationError` stays what it is, and so does an error of the
    /// engine, which has its own advice.
    static func told(_ error: any Error, of requestID: UUID) -> any Error {
        switch error {
        case is CancellationError, is AIServiceError: error
        case let error as MergeError: error.of(requestID)
        case let error as DatabaseError: MergeError.database(error).of(requestID)
        default: MergeError.app(error).of(requestID)
        }
    }

    /// The same, always one of this type: for events and for outcomes of one of many.
    static func recorded(_ error: any Error, of requestID: UUID) -> MergeError {
        switch told(error, of: requestID) {
        case let error as MergeError: error
        case let error as AIServiceError:
            MergeError(
                .noResponse, error.message, requestID: requestID, cause: error.code.rawValue,
                isRetryable: error.isRetryable)
        default:
            MergeError(
                .cancelled, "The merge was given up, because its task was cancelled. Ask for it again if it is wanted.",
                requestID: requestID)
        }
    }

    /// The same of what concerns no single request.
    static func recorded(_ error: any Error, ofPromises: Void) -> MergeError {
        switch error {
        case let error as MergeError: error
        case let error as DatabaseError: database(error)
        default: app(error)
        }
    }

    private static func database(_ error: DatabaseError) -> MergeError {
        if error.message?.contains("no such table: hablare_") == true {
            return MergeError(
                .notMigrated,
                "The app's database has no table for receipts. Call `registerHablareData()` on its migrator.",
                cause: error.message)
        }
        let advice =
            switch error.resultCode {
            case .SQLITE_FULL: "Its disk is full: make room, and ask for the merge again."
            case .SQLITE_BUSY, .SQLITE_LOCKED: "It was busy for too long: ask for the merge again."
            case .SQLITE_READONLY: "It may not be written: open it for writing."
            case .SQLITE_CONSTRAINT:
                "A constraint of its schema does not allow the value: see the cause, and mend the target or the schema."
            default: "See the cause; the response is kept, and the merge can be asked for again."
            }
        let passing: [ResultCode] = [
            .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_INTERRUPT, .SQLITE_ABORT,
            .SQLITE_CANTOPEN,
        ]
        // Without the statement's arguments, which would have the content in them.
        return MergeError(
            .databaseFailed, "The app's database did not take the merge. \(advice)",
            cause: "\(error.extendedResultCode): \(error.message ?? "no message")",
            isRetryable: passing.contains(error.resultCode))
    }

    private static func app(_ error: any Error) -> MergeError {
        MergeError(
            .appFailed, "The app's own code that merges threw an error of \(type(of: error)). Mend it there.",
            cause: "\(type(of: error))")
    }
}
