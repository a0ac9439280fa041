#if os(macOS) || os(Linux)
import Foundation
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The free space of a file system, in bytes.
package enum FileSystemRoom {
    /// Returns the free space of the file system that has an open file. Returns `nil` if the system does not report the
    /// space.
    static func of(_ file: FileDescriptor) -> UInt64? {
        var status = statvfs()
        return fstatvfs(file.rawValue, &status) == 0 ? room(status) : nil
    }

    /// Returns the free space of the file system at a path. Returns `nil` if the system does not report the space, or
    /// if the path does not exist.
    package static func of(_ path: String) -> UInt64? {
        var status = statvfs()
        return statvfs(path, &status) == 0 ? room(status) : nil
    }

    private static func room(_ status: statvfs) -> UInt64 {
        // Root may also use the reserved blocks.
        let blocks = geteuid() == 0 ? UInt64(status.f_bfree) : UInt64(status.f_bavail)
        return blocks.multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue
    }
}
#endif
