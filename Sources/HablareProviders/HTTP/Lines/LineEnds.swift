/// Finds the ends of the lines in a piece: line feeds, carriage returns, or both together as one.
///
/// Either kind is searched for with the C library's own search, many bytes at a time, and where its next one is is
/// remembered. So a piece is looked through at most once for each, also where one of them does not occur at all.
struct LineEnds {
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D

    private let bytes: UnsafeRawBufferPointer
    /// The first of its kind at or behind the place that was asked for last; the number of bytes where there is none.
    private var nextLineFeed = -1
    private var nextCarriageReturn = -1

    init(of bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The place of the first line feed or carriage return at or behind a place; the number of bytes where there is none.
    ///
    /// - Parameter start: Never before that of an earlier call.
    mutating func next(from start: Int) -> Int {
        if nextLineFeed < start { nextLineFeed = bytes.place(of: Self.lineFeed, from: start) }
        if nextCarriageReturn < start { nextCarriageReturn = bytes.place(of: Self.carriageReturn, from: start) }
        return min(nextLineFeed, nextCarriageReturn)
    }
}
