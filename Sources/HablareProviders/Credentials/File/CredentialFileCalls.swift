import Hablare
import HablareFiles

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
    /// How folders that are made, and the bytes of files, become durable.
    var durable: DurableCalls
    /// Gives a file of an open folder another name at once, in place of a file that had it.
    var rename:
        @Sendable (_ folder: CInt, _ name: String, _ newName: String, _ path: String) throws(FileFailure) -> Void
    /// Waits a hundredth of a second for whoever has the lock.
    var pause: @Sendable () -> Void

    /// The operating system.
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
    /// The meaning of a failure of the file system for the file of keys.
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
            self.init(.storageFull, "\(start): there is no room left. Free some space.", cause: reason)
        case EROFS:
            self.init(
                .storageReadOnly, "\(start): its disk may only be read. Choose another folder with XDG_CONFIG_HOME.",
                cause: reason)
        case EACCES, EPERM:
            self.init(
                .invalidConfiguration, "\(start): \(reason). Look at its permissions and those of its folder.")
        case ENOTDIR: self = FileTrust.noFolder(failure.path)
        default: self.init(.storageFailed, "\(start). Look after the disk and try again.", cause: reason)
        }
    }
}
