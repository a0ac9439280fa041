#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reads files for importers in pieces, and maps their failures.
enum FileSource {
    /// The largest size of a piece, in bytes.
    static let pieceSize = 256 << 10

    /// Returns a closure that delivers the pieces of a regular file, then `nil`. It checks for cancellation.
    ///
    /// - Throws: ``TextImportError`` with code `unreadable`.
    static func pieces(of path: String) throws(TextImportError) -> () throws -> [UInt8]? {
        let file = try OpenFile(path)
        return {
            try Task.checkCancellation()
            let bytes = try Self.piece(of: file.descriptor)
            return bytes.isEmpty ? nil : bytes
        }
    }

    /// Returns the bytes of a file that is no larger than a limit.
    static func bytes(_ path: String, limit: Int) throws -> [UInt8] {
        let next = try pieces(of: path)
        var bytes: [UInt8] = []
        while let piece = try next() {
            guard bytes.count + piece.count <= limit else {
                throw TextImportError(
                    .tooLarge, "\(path) is larger than \(limit >> 20) MB. Split it into several files.")
            }
            bytes += piece
        }
        return bytes
    }

    /// Returns at most the first bytes of a file.
    static func prefix(_ path: String, count: Int) throws -> [UInt8] {
        let next = try pieces(of: path)
        var bytes: [UInt8] = []
        while bytes.count < count, let piece = try next() { bytes += piece.prefix(count - bytes.count) }
        return bytes
    }

    /// Throws an error if a path is no regular file that can be read.
    static func check(_ path: String) throws(TextImportError) { _ = try OpenFile(path) }

    /// Reads the next piece of a descriptor; empty at its end.
    static func piece(of descriptor: Int32) throws(TextImportError) -> [UInt8] {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: pieceSize) { buffer, used in
                count = read(descriptor, buffer.baseAddress, buffer.count)
                used = max(0, count)
            }
            if count >= 0 { return bytes }
            let reason = errno
            if reason != EINTR {
                throw TextImportError(
                    .unreadable, "The text cannot be read. Check the disk and try again.",
                    cause: String(cString: strerror(reason)))
            }
        }
    }

    /// An open file, closed when it is released.
    private final class OpenFile {
        let descriptor: Int32

        init(_ path: String) throws(TextImportError) {
            descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            var status = stat()
            guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
                throw TextImportError(
                    .unreadable, "\(path) cannot be read. Check that it exists and that you may read it.",
                    cause: String(cString: strerror(errno)))
            }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw TextImportError(.unreadable, "\(path) is not a file. Name a file.")
            }
        }

        deinit { close(descriptor) }
    }
}
