import Foundation
import HablareFiles

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The readable bytes of a regular file.
final class FileBytes: SeekableBytes {
    private let descriptor: CInt
    private let path: String
    let length: Int64
    var position: Int64 = 0
    private(set) var failure: AudioError?

    /// Opens the file without blocking. A pipe is refused.
    init(_ url: URL) throws(AudioError) {
        path = url.absoluteURL.path
        guard url.isFileURL else { throw .unreadable(path, "it is not on this machine") }
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(path, FileFailure(doing: .open, to: path).reason.lowercased()) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .unreadable(path, "it is not a regular file")
        }
        length = Int64(status.st_size)
    }

    deinit {
        close(descriptor)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var done = 0
        while failure == nil, position >= 0, done < buffer.count {
            let remainder = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = pread(descriptor, remainder.baseAddress, remainder.count, off_t(position))
            if count == 0 { break }
            if count < 0 {
                let reason = FileFailure(doing: .read, to: path)
                if reason.number != EINTR { failure = .unreadable(path, reason.reason.lowercased()) }
                continue
            }
            done += count
            position += Int64(count)
        }
        return done
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> Int {
        0
    }
}

extension AudioError {
    fileprivate static func unreadable(_ path: String, _ reason: String) -> AudioError {
        AudioError(
            code: .unreadable, message: "The audio file \(path) cannot be read: \(reason). Check that it exists.")
    }
}
