import HablareFiles

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension AudioError {
    /// Creates the error for a failure to write a file, with advice.
    init(_ failure: FileFailure, writing path: String) {
        let reason = failure.reason.lowercased()
        switch failure.number {
        case ENOENT, ENOTDIR:
            self.init(
                code: .folderMissing,
                message: "The folder of \(path) does not exist. Create it, or choose another folder.")
        case EACCES, EPERM, EROFS, EISDIR, ELOOP, ENAMETOOLONG:
            self.init(
                code: .notWritable,
                message:
                    "\(path) cannot be written: \(reason). Change the permissions, or choose another name or place.")
        case ENOSPC, EDQUOT:
            self.init(
                code: .diskFull,
                message: "There is no space left to write \(path). Free some space, or choose another disk.")
        case EFBIG:
            self.init(
                code: .tooLarge,
                message:
                    "\(path) is larger than its file system or the limit of this user allows. Write several files.")
        case EWOULDBLOCK:
            self.init(
                code: .busy,
                message: "Another process is writing \(path). Wait until it has ended, or choose another name.")
        default:
            self.init(
                code: .writeFailed,
                message: "\(path) could not be written: \(reason). Check the disk and try again.")
        }
    }
}
