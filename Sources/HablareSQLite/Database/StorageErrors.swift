import Foundation
import GRDB
import Hablare
import HablareFileErrors
import HablareFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

extension AIServiceError {
    /// Creates the error for a failure of the database. The message says what to do.
    init(_ error: DatabaseError, path: String) {
        let cause = "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")"
        // A case of a primary code matches all its extended codes.
        switch error.extendedResultCode {
        // SQLite reports `IOERR_SHMSIZE` if the disk has no room for the index of the write-ahead log
        // (https://sqlite.org/rescode.html#ioerr_shmsize).
        case .SQLITE_FULL, .SQLITE_IOERR_SHMSIZE:
            self.init(
                .storageFull,
                """
                The disk, or the quota, of \(path) is full. Free some space. Stored requests are safe, and work \
                continues by itself.
                """,
                cause: cause)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
            self.init(
                .storageReadOnly,
                """
                \(path) cannot be opened for writing. Check that the folder exists and is writable, and how many files \
                the process may open. Or choose another folder.
                """,
                cause: cause)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self.init(
                .storageCorrupt,
                """
                \(path) is damaged or is not a Hablare store. Nothing was changed. Move it away and start with a new \
                store, or restore a copy.
                """,
                cause: cause)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                .storageBusy, "Another process has locked \(path). Try again later.", cause: cause)
        default:
            self.init(.storageFailed, "\(path) could not be read or written.", cause: cause)
        }
    }

    /// Returns the error for a store that newer software wrote.
    static func tooNew(path: String) -> AIServiceError {
        AIServiceError(
            .storageTooNew,
            "\(path) was written by a newer version of Hablare, or by a version before the first release. Nothing was changed. Update Hablare, or choose another folder."
        )
    }
}

/// Runs an access to the database, or to the lock of its folder. If it fails, throws an error of the store.
func translatingErrors<R>(of path: String, _ body: () throws -> R) throws -> R {
    do {
        return try body()
    } catch let error as DatabaseError {
        throw AIServiceError(error, path: path)
    } catch let failure as FileFailure {
        throw AIServiceError(failure)
    } catch let error as FileLock.Busy {
        throw AIServiceError(
            .storageBusy, "Another process has been opening \(error.path) for too long. Try again later.")
    }
}

/// Runs calls to the file system. If a call fails, throws an error of the store.
func translatingStoreFailures<R>(_ body: () throws -> R) throws -> R {
    do {
        return try body()
    } catch let failure as FileFailure {
        throw AIServiceError(ofStore: failure)
    }
}

extension AIServiceError {
    /// Creates the error of a store for a failure of the file system. A store creates all its folders when it is
    /// opened. If a folder is missing, it was deleted or moved.
    fileprivate init(ofStore failure: FileFailure) {
        self =
            failure.number == ENOENT
            ? .missing("The folder of \(failure.path)", cause: failure.cause) : AIServiceError(failure)
    }
}
