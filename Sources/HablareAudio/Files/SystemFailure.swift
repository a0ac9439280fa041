#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What the operating system said when a call failed.
struct SystemFailure: Error, Equatable {
    /// The value of `errno`.
    let code: CInt

    /// The failure of the call made just before, on this thread.
    static var last: SystemFailure {
        SystemFailure(code: errno)
    }

    /// In words of the system, in lower case. `strerror` has constant strings for all known codes.
    var reason: String {
        String(cString: strerror(code)).lowercased()
    }

    /// What it means for a file that is being written, and what to do.
    func writing(_ path: String) -> AudioError {
        switch code {
        case ENOENT, ENOTDIR:
            AudioError(
                code: .folderMissing,
                message: "The folder of \(path) does not exist; make it first, or choose another one.")
        case EACCES, EPERM, EROFS, EISDIR, ELOOP, ENAMETOOLONG:
            AudioError(
                code: .notWritable,
                message:
                    "\(path) cannot be written: \(reason). Change the permissions, or choose another name or place.")
        case ENOSPC, EDQUOT:
            AudioError(
                code: .diskFull,
                message: "There is no room left to write \(path); free some space or choose another disk.")
        case EFBIG:
            AudioError(
                code: .tooLarge,
                message:
                    "\(path) is larger than its file system, or the limit of this user, allows; write several files.")
        case EWOULDBLOCK:
            AudioError(
                code: .busy,
                message: "\(path) is being written by somebody else; wait for them, or choose another name.")
        default:
            AudioError(
                code: .writeFailed,
                message: "\(path) could not be written: \(reason). Look after the disk and try again.")
        }
    }
}
