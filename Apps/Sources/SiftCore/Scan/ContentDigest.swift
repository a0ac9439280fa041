import Crypto

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The SHA-256 digest of a file's content. Serves to recognise a photo whose name and dates changed.
public struct ContentDigest: Sendable {
    /// The bytes that are read at once.
    private static let part = 256 * 1024

    private var hash = SHA256()

    /// Creates the digest of nothing.
    public init() {}

    /// Adds bytes.
    public mutating func update(_ bytes: some Sequence<UInt8>) { hash.update(data: Array(bytes)) }

    /// Returns the 32 bytes of the digest.
    public func finished() -> [UInt8] { Array(hash.finalize()) }

    /// Returns the digest of an open file. Stops when the task is cancelled.
    public static func digest(of photo: OpenPhoto) throws -> [UInt8] {
        var digest = ContentDigest()
        let size = Int(min(max(photo.version.size, 1), Int64(part)))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        var offset: off_t = 0
        while true {
            try Task.checkCancellation()
            let count = try System.call("pread") { pread(photo.descriptor, buffer.baseAddress, buffer.count, offset) }
            guard count > 0 else { return digest.finished() }
            digest.hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += off_t(count)
        }
    }
}
