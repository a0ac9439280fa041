#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder that is held open, and knows whether it is also held open elsewhere, by another process or again by this
/// one.
///
/// Each holder has a shared lock of its open file description (Linux, `fcntl(2)`) on the folder itself. So no file is
/// left behind, and the kernel releases the lock when the process ends in any way. Without such locks, other holders
/// must always be assumed.
package final class OpenFolder: Sendable {
    private let path: String
    private let descriptor: CInt
    private let isLocked: Bool

    /// Opens a folder. From now on the other holders know of this one.
    ///
    /// - Throws: ``FileFailure`` if the folder cannot be opened, or the system has no room for a lock. The other
    ///   holders would not know of this one.
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

    /// Whether the folder may be held open elsewhere. Also `true` if another folder is at the path now, because others
    /// open that one. Takes three system calls.
    package var mayHaveOthers: Bool { !isLocked || !isAtPath || Self.isHeldElsewhere(descriptor) }

    private var isAtPath: Bool {
        var open = stat()
        var named = stat()
        return fstat(descriptor, &open) == 0 && stat(path, &named) == 0 && open.st_ino == named.st_ino
            && open.st_dev == named.st_dev
    }

    #if os(Linux)
    /// The constants of `<asm-generic/fcntl.h>`, which Swift does not import.
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
