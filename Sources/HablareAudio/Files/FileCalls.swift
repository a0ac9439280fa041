#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The calls to the operating system that decide whether a file is on the disk: the seam at which tests make them fail.
struct FileCalls: Sendable {
    /// Opens a file for writing, or makes it with these permissions and what the process takes from them, without
    /// following a symbolic link and without emptying it.
    var open: @Sendable (_ path: String, _ mode: mode_t) throws(SystemFailure) -> CInt
    /// Writes some of the bytes at an offset and says how many.
    var write:
        @Sendable (_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, _ offset: Int64) throws(SystemFailure) -> Int
    /// Returns when the bytes are on the disk, not merely on their way.
    var sync: @Sendable (_ descriptor: CInt) throws(SystemFailure) -> Void
    /// Gives a file another name at once, in place of a file that had it.
    var rename: @Sendable (_ path: String, _ newPath: String) throws(SystemFailure) -> Void
    /// Returns when the names in a folder are on the disk.
    var syncFolder: @Sendable (_ path: String) throws(SystemFailure) -> Void

    /// The operating system.
    static let system = FileCalls(
        open: { path, mode throws(SystemFailure) in
            let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            return try retried { systemOpen(path, flags, mode) }
        },
        write: { descriptor, bytes, offset throws(SystemFailure) in
            try retried { pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
        },
        sync: { descriptor throws(SystemFailure) in
            try fullSync(descriptor)
        },
        rename: { path, newPath throws(SystemFailure) in
            _ = try retried { systemRename(path, newPath) }
        },
        syncFolder: { path throws(SystemFailure) in
            let descriptor = try retried { systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
            defer { close(descriptor) }
            do throws(SystemFailure) {
                try fullSync(descriptor)
            } catch {
                // Some network file systems cannot sync a folder and write names at once instead.
                guard error.code == EINVAL || error.code == ENOTSUP else { throw error }
            }
        }
    )

    private static func retried<Count: SignedInteger>(_ call: () -> Count) throws(SystemFailure) -> Count {
        while true {
            let result = call()
            if result >= 0 { return result }
            let failure = SystemFailure.last
            guard failure.code == EINTR else { throw failure }
        }
    }

    private static func fullSync(_ descriptor: CInt) throws(SystemFailure) {
        #if canImport(Darwin)
        // `fsync` on Apple systems leaves the bytes in the cache of the disk. Not every file system has the full form.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try retried { fsync(descriptor) }
    }
}

private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt {
    open(path, flags, mode)
}

private func systemRename(_ path: String, _ newPath: String) -> CInt {
    rename(path, newPath)
}
