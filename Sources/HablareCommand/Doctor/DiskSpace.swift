import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The room on a disk.
enum DiskSpace {
    /// With less than so many free bytes a disk counts as full: SQLite's own files and an answer of usual length need them.
    static let least: Int64 = 8 << 20

    /// How many bytes may still be written below a folder, which need not be there; `nil` where nobody says it.
    static func free(at folder: URL) -> Int64? {
        var path = folder.absoluteURL.standardizedFileURL
        var status = statvfs()
        while statvfs(path.path, &status) != 0 {
            guard errno == ENOENT, path.path != "/", !path.path.isEmpty else { return nil }
            path.deleteLastPathComponent()
        }
        let (bytes, overflows) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
            by: Int64(clamping: status.f_frsize))
        return overflows ? nil : bytes
    }
}
