/// Bytes with a position, for an audio library that reads or writes them.
///
/// C code calls these methods, so they cannot throw errors. Instead, they store the first failure in ``failure``, and
/// the caller of the library checks it afterwards.
protocol SeekableBytes: AnyObject {
    /// The number of bytes.
    var length: Int64 { get }
    /// The offset of the next byte to read or write. It may be beyond the end.
    var position: Int64 { get set }
    /// The first failure.
    var failure: AudioError? { get }
    /// Reads at the position, and advances the position. Returns fewer bytes than requested only at the end or after a
    /// failure.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Writes at the position, and advances the position. Writes fewer bytes than given only after a failure.
    func write(_ buffer: UnsafeRawBufferPointer) -> Int
}
