#if os(macOS) || os(Linux)
import Foundation
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// How many bytes can still be written to a file system.
package enum FileSystemRoom {
    /// The room where an open file is; `nil` when the system does not say.
    static func of(_ file: FileDescriptor) -> UInt64? {
        var status = statvfs()
        return fstatvfs(file.rawValue, &status) == 0 ? room(status) : nil
    }

    /// The room where a path leads; `nil` when the system does not say, or nothing is there.
    package static func of(_ path: String) -> UInt64? {
        var status = statvfs()
        return statvfs(path, &status) == 0 ? room(status) : nil
    }

    private static func room(_ status: statvfs) -> UInt64 {
        // What is kept back for root is room for root.
        let blocks = geteuid() == 0 ? UInt64(status.f_bfree) : UInt64(status.f_bavail)
        return blocks.multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue
    }
}
#endif
