import Foundation
import NIOCore
import NIOPosix

/// An open file of a fixed length. It is closed when this object is released.
///
/// The app opens the file, so that it decides which file the bytes come from. The server never sees a path.
public final class MediaFile: Sendable {
    private let file: OpenFile
    private let length: Int

    /// Takes over an open file.
    ///
    /// - Parameter descriptor: A descriptor of a regular file that can be read. This object closes it, also if this
    ///   initialiser throws.
    /// - Throws: ``MediaFileError`` if the length cannot be read.
    public init(descriptor: Int32) throws(MediaFileError) {
        file = OpenFile(descriptor)
        length = try file.length()
    }
}

extension MediaFile: MediaBytes {
    var extent: MediaExtent { MediaExtent(count: length, isComplete: true) }
    func extent(beyond count: Int) async throws -> MediaExtent { extent }
    func read(_ range: Range<Int>) async throws -> ByteBuffer { try await file.read(range) }
}

/// The reason why a file could not be read.
public struct MediaFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason, in the system's words.
    public let description: String

    /// Creates an error.
    public init(description: String) { self.description = description }
}

/// A descriptor that is closed with this object.
final class OpenFile: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    func length() throws(MediaFileError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.error() }
        guard status.st_mode & S_IFMT == S_IFREG else { throw MediaFileError(description: "It is not a regular file.") }
        return Int(status.st_size)
    }

    /// Reads on a thread of its own, because a disk may stall. Throws if the file is shorter than it was.
    func read(_ range: Range<Int>) async throws -> ByteBuffer {
        try await NIOThreadPool.singleton.runIfActive { [self] in
            var buffer = ByteBufferAllocator().buffer(capacity: range.count)
            let count = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { bytes in
                let count = pread(descriptor, bytes.baseAddress, range.count, off_t(range.lowerBound))
                guard count >= 0 else { throw Self.error() }
                return count
            }
            guard count > 0 || range.isEmpty else { throw MediaFileError(description: "The file became shorter.") }
            return buffer
        }
    }

    private static func error() -> MediaFileError { MediaFileError(description: String(cString: strerror(errno))) }
}
