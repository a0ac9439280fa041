#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Locks on open files and folders. They work between processes. The kernel releases a lock when its descriptor is
/// closed, and when the process ends in any way.
package enum FileLock {
    /// The error that another descriptor held the lock for longer than the caller wanted to wait.
    package struct Busy: Error, Hashable {
        /// The file or folder.
        package let path: String

        /// Creates the error.
        package init(path: String) { self.path = path }
    }

    /// The time between two tries to take a lock, in milliseconds. It is short because opening a database takes only a
    /// few milliseconds.
    private static let interval: CInt = 5

    /// Takes the lock of an open file if no other descriptor holds it.
    ///
    /// - Parameter isShared: Whether other descriptors may hold a shared lock at the same time.
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

    /// Returns whether the path still leads to the open file. The file may have been renamed or removed before it was
    /// locked. If there is a link at the path, the result is `false`.
    package static func isFile(_ descriptor: CInt, at path: String) -> Bool {
        var open = stat()
        var named = stat()
        return fstat(descriptor, &open) == 0 && lstat(path, &named) == 0 && open.st_ino == named.st_ino
            && open.st_dev == named.st_dev
    }

    /// Runs a closure while holding an exclusive lock on a folder. The lock is on the folder itself, so no lock file
    /// remains.
    ///
    /// With the lock, only one process at a time creates, checks and migrates a database. Without the lock, two
    /// processes that start at the same moment with an empty folder would both find no tables. Both would create them,
    /// and one of the processes would fail.
    ///
    /// - Parameters:
    ///   - path: The folder, which must exist.
    ///   - limit: The maximum time to wait for the lock in seconds, at most an hour. If it is NaN or shorter than the
    ///     time between two tries, the function tries only once.
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
