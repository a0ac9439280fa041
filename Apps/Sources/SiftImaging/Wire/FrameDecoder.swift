/// Cuts a stream of bytes into frames: four bytes of length, little-endian, and that many bytes.
///
/// A frame that claims more than the limit is a violation before any of it is stored.
struct FrameDecoder {
    private let maximumFrame: Int
    private var buffer: [UInt8] = []

    /// Creates a decoder for frames of at most so many bytes, without their length.
    init(maximumFrame: Int) { self.maximumFrame = maximumFrame }

    /// Whether bytes of an incomplete frame are waiting.
    var isInsideFrame: Bool { !buffer.isEmpty }

    /// Adds bytes that were received.
    mutating func received(_ bytes: some Sequence<UInt8>) { buffer.append(contentsOf: bytes) }

    /// Returns the next complete frame and removes it, or nil where more bytes are needed.
    mutating func nextFrame() throws(WireViolation) -> [UInt8]? {
        guard buffer.count >= 4 else { return nil }
        let count = buffer.littleEndian32(0)
        guard count <= maximumFrame else { throw WireViolation(what: "a frame exceeds the limit") }
        guard buffer.count - 4 >= count else { return nil }
        let frame = Array(buffer[4..<4 + count])
        buffer.removeFirst(4 + count)
        return frame
    }

    /// Returns a frame with its length in front.
    static func encode(_ payload: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.write(payload)
        return writer.bytes
    }
}
