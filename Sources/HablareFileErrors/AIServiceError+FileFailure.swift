package import Hablare
package import HablareFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

extension AIServiceError {
    private enum FileAccess {
        case reading, writing, makingFolder

        init(_ action: FileFailure.Action) {
            switch action {
            case .open, .read, .list, .look, .resolve: self = .reading
            case .makeFolder: self = .makingFolder
            case .make, .write, .sync, .rename, .remove, .lock: self = .writing
            }
        }
    }

    /// Creates the error of a store or a cache for a failure of the file system. The message says what to do.
    package init(_ failure: FileFailure) {
        let path = failure.path
        let (code, message): (Code, String) =
            switch (failure.number, FileAccess(failure.action)) {
            case (_, .reading):
                (
                    .storageFailed,
                    """
                    \(path) could not be read. Check its permissions, the disk, and how many files the process may \
                    open, then try again.
                    """
                )
            case (ENOSPC, _), (EDQUOT, _):
                (.storageFull, "There is no space left for \(path). Free some space, then try again.")
            case (EMFILE, _), (ENFILE, _):
                (
                    .storageFailed,
                    """
                    Too many files are open, so \(path) cannot be opened. Raise the limit (ulimit -n), or make fewer \
                    calls at the same time.
                    """
                )
            case (EACCES, .makingFolder), (EPERM, .makingFolder), (EROFS, .makingFolder):
                (
                    .storageReadOnly,
                    "The folder \(path) cannot be created. Check the permissions of the folder above it, or choose another folder."
                )
            case (ENOTDIR, .makingFolder):
                (
                    .storageReadOnly,
                    "The folder \(path) cannot be created, because a file is in its place. Move the file away, or choose another folder."
                )
            case (_, .makingFolder):
                (.storageFailed, "The folder \(path) cannot be created. See the cause, or choose another folder.")
            case (EACCES, _), (EPERM, _), (EROFS, _):
                (.storageReadOnly, "\(path) is not writable. Check its permissions, or choose another folder.")
            default: (.storageFailed, "\(path) could not be written. Correct the cause, then try again.")
            }
        self.init(code, message, cause: failure.cause)
    }
}

/// Runs calls to the file system. If a call fails, throws an ``AIServiceError`` for its failure.
package func translatingFileFailures<R>(_ body: () throws -> R) throws -> R {
    do {
        return try body()
    } catch let failure as FileFailure {
        throw AIServiceError(failure)
    }
}
