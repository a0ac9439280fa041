import Hablare

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The calls to the operating system in whose order the file of keys becomes durable, and the pause between two looks at
/// its lock: the seam at which tests see them, and make them fail.
struct CredentialFileCalls: Sendable {
    /// Returns when the bytes of an open file, or the names in an open folder, are on the disk. The path is for errors.
    var sync: @Sendable (_ descriptor: CInt, _ path: String) throws(AIServiceError) -> Void
    /// Gives a file of an open folder another name at once, in place of a file that had it.
    var rename:
        @Sendable (_ folder: CInt, _ name: String, _ newName: String, _ path: String) throws(AIServiceError) -> Void
    /// Waits a hundredth of a second for whoever has the lock.
    var pause: @Sendable () -> Void

    /// The operating system.
    static let system = CredentialFileCalls(
        sync: { descriptor, path throws(AIServiceError) in
            #if canImport(Darwin)
            // fsync on Apple platforms does not reach the disk; some file systems know no F_FULLFSYNC.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
            #endif
            while fsync(descriptor) != 0 {
                guard errno == EINTR else { throw .keys(errno, "synced", path) }
            }
        },
        rename: { folder, name, newName, path throws(AIServiceError) in
            while renameat(folder, name, folder, newName) != 0 {
                guard errno == EINTR else { throw .keys(errno, "given its name", path) }
            }
        },
        pause: { _ = poll(nil, 0, 10) })
}

extension AIServiceError {
    /// What the operating system said of a file of keys.
    ///
    /// - Parameter participle: What could not be done with it, such as `read`.
    static func keys(_ code: CInt, _ participle: String, _ path: String) -> AIServiceError {
        let reason = String(cString: strerror(code)).lowercased()
        return switch code {
        case ENOSPC, EDQUOT:
            AIServiceError(
                .storageFull, "\(path) could not be \(participle): there is no room left. Free some space.",
                cause: reason)
        case EROFS:
            AIServiceError(
                .storageReadOnly,
                "\(path) could not be \(participle): its disk may only be read. Choose another folder with XDG_CONFIG_HOME.",
                cause: reason)
        case EACCES, EPERM:
            AIServiceError(
                .invalidConfiguration,
                "\(path) could not be \(participle): \(reason). Look at its permissions and those of its folder.")
        default:
            AIServiceError(
                .storageFailed, "\(path) could not be \(participle). Look after the disk and try again.", cause: reason)
        }
    }
}
