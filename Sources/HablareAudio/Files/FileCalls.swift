import HablareFiles

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system calls that write a file to the disk. A test can replace them with calls that fail.
struct FileCalls: Sendable {
    /// Opens a file for writing. Does not truncate the file and does not follow a symbolic link. If the file is
    /// missing, creates it with the given permissions, reduced by the process's umask.
    var open: @Sendable (_ path: String, _ mode: mode_t) throws(FileFailure) -> CInt
    /// Writes some of the bytes at an offset. Returns the number of written bytes. The path is only used in errors.
    var write:
        @Sendable (_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, _ offset: Int64, _ path: String)
            throws(FileFailure) -> Int
    /// The calls that make the file durable.
    var durable: DurableCalls

    /// The calls of the operating system.
    static let system = FileCalls(
        open: { path, mode throws(FileFailure) in
            while true {
                let descriptor = systemOpen(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode)
                if descriptor >= 0 { return descriptor }
                guard errno == EINTR else { throw FileFailure(doing: .open, to: path) }
            }
        },
        write: { descriptor, bytes, offset, path throws(FileFailure) in
            while true {
                let count = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
                if count >= 0 { return count }
                guard errno == EINTR else { throw FileFailure(doing: .write, to: path) }
            }
        },
        durable: .system)
}

private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt {
    open(path, flags, mode)
}
