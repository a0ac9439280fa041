/// A finder of the line ends in a piece. A line end is a line feed, a carriage return, or a carriage return with a line
/// feed.
///
/// The finder searches for line feeds and for carriage returns with the C library's fast search, and caches the next
/// occurrence of each. So it scans a piece at most once for each of the two characters, even if a character does not
/// occur.
struct LineEnds {
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D

    private let bytes: UnsafeRawBufferPointer
    /// The next line feed at or after the last start index; the number of bytes if there is none.
    private var nextLineFeed = -1
    private var nextCarriageReturn = -1

    init(of bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Returns the index of the first line feed or carriage return at or after an index. Returns the number of bytes if
    /// there is none.
    ///
    /// - Parameter start: The index to start at. It must not decrease between calls.
    mutating func next(from start: Int) -> Int {
        if nextLineFeed < start { nextLineFeed = bytes.offset(of: Self.lineFeed, from: start) }
        if nextCarriageReturn < start { nextCarriageReturn = bytes.offset(of: Self.carriageReturn, from: start) }
        return min(nextLineFeed, nextCarriageReturn)
    }
}
