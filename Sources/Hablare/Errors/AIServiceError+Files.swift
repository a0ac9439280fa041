#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

extension AIServiceError {
    /// Kinds of access to a file of a store or a cache.
    package enum FileAccess: Sendable, Hashable {
        case reading, writing, makingFolder
    }

    /// The meaning of a failure of the file system for a store or a cache, and what to do about it.
    ///
    /// - Parameters:
    ///   - number: The value of `errno`.
    ///   - access: What was being done.
    ///   - path: The file or folder.
    ///   - cause: What the system says of it.
    package init(errno number: CInt, _ access: FileAccess, path: String, cause: String) {
        let (code, message): (Code, String) =
            switch (number, access) {
            case (_, .reading):
                (
                    .storageFailed,
                    "\(path) could not be read. It may be there all the same: check its permissions, the disk, and how many files the process may open; then try again."
                )
            case (ENOSPC, _), (EDQUOT, _):
                (.storageFull, "There is no space left for \(path). Free some and try again.")
            case (EMFILE, _), (ENFILE, _):
                (
                    .storageFailed,
                    "Too many files are open, so that \(path) cannot be opened. Raise the limit (ulimit -n), or let the process do less at once."
                )
            case (EACCES, .makingFolder), (EPERM, .makingFolder), (EROFS, .makingFolder):
                (
                    .storageReadOnly,
                    "The folder \(path) cannot be created. Check the permissions of the folder above it, or choose another one."
                )
            case (ENOTDIR, .makingFolder):
                (
                    .storageReadOnly,
                    "The folder \(path) cannot be created, because a file is in its place. Move the file away, or choose another folder."
                )
            case (_, .makingFolder):
                (.storageFailed, "The folder \(path) cannot be created. See the cause, or choose another one.")
            case (EACCES, _), (EPERM, _), (EROFS, _):
                (.storageReadOnly, "\(path) may not be written. Check its permissions, or choose another folder.")
            default: (.storageFailed, "\(path) could not be written. See the cause, and try again.")
            }
        self.init(code, message, cause: cause)
    }
}
