import Foundation
import GRDB
import HablareFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension AppDatabaseError {
    /// Creates an error with advice from the error of a read, a write or a batch. Returns `nil` for an error that does
    /// not concern the database, its file or its folder, and for an error that concerns only the data or the SQL, such
    /// as a violated constraint.
    ///
    /// - Parameters:
    ///   - error: The error of a read or write.
    ///   - database: The database that was read or written.
    public init?(describing error: any Error, of database: AppDatabase) {
        let path = database.url?.path ?? "The database in memory"
        switch error {
        case let error as AppDatabaseError: self = error
        case let error as DatabaseError:
            guard let known = AppDatabaseError(knownOf: error, path) else { return nil }
            self = known
        case let error as BatchFailure:
            guard let known = AppDatabaseError(describing: error.cause, of: database) else { return nil }
            self.init(
                known.code,
                "\(known.message) The first \(error.committed) items of the batch are committed. Continue at item \(error.committed).",
                cause: error)
        default: return nil
        }
    }

    /// Creates an error from a failure while opening.
    init(opening path: String, failedWith error: any Error) {
        switch error {
        case let error as AppDatabaseError: self = error
        case let error as DatabaseError:
            self =
                AppDatabaseError(knownOf: error, path)
                ?? AppDatabaseError(.failed, "\(path) could not be opened. See the cause.", cause: error)
        case let error as FileLock.Busy:
            self.init(
                .busy,
                "Another process has been opening a database in \(error.path) for too long. Try again when it is done.",
                cause: error)
        case let error as FileFailure: self.init(error)
        default: self.init(.failed, "\(path) could not be opened. See the cause.", cause: error)
        }
    }

    /// Creates an error from SQLite's error about the file. Returns `nil` for an error about the data or the SQL.
    init?(knownOf error: DatabaseError, _ path: String) {
        // A case of a primary code matches all its extended codes.
        switch error.extendedResultCode {
        // SQLite reports `IOERR_SHMSIZE` if the disk has no room for the index of the write-ahead log
        // (https://sqlite.org/rescode.html#ioerr_shmsize).
        case .SQLITE_FULL, .SQLITE_IOERR_SHMSIZE:
            self.init(
                .full,
                "The disk or the quota of \(path) is full. Free some space and try again. Committed data is safe.",
                cause: error)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            self.init(
                .readOnly,
                "\(path) cannot be written. Check the permissions of the file and of its folder, or choose another location.",
                cause: error)
        case .SQLITE_CANTOPEN:
            self.init(
                .readOnly,
                "\(path) cannot be opened for writing. Check the permissions of the file and of its folder, and how many files the process may open. Or choose another location.",
                cause: error)
        case .SQLITE_NOTADB:
            self.init(
                .notADatabase,
                "\(path) is not a database, or it is encrypted. Nothing was changed. Choose another location, or move the file away.",
                cause: error)
        case .SQLITE_CORRUPT:
            self.init(
                .corrupt, "\(path) is damaged. Move the file away and start with a new file, or restore a copy.",
                cause: error
            )
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                .busy, "Another process keeps \(path) locked. Try again when it is done.", cause: error)
        case .SQLITE_IOERR:
            self.init(
                .failed,
                "\(path) could not be read or written. The disk may be damaged or disconnected. Check the disk and try again.",
                cause: error)
        default: return nil
        }
    }

    /// Creates an error from a failure of the file system. The failure concerns the database's folder, or a file to
    /// create in the folder.
    private init(_ failure: FileFailure) {
        let path = failure.path
        switch failure.number {
        // The folder above exists: an earlier step would have created it or failed on it.
        case ENOENT where [.make, .makeFolder].contains(failure.action):
            self.init(
                .folderUnwritable,
                "\(path) cannot be created. Its folder accepts no new files, or was just removed. Choose another location.",
                cause: failure)
        case ENOENT:
            self.init(
                .folderMissing, "The folder \(path) does not exist. Create it, or choose another location.",
                cause: failure)
        case ENOTDIR:
            self.init(
                .folderMissing,
                "The folder \(path) cannot be used, because a file has its path or the path of a parent folder. Move the file away, or choose another location.",
                cause: failure)
        case EACCES, EPERM, EROFS:
            self.init(
                .folderUnwritable,
                "\(path) cannot be created. Check the permissions of the folder, or choose another location.",
                cause: failure)
        case ENOSPC, EDQUOT:
            self.init(.full, "There is no space left for \(path). Free some space and try again.", cause: failure)
        case EMFILE, ENFILE:
            self.init(
                .tooManyFiles,
                "\(path) cannot be opened, because too many files are open. Raise the limit of open files, or open fewer files at once.",
                cause: failure)
        default:
            self.init(.failed, "\(path) could not be created or opened. See the cause.", cause: failure)
        }
    }
}
