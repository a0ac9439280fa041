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

/// A program's standard input as a file without a name.
///
/// Not a pipe, because a pipe has two ends: a program that closes it early would send us SIGPIPE, one that never reads
/// would block us once it is full, and somebody would have to write while the program runs. A file it reads at its own
/// pace, or not at all, and nobody has to care.
enum StandardInputFile {
    /// Memory where there is such a thing, for speed and so that no prompt comes near a disk; else, or when that is
    /// full (a container may have 64 MB), this user's temporary directory.
    private static var directories: [String] {
        #if os(Linux)
        ["/dev/shm", PrivateDirectory.temporary]
        #else
        [PrivateDirectory.temporary]
        #endif
    }

    /// Makes a file that holds some bytes, positioned at its beginning and closed when another program starts.
    ///
    /// - Throws: `Errno`: no descriptor or no space is left.
    static func make(holding bytes: [UInt8]) throws(Errno) -> FileDescriptor {
        var reason = Errno.noSpace
        for directory in directories {
            do throws(Errno) {
                return try make(holding: bytes, in: directory)
            } catch {
                reason = error
            }
        }
        throw reason
    }

    private static func make(holding bytes: [UInt8], in directory: String) throws(Errno) -> FileDescriptor {
        let file = try openEmpty(in: directory)
        do {
            var written = 0
            while written < bytes.count {
                written += try bytes[written...].withUnsafeBytes { rest in
                    try file.write(toAbsoluteOffset: Int64(written), rest)
                }
            }
            return file
        } catch {
            close(file.rawValue)
            throw (error as? Errno) ?? .ioError
        }
    }

    private static func openEmpty(in directory: String) throws(Errno) -> FileDescriptor {
        #if os(Linux)
        let temporaryFile: Int32 = 0o20000000 | O_DIRECTORY  // O_TMPFILE, which the module map lacks
        let unnamed = open(directory, temporaryFile | O_RDWR | O_CLOEXEC, 0o600)
        if unnamed >= 0 { return FileDescriptor(rawValue: unnamed) }
        #endif
        // A file system without unnamed files, or macOS: a name for the moment between two calls.
        var template = Array("\(directory)/hablare-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return FileDescriptor(rawValue: descriptor)
    }
}
#endif
