#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder that this object holds open. The object can find out whether another process, or another object of this
/// process, also holds the folder open.
///
/// Each holder has a shared lock on the folder itself. The lock belongs to the holder's open file description (Linux,
/// `fcntl(2)`). There is no lock file. The kernel releases the lock when the process ends in any way. If the system has
/// no such locks, this type assumes that there are other holders.
package final class OpenFolder: Sendable {
    private let path: String
    private let descriptor: CInt
    private let isLocked: Bool

    /// Opens a folder. From now on, other holders can detect this holder.
    ///
    /// - Throws: ``FileFailure`` if the folder cannot be opened, or if the system has no memory for a lock. Without a
    ///   lock, other holders could not detect this holder.
    package init(_ path: String) throws(FileFailure) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(doing: .open, to: path) }
        do throws(FileFailure) {
            isLocked = try Self.lock(descriptor, path)
        } catch {
            close(descriptor)
            throw error
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether another holder may hold the folder open. Also `true` if a different folder is now at the path, because
    /// other holders open the new folder. Reading this property takes three system calls.
    package var mayHaveOthers: Bool { !isLocked || !isAtPath || Self.isHeldElsewhere(descriptor) }

    private var isAtPath: Bool {
        var open = stat()
        var named = stat()
        return fstat(descriptor, &open) == 0 && stat(path, &named) == 0 && open.st_ino == named.st_ino
            && open.st_dev == named.st_dev
    }

    #if os(Linux)
    /// Constants of `<asm-generic/fcntl.h>`, which Swift does not import.
    private static let setLock: CInt = 37  // F_OFD_SETLK
    private static let getLock: CInt = 36  // F_OFD_GETLK

    /// Locks the folder. Returns whether the system has such locks.
    private static func lock(_ descriptor: CInt, _ path: String) throws(FileFailure) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_RDLCK)
        if fcntl(descriptor, setLock, &lock) == 0 { return true }
        guard errno == EINVAL else { throw FileFailure(doing: .lock, to: path) }
        return false
    }

    private static func isHeldElsewhere(_ descriptor: CInt) -> Bool {
        var lock = flock()
        // Asks for a lock that would conflict with an exclusive one.
        lock.l_type = Int16(F_WRLCK)
        return fcntl(descriptor, getLock, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
    }
    #else
    private static func lock(_ descriptor: CInt, _ path: String) -> Bool { false }
    private static func isHeldElsewhere(_ descriptor: CInt) -> Bool { true }
    #endif
}
