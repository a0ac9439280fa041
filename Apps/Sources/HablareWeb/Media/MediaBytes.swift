import NIOCore

/// Bytes that can be read in parts.
protocol MediaBytes: Sendable {
    /// The number of bytes that are there now, and whether more will come.
    var extent: MediaExtent { get }
    /// Waits until there are more bytes than a number, or until the bytes are complete. Returns the new extent.
    func extent(beyond count: Int) async throws -> MediaExtent
    /// Returns bytes from the beginning of a range: at least one, if the range is not empty.
    func read(_ range: Range<Int>) async throws -> ByteBuffer
}

/// How many bytes there are.
struct MediaExtent: Sendable, Equatable {
    var count: Int
    var isComplete: Bool
}

/// Bytes in memory.
struct BytesInMemory: MediaBytes {
    private let buffer: ByteBuffer

    init(_ bytes: [UInt8]) { buffer = ByteBuffer(bytes: bytes) }

    var extent: MediaExtent { MediaExtent(count: buffer.readableBytes, isComplete: true) }
    func extent(beyond count: Int) async throws -> MediaExtent { extent }
    func read(_ range: Range<Int>) async throws -> ByteBuffer {
        buffer.getSlice(at: range.lowerBound, length: range.count) ?? ByteBuffer()
    }
}
