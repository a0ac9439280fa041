#if os(macOS) || os(Linux)
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The file a program answers in, which may be anything until it was looked at.
struct OutputFile: Sendable {
    /// Its path.
    let path: String

    /// How large it is now; 0 when it is not there.
    var byteCount: Int {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Reads it, following no link and waiting for no pipe.
    ///
    /// - Parameter limit: The most bytes to accept.
    /// - Returns: What is there; `nil` when it is larger than the limit.
    func read(limit: Int) -> CommandOutcome.Output? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return .noFile
            case ELOOP: return .notAFile
            case let code: return .unreadable(code)
            }
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .unreadable(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .notAFile }
        guard status.st_size <= limit else { return nil }
        do {
            let size = Int(status.st_size)
            let file = FileDescriptor(rawValue: descriptor)
            return .bytes(
                try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                    while count < size {
                        let rest = UnsafeMutableRawBufferPointer(buffer)[count...]
                        let read = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: rest))
                        if read == 0 { break }
                        count += read
                    }
                })
        } catch {
            return .unreadable((error as? Errno ?? .ioError).rawValue)
        }
    }
}
#endif
