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
