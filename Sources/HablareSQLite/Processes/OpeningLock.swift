import Foundation
import Hablare

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Lets one opener of a store at a time create, check and migrate its database.
///
/// Two processes that start on an empty folder at the same moment would both find no table, and one would fail on the
/// other's. The lock is on the folder itself, so it leaves no file behind, and the kernel lets it go with the process.
enum OpeningLock {
    /// How long to wait between two looks, in milliseconds. Opening takes a few.
    private static let interval: Int32 = 5

    /// Runs a piece of code while nobody else runs one on the same folder.
    ///
    /// - Throws: ``AIServiceError/Code/storageBusy`` when somebody else does for longer than `limit` seconds; what
    ///   `body` throws.
    static func whileHeld<R>(on directory: URL, waiting limit: TimeInterval, _ body: () throws -> R) throws -> R {
        let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AIServiceError(errno: errno, doing: "open", path: directory.path) }
        defer { close(descriptor) }
        var looks = max(1, Int(min(limit, 3600) * 1000) / Int(interval))
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw AIServiceError(errno: errno, doing: "lock", path: directory.path)
            }
            looks -= 1
            guard looks > 0 else {
                throw AIServiceError(
                    .storageBusy,
                    "Another process has been opening \(directory.path) for long. Try again when it is done.")
            }
            poll(nil, 0, interval)
        }
        return try body()
    }
}
