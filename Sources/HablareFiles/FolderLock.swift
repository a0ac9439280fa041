#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Lets one opener of a database at a time create, check and migrate it.
///
/// Two processes that start on an empty folder at the same moment would both find no table, and one would fail on the
/// other's. The lock is on the folder itself, so it leaves no file behind, and the kernel lets it go with the process.
package enum FolderLock {
    /// Somebody else held the lock for longer than the caller would wait.
    package struct Busy: Error, Hashable {
        /// The folder.
        package let path: String

        /// Creates the error.
        package init(path: String) { self.path = path }
    }

    /// How long to wait between two looks, in milliseconds. Opening takes a few.
    private static let interval: Int32 = 5

    /// Runs a piece of code while nobody else runs one on the same folder.
    ///
    /// - Parameters:
    ///   - path: The folder, which must be there.
    ///   - limit: How many seconds to wait for the lock; what is no number, or less than one look takes, is one look.
    ///     More than an hour is taken for that.
    /// - Throws: ``Busy`` when somebody else does for longer than `limit` seconds; ``FileFailure`` when the folder
    ///   cannot be opened or locked; what `body` throws.
    package static func whileHeld<R>(on path: String, waiting limit: Double, _ body: () throws -> R) throws -> R {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(errno, doing: "open", to: path) }
        defer { close(descriptor) }
        var looks = limit > 0 ? max(1, Int(min(limit, 3600) * 1000) / Int(interval)) : 1
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw FileFailure(errno, doing: "lock", to: path) }
            looks -= 1
            guard looks > 0 else { throw Busy(path: path) }
            poll(nil, 0, interval)
        }
        return try body()
    }
}
