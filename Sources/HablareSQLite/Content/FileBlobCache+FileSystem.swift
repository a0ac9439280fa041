import Foundation
import Hablare

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

extension FileSystem {
    /// Dates a file; one that is gone, or may not be dated, is left as it is: it only seems to be unused for longer.
    static func setModified(_ file: URL, to date: Date) {
        let seconds = max(-1e10, min(1e10, date.timeIntervalSince1970))
        let whole = seconds.rounded(.down)
        var times = [timeval(), timeval()]
        for index in times.indices {
            times[index].tv_sec = time_t(whole)
            times[index].tv_usec = suseconds_t(min(999_999, (seconds - whole) * 1_000_000))
        }
        utimes(file.path, times)
    }

    /// The bytes of a plain file, as they were when it was opened: one that is renamed into its place meanwhile is
    /// another one. `nil` where there is none; no bytes where there are more than may be read.
    static func read(_ file: URL, atMost limit: Int) throws -> Data? {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return nil }
            throw AIServiceError.unreadable(file, cause: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else {
            throw AIServiceError.unreadable(file, cause: String(cString: strerror(errno)))
        }
        guard information.st_mode & S_IFMT == S_IFREG else { return nil }
        guard information.st_size <= limit else { return Data() }
        return try read(0..<Int(information.st_size), of: descriptor, file)
    }

    /// Removes a file, if it is there.
    static func remove(_ file: URL) throws {
        guard unlink(file.path) == 0 || errno == ENOENT else {
            throw AIServiceError(errno: errno, doing: "remove", path: file.path)
        }
    }
}

extension DurableCalls {
    /// Nothing waits for the disk: a machine that stops may lose what was written last.
    static let unsynced = DurableCalls(sync: { _, _ in }, rename: DurableCalls.system.rename)
}
