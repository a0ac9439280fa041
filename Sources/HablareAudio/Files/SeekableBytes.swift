/// Bytes with a position, for an audio library to read or write.
///
/// C code calls these methods, so they do not throw. The first failure is kept in ``failure``, and the caller of the
/// library checks it.
protocol SeekableBytes: AnyObject {
    /// The number of bytes.
    var length: Int64 { get }
    /// The offset of the next byte to read or write. It may lie beyond the end.
    var position: Int64 { get set }
    /// The first failure.
    var failure: AudioError? { get }
    /// Reads at the position and advances it. Returns fewer bytes than requested only at the end or after a failure.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Writes at the position and advances it. Writes fewer bytes than given only after a failure.
    func write(_ buffer: UnsafeRawBufferPointer) -> Int
}
