#if os(macOS) || os(Linux)
import Foundation
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Files without a name, used for a program's standard input, output and error.
///
/// A program can read and write a file at its own pace. Pipes would have these disadvantages:
///
/// - If a program closes its standard input early, this process gets SIGPIPE.
/// - If a program never reads, this process blocks when the pipe is full.
/// - If a program writes while it is being ended, and the pipe has no reader, the program dies at its last output.
/// - If a program writes in small pieces, each piece wakes this process. Reading eSpeak NG's sound from a pipe took 45
///   wake-ups per sentence.
enum UnnamedFile {
    /// Creates a file with these bytes, positioned at its beginning. The file is in memory if the system supports such
    /// files. Memory is fast, and no prompt is written to a disk.
    ///
    /// - Throws: `Errno` if no descriptor or no space is left.
    static func input(_ bytes: [UInt8]) throws(Errno) -> FileDescriptor {
        #if os(Linux)
        do throws(Errno) {
            return try file(holding: bytes, in: "/dev/shm")
        } catch {
            // It does not exist, or is full (a container may have 64 MB).
            return try file(holding: bytes, in: PrivateDirectory.temporary)
        }
        #else
        return try file(holding: bytes, in: PrivateDirectory.temporary)
        #endif
    }

    /// Creates an empty file. The file is in memory if memory has space for the answers of several programs. Otherwise
    /// it is in this user's temporary directory.
    ///
    /// - Parameter limit: The maximum number of bytes that will be written.
    /// - Throws: `Errno` if no descriptor or no space is left.
    static func output(expecting limit: Int) throws(Errno) -> FileDescriptor {
        #if os(Linux)
        if let room = FileSystemRoom.of("/dev/shm"), room / 8 > UInt64(limit) {
            do throws(Errno) {
                return try file(in: "/dev/shm")
            } catch {
                // `/dev/shm` may not be writable; fall back to the temporary directory.
            }
        }
        #endif
        return try file(in: PrivateDirectory.temporary)
    }

    private static func file(holding bytes: [UInt8], in directory: String) throws(Errno) -> FileDescriptor {
        let file = try file(in: directory)
        do {
            try file.writeAll(toAbsoluteOffset: 0, bytes)
            return file
        } catch {
            close(file.rawValue)
            throw (error as? Errno) ?? .ioError
        }
    }

    private static func file(in directory: String) throws(Errno) -> FileDescriptor {
        #if os(Linux)
        let temporaryFile: Int32 = 0o20000000 | O_DIRECTORY  // O_TMPFILE, which the module map lacks
        let unnamed = open(directory, temporaryFile | O_RDWR | O_CLOEXEC, 0o600)
        if unnamed >= 0 { return FileDescriptor(rawValue: unnamed) }
        #endif
        // macOS, or a file system without unnamed files: the file has a name between two calls.
        var template = Array("\(directory)/hablare-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return FileDescriptor(rawValue: descriptor)
    }
}
#endif
