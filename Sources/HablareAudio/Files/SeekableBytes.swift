/// Bytes with a position, as an audio library wants to read or write them.
///
/// Nothing here throws, because it is called from C: the first failure is kept in ``failure`` and looked at by the one
/// who called the library.
protocol SeekableBytes: AnyObject {
    /// The number of bytes.
    var length: Int64 { get }
    /// Where the next byte is read or written; may be set beyond the end.
    var position: Int64 { get set }
    /// The first thing that went wrong.
    var failure: AudioError? { get }
    /// Reads at the position and moves it; fewer bytes than asked only at the end or after a failure.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Writes at the position and moves it; fewer bytes than given only after a failure.
    func write(_ buffer: UnsafeRawBufferPointer) -> Int
}
