import Hablare

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The calls to the operating system in whose order a file becomes durable: the seam at which tests see them.
struct DurableCalls: Sendable {
    /// Returns when the bytes of an open file, or the names in an open folder, are on the disk. The path is for errors.
    var sync: @Sendable (_ descriptor: Int32, _ path: String) throws -> Void
    /// Gives a file another name at once, in place of a file that had it.
    var rename: @Sendable (_ path: String, _ newPath: String) throws -> Void

    /// The operating system.
    static let system = DurableCalls(
        sync: { descriptor, path in
            #if canImport(Darwin)
            // fsync on Apple platforms does not reach the disk; some file systems know no F_FULLFSYNC.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
            #endif
            guard fsync(descriptor) == 0 else { throw AIServiceError(errno: errno, doing: "sync", path: path) }
        },
        rename: { path, newPath in
            guard systemRename(path, newPath) == 0 else {
                throw AIServiceError(errno: errno, doing: "rename", path: newPath)
            }
        })
}

private func systemRename(_ path: String, _ newPath: String) -> Int32 {
    rename(path, newPath)
}
