/// Reads pieces of bytes line by line, with one piece and one line in memory.
struct ByteLines {
    /// The next piece; `nil` at the end.
    let source: () throws -> [UInt8]?
    /// The largest number of bytes of a line.
    var limit = 1 << 20

    /// Passes each line without its end, with its number from 1.
    func forEach(_ body: (ArraySlice<UInt8>, Int) throws -> Void) throws {
        var rest: [UInt8] = []
        var number = 0
        while let piece = try source() {
            var start = piece.startIndex
            while let end = piece.index(of: UInt8(ascii: "\n"), from: start) {
                number += 1
                if rest.isEmpty {
                    try check(end - start, number)
                    try body(Self.trimmed(piece[start..<end]), number)
                } else {
                    rest += piece[start..<end]
                    try check(rest.count, number)
                    try body(Self.trimmed(rest[...]), number)
                    rest.removeAll(keepingCapacity: true)
                }
                start = end + 1
            }
            rest += piece[start...]
            try check(rest.count, number + 1)
        }
        if !rest.isEmpty { try body(Self.trimmed(rest[...]), number + 1) }
    }

    private func check(_ count: Int, _ number: Int) throws(TextImportError) {
        guard count > limit else { return }
        throw TextImportError(
            .damaged, "A line is longer than \(limit) bytes. Check that this is the file that you meant.",
            place: "line \(number)")
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}
