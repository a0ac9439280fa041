#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder that is held open, with the answer to whether it is held open elsewhere: by another process, or once more by
/// this one.
///
/// Each holder has a shared lock of its open file description (Linux, `fcntl(2)`) on the folder itself, so no file is left
/// behind, and the kernel lets the lock go with the process, however it ends. Where there are no such locks, others may
/// always be there.
package final class OpenFolder: Sendable {
    private let path: String
    private let descriptor: CInt
    private let isLocked: Bool

    /// Opens a folder. From now on the other holders know of this one.
    ///
    /// - Throws: ``FileFailure`` where it cannot be opened, or has no room for a lock: the others would not know of this
    ///   holder.
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

    /// Whether the folder may be held open elsewhere; also where another folder is at its path by now, which others open.
    /// Takes three calls to the system.
    package var mayHaveOthers: Bool { !isLocked || !isAtPath || Self.isHeldElsewhere(descriptor) }

    private var isAtPath: Bool {
        var open = stat()
        var named = stat()
        return fstat(descriptor, &open) == 0 && stat(path, &named) == 0 && open.st_ino == named.st_ino
            && open.st_dev == named.st_dev
    }

    #if os(Linux)
    /// Of `<asm-generic/fcntl.h>`, where Swift does not find them.
    private static let setLock: CInt = 37  // F_OFD_SETLK
    private static let getLock: CInt = 36  // F_OFD_GETLK

    /// Returns whether there are such locks.
    private static func lock(_ descriptor: CInt, _ path: String) throws(FileFailure) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_RDLCK)
        if fcntl(descriptor, setLock, &lock) == 0 { return true }
        guard errno == EINVAL else { throw FileFailure(doing: .lock, to: path) }
        return false
    }

    private static func isHeldElsewhere(_ descriptor: CInt) -> Bool {
        var lock = flock()
        // The question is what would be in the way of an exclusive lock.
        lock.l_type = Int16(F_WRLCK)
        return fcntl(descriptor, getLock, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
    }
    #else
    private static func lock(_ descriptor: CInt, _ path: String) -> Bool { false }
    private static func isHeldElsewhere(_ descriptor: CInt) -> Bool { true }
    #endif
}
