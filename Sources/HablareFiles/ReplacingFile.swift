import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is written under another name and gets its own when it is whole: nobody ever finds half of it.
///
/// Not shared between threads. What is not committed goes away with the value.
package final class ReplacingFile {
    /// Where the file will be.
    package let path: String
    private let unfinished: String
    private var descriptor: Int32?
    private var buffer: [UInt8] = []

    /// Makes the file under its other name, in the same folder, for its owner's eyes only.
    ///
    /// - Throws: ``FileFailure``.
    package init(_ path: String) throws {
        let file = URL(fileURLWithPath: path)
        self.path = path
        // Without the name that it will have, which may be as long as a name can be.
        unfinished = file.deletingLastPathComponent().appendingPathComponent(".\(UUID().uuidString).tmp").path
        let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(errno, doing: "make", to: path) }
        self.descriptor = descriptor
    }

    deinit {
        guard let descriptor else { return }
        close(descriptor)
        unlink(unfinished)
    }

    /// Appends bytes.
    ///
    /// - Throws: ``FileFailure``.
    package func write(_ bytes: some Sequence<UInt8>) throws {
        buffer.append(contentsOf: bytes)
        if buffer.count >= 64 * 1024 { try flush() }
    }

    /// Gives the file its name, in place of one that had it, when its bytes are on the disk. Nothing may be written after.
    ///
    /// - Throws: ``FileFailure``; the file that was there before is then there still.
    package func commit() throws {
        try flush()
        guard let descriptor else { return }
        try Self.sync(descriptor, path)
        guard rename(unfinished, path) == 0 else { throw FileFailure(errno, doing: "rename", to: path) }
        self.descriptor = nil
        close(descriptor)
        try Self.syncFolder(of: path)
    }

    /// Puts the names in a file's folder on disk.
    ///
    /// - Throws: ``FileFailure``.
    package static func syncFolder(of path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(errno, doing: "open", to: folder) }
        defer { close(descriptor) }
        try sync(descriptor, path)
    }

    private func flush() throws {
        guard let descriptor, !buffer.isEmpty else { return }
        try buffer.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                let count = systemWrite(descriptor, start, rest.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    throw FileFailure(errno, doing: "write", to: path)
                }
                rest = rest.dropFirst(count)
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private static func sync(_ descriptor: Int32, _ path: String) throws {
        #if canImport(Darwin)
        // fsync on Apple platforms does not reach the disk; some file systems know no F_FULLFSYNC.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw FileFailure(errno, doing: "sync", to: path) }
    }
}

/// The method of the class hides the function of the system.
private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, start, count)
}
