/// The fields of an event that have a meaning (WHATWG HTML, 9.2.6). Lines without such a field, such as comments, are
/// ignored.
enum EventField {
    case data, event, id, retry

    /// Returns the field of a line, and the index of its value. The value begins after the colon and one space. Returns
    /// `nil` for a comment and for an unknown name.
    ///
    /// - Parameter line: A whole line, or its beginning. The beginning must be longer than any field's name with its
    ///   colon.
    @inline(__always)
    static func read(_ line: UnsafeRawBufferPointer) -> (field: EventField, valueStart: Int)? {
        guard let (field, colon) = name(of: line) else { return nil }
        // A line that has only a name has an empty value.
        var start = min(colon + 1, line.count)
        if start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
        return (field, start)
    }

    /// Returns the field, and the index of the colon after its name. Without a colon, the index is the line's end.
    ///
    /// The function runs for every line, so it compares four bytes at once.
    @inline(__always)
    private static func name(of line: UnsafeRawBufferPointer) -> (field: EventField, colon: Int)? {
        func ends(at offset: Int) -> Bool { line.count == offset || line[offset] == UInt8(ascii: ":") }
        guard line.count >= 4 else {
            return line.count >= 2 && line[0] == UInt8(ascii: "i") && line[1] == UInt8(ascii: "d") && ends(at: 2)
                ? (.id, 2) : nil
        }
        switch UInt32(bigEndian: line.loadUnaligned(as: UInt32.self)) {
        case 0x6461_7461: return ends(at: 4) ? (.data, 4) : nil
        case 0x6576_656E: return line.count > 4 && line[4] == UInt8(ascii: "t") && ends(at: 5) ? (.event, 5) : nil
        case 0x7265_7472: return line.count > 4 && line[4] == UInt8(ascii: "y") && ends(at: 5) ? (.retry, 5) : nil
        case let word: return word >> 8 == 0x69_643A ? (.id, 2) : nil
        }
    }
}
