#if os(macOS) || os(Linux)
import Foundation
#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Files without a name, which is what programs get for standard input, output and error.
///
/// Not pipes, because a pipe has two ends. A program that closes its standard input early would send us SIGPIPE, one
/// that never reads would block us once the pipe is full, one that is told to end while nobody listens any more would
/// die of its last words, and one that writes in small pieces would wake us for each
/// of them: reading eSpeak NG's sound from a pipe cost 45 wake-ups a sentence. A file it reads and writes at its own
/// pace, and nobody has to care.
enum UnnamedFile {
    /// Makes a file that holds some bytes, positioned at its beginning, in memory where there is such a thing: for
    /// speed, and so that no prompt comes near a disk.
    ///
    /// - Throws: `Errno`: no descriptor or no space is left.
    static func input(_ bytes: [UInt8]) throws(Errno) -> FileDescriptor {
        #if os(Linux)
        do throws(Errno) {
            return try file(holding: bytes, in: "/dev/shm")
        } catch {
            // There is none, or it is full (a container may have 64 MB).
            return try file(holding: bytes, in: PrivateDirectory.temporary)
        }
        #else
        return try file(holding: bytes, in: PrivateDirectory.temporary)
        #endif
    }

    /// Makes an empty file: in memory where there is room for the answers of several programs, else in this user's
    /// temporary directory.
    ///
    /// - Parameter limit: The most bytes that will be written.
    /// - Throws: `Errno`: no descriptor or no space is left.
    static func output(expecting limit: Int) throws(Errno) -> FileDescriptor {
        #if os(Linux)
        if let room = FileSystemRoom.of("/dev/shm"), room / 8 > UInt64(limit) {
            do throws(Errno) {
                return try file(in: "/dev/shm")
            } catch {
                // It may not be written here: the temporary directory may.
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
