#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Locks of open files and folders between processes. The kernel releases a lock when its descriptor is closed, and
/// when the process ends in any way.
package enum FileLock {
    /// Another descriptor held the lock for longer than the caller would wait.
    package struct Busy: Error, Hashable {
        /// The file or folder.
        package let path: String

        /// Creates the error.
        package init(path: String) { self.path = path }
    }

    /// The interval between two tries, in milliseconds. Opening a database takes a few.
    private static let interval: CInt = 5

    /// Takes the lock of an open file, unless another descriptor holds it.
    ///
    /// - Parameter isShared: Whether others may hold a shared lock at the same time.
    /// - Returns: Whether it was taken.
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

    /// Returns whether an open file is still the one at a path. It may have been renamed or removed before its lock was
    /// taken. A link at the path counts as another file.
    package static func isFile(_ descriptor: CInt, at path: String) -> Bool {
        var open = stat()
        var named = stat()
        return fstat(descriptor, &open) == 0 && lstat(path, &named) == 0 && open.st_ino == named.st_ino
            && open.st_dev == named.st_dev
    }

    /// Runs code while holding an exclusive lock on a folder. The lock is on the folder itself, so it leaves no file
    /// behind.
    ///
    /// With it, only one process at a time creates, checks and migrates a database. Without it, two processes that
    /// start on an empty folder at the same moment would both find no table, and one would fail because of the other's.
    ///
    /// - Parameters:
    ///   - path: The folder, which must exist.
    ///   - limit: The seconds to wait for the lock, at most an hour. For NaN, or a time shorter than one interval, it
    ///     tries once.
    /// - Throws: ``Busy`` when another process holds the lock for longer than `limit` seconds, ``FileFailure`` when the
    ///   folder cannot be opened or locked, and the errors of `body`.
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
