#if os(macOS) || os(Linux)
/// The end of a stream of unknown length, in bounded memory.
struct ErrorTail: Sendable {
    /// How many bytes are kept at least, of a longer stream. Twice what an error shows, so that what is cut at the
    /// front is not mistaken for something that was never the prompt's.
    static let capacity = 4096

    private var kept: [UInt8] = []

    /// The last bytes, at most ``capacity``.
    var bytes: [UInt8] { Array(kept.suffix(Self.capacity)) }

    /// Appends what came.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        kept.append(contentsOf: bytes.suffix(Self.capacity))
        if kept.count > 4 * Self.capacity { kept.removeFirst(kept.count - Self.capacity) }
    }
}
#endif
