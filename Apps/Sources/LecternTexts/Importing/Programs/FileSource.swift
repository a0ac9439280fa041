#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reads files for importers, and maps their failures.
enum FileSource {
    /// Opens a regular file, passes its descriptor and its size, and closes it.
    static func open<Result>(_ path: String, _ body: (Int32, Int) throws -> Result) throws -> Result {
        let descriptor = systemOpen(path)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TextImportError(.unreadable, "\(path) is not a file. Name a file.")
        }
        return try body(descriptor, Int(status.st_size))
    }

    /// Returns the bytes of a file that is no larger than a limit.
    static func bytes(_ path: String, limit: Int) throws -> [UInt8] {
        try open(path) { descriptor, size in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(min(size, limit) + 1)
            var block = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = try ByteLines.read(descriptor, into: &block)
                guard count > 0 else { return bytes }
                guard bytes.count + count <= limit else {
                    throw TextImportError(
                        .tooLarge, "\(path) is larger than \(limit >> 20) MB. Split it into several files.")
                }
                bytes += block[..<count]
            }
        }
    }

    /// Returns at most the first bytes of a file.
    static func prefix(_ path: String, count wanted: Int) throws -> [UInt8] {
        try open(path) { descriptor, _ in
            var bytes: [UInt8] = []
            var block = [UInt8](repeating: 0, count: wanted)
            while bytes.count < wanted {
                let count = try ByteLines.read(descriptor, into: &block)
                guard count > 0 else { break }
                bytes += block[..<count]
            }
            return Array(bytes.prefix(wanted))
        }
    }

    private static func unreadable(_ path: String, _ reason: Int32) -> TextImportError {
        TextImportError(
            .unreadable, "\(path) cannot be read. Check that it exists and that you may read it.",
            cause: String(cString: strerror(reason)))
    }
}

private func systemOpen(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
