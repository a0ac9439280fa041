import Hablare
import HablareFiles

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The operating system calls that make the key file durable, and the pause between two attempts to take the file's
/// lock. A test can replace these calls to observe their order or to make them fail.
struct CredentialFileCalls: Sendable {
    /// The calls that make new folders and the files' bytes durable.
    var durable: DurableCalls
    /// Renames a file in an open folder atomically. Replaces a file that already has the new name.
    var rename:
        @Sendable (_ folder: CInt, _ name: String, _ newName: String, _ path: String) throws(FileFailure) -> Void
    /// Waits a hundredth of a second between two attempts to take the lock.
    var pause: @Sendable () -> Void

    /// The calls of the operating system.
    static let system = CredentialFileCalls(
        durable: .system,
        rename: { folder, name, newName, path throws(FileFailure) in
            while renameat(folder, name, folder, newName) != 0 {
                guard errno == EINTR else { throw FileFailure(doing: .rename, to: path) }
            }
        },
        pause: { _ = poll(nil, 0, 10) })
}

extension AIServiceError {
    /// Creates the error for a file system failure at the key file.
    init(ofKeys failure: FileFailure) {
        let participle =
            switch failure.action {
            case .open: "opened"
            case .read, .list, .resolve: "read"
            case .look: "looked at"
            case .make, .makeFolder: "created"
            case .write: "written"
            case .sync: "synced"
            case .rename: "given its name"
            case .remove: "removed"
            case .lock: "locked"
            }
        let reason = failure.reason.lowercased()
        let start = "\(failure.path) could not be \(participle)"
        switch failure.number {
        case ENOSPC, EDQUOT:
            self.init(.storageFull, "\(start): there is no space left. Free some space.", cause: reason)
        case EROFS:
            self.init(
                .storageReadOnly, "\(start): its disk is read-only. Choose another folder with XDG_CONFIG_HOME.",
                cause: reason)
        case EACCES, EPERM:
            self.init(
                .invalidConfiguration, "\(start): \(reason). Check its permissions and those of its folder.")
        case ENOTDIR: self = FileTrust.noFolder(failure.path)
        default: self.init(.storageFailed, "\(start). Check the disk and try again.", cause: reason)
        }
    }
}
