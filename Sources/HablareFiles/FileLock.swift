#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Locks on open files and folders, between processes. The kernel releases a lock when its descriptor is closed, and
/// when the process ends in any way.
package enum FileLock {
    /// An error: another descriptor held the lock for longer than the caller was ready to wait.
    package struct Busy: Error, Hashable {
        /// The file or folder.
        package let path: String

        /// Creates the error.
        package init(path: String) { self.path = path }
    }

    /// The interval between two attempts, in milliseconds. Opening a database takes a few milliseconds.
    private static let interval: CInt = 5

    /// Takes the lock of an open file if no other descriptor holds it.
    ///
    /// - Parameter isShared: Whether others may hold a shared lock at the same time.
    /// - Returns: Whether the lock was taken.
    /// - Throws: ``FileFailure`` if the file cannot be locked.
    package static func take(
        _ descriptor: CInt, of path: String, isShared: Bool = false
    ) throws(FileFailure) -> Bool {
        while flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw FileFailure(doing: .lock, to: path) }
        }
        return true
    }

    /// Returns whether an open file is still the file at a path. The file may have been renamed or removed before its
    /// lock was taken. A link at the path counts as another file.
    package static func isFile(_ descriptor: CInt, at path: String) -> Bool {
        var open = stat()
        var named = stat()
        return fstat(descriptor, &open) == 0 && lstat(path, &named) == 0 && open.st_ino == named.st_ino
            && open.st_dev == named.st_dev
    }

    /// Runs a closure while holding an exclusive lock on a folder. The lock is on the folder itself, so no lock file
    /// remains.
    ///
    /// With the lock, only one process at a time creates, checks and migrates a database. Without it, two processes
    /// that start with an empty folder at the same moment would both find no table. One of them would then fail because
    /// of the other.
    ///
    /// - Parameters:
    ///   - path: The folder, which must exist.
    ///   - limit: The maximum wait for the lock in seconds, at most an hour. For NaN, or for a time shorter than one
    ///     interval, the function tries only once.
    /// - Throws: ``Busy`` if another process holds the lock for longer than `limit` seconds. ``FileFailure`` if the
    ///   folder cannot be opened or locked. The errors of `body`.
    package static func whileHeld<R>(on path: String, waiting limit: Double, _ body: () throws -> R) throws -> R {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(doing: .open, to: path) }
        defer { close(descriptor) }
        var looks = limit > 0 ? max(1, Int(min(limit, 3600) * 1000) / Int(interval)) : 1
        while try !take(descriptor, of: path) {
            looks -= 1
            guard looks > 0 else { throw Busy(path: path) }
            poll(nil, 0, interval)
        }
        return try body()
    }
}
